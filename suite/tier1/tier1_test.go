package tier1

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/analysis/collectives"
	"assay/bundle"
	"assay/plan"
	"assay/report"
	"assay/spec"
	"assay/stats"
	"assay/suite"
	"assay/suite/acts"
)

func of(v float64) *float64 { return &v }

// target is a result that took so long by default and at its best.
func target(baseline, optimized float64) Result {
	return Result{Key: "k", Status: Succeeded, Goal: "speed", Baseline: &baseline, Optimized: &optimized, Speedup: of(baseline / optimized),
		Interval: &stats.Interval{Lo: .99 * optimized, Hi: 1.01 * optimized}}
}

func TestRules(t *testing.T) {
	failed := Result{Key: "k", Status: Failed}
	memory := func(savings float64) Result {
		r := target(10, 5)
		r.Goal, r.MemorySavings = "memory", &savings
		return r
	}
	tests := []struct {
		name     string
		was, now Result
		worse    []string
		better   []string
	}{
		{"nothing", target(10, 5), target(10, 5), nil, nil},
		{"failed now", target(10, 5), failed, []string{"status"}, nil},
		{"works again", failed, target(10, 5), nil, []string{"status"}},
		{"speed-up lost", target(10, 5), target(10, 6), []string{"speedup", "optimized_latency"}, nil},
		{"speed-up gained", target(10, 5), target(10, 4), nil, []string{"speedup", "optimized_latency"}},
		{"lost, of a time too short to tell", target(.1, .05), target(.1, .06), []string{"optimized_latency"}, nil},
		{"both became slower", target(10, 5), target(12, 6), []string{"optimized_latency"}, nil},
		{"less than five percent", target(10, 5), target(10, 5.2), nil, nil},
		{"savings lost", memory(40), memory(34), []string{"memory_savings"}, nil},
		{"savings of a target of speed", func() Result { r := memory(40); r.Goal = "speed"; return r }(), func() Result { r := memory(30); r.Goal = "speed"; return r }(), nil, nil},
	}
	rules := func(list []Change) (names []string) {
		for _, c := range list {
			names = append(names, c.Rule)
		}
		return names
	}
	for _, tt := range tests {
		worse, better := changes(tt.was, tt.now)
		if !slices.Equal(rules(worse), tt.worse) || !slices.Equal(rules(better), tt.better) {
			t.Errorf("%s: worse %v, better %v; want %v, %v", tt.name, rules(worse), rules(better), tt.worse, tt.better)
		}
	}
	worse, _ := changes(target(10, 5), target(10, 6))
	if worse[0].Apart == nil || !*worse[0].Apart {
		t.Error("intervals of 1 % around 5 and 6 are called one")
	}
}

func TestTotals(t *testing.T) {
	got := total([]Result{target(8, 4), target(8, 1), {Status: Skipped}, {Status: Failed}})
	if got.Succeeded != 2 || got.Skipped != 1 || got.Failed != 1 || *got.Avg != 5 || *got.Median != 5 || *got.Max != 8 || math.Abs(*got.Geomean-4) > 1e-12 || *got.Representative != *got.Geomean {
		t.Errorf("%+v", got)
	}
}

// A fake of the measurement: an all-reduce whose best algorithm takes so long.
func fake(best *float64, asked *[]string) suite.Measure {
	return func(_ context.Context, name string, _ []byte, out string) (suite.Outcome, error) {
		*asked = append(*asked, name)
		r := report.Report{Status: bundle.Completed}
		if name == "tier1_all_reduce" {
			row := func(algorithm string, ms float64) collectives.Row {
				return collectives.Row{Algorithm: algorithm, Time: stats.Estimate{Value: ms / 1e3, Interval: stats.Interval{Lo: .99e-3 * ms, Hi: 1.01e-3 * ms}, N: 3}}
			}
			r.Collectives = &collectives.Report{Rows: []collectives.Row{row("direct", 10), row("ring", *best), row("tree", 9)}}
		}
		return suite.Outcome{Bundle: filepath.Join(out, name), Report: r}, nil
	}
}

// A lost speed-up is measured once more; what comes back is no regression, and what
// stays lost is one.
func TestRecheck(t *testing.T) {
	root := t.TempDir()
	at := time.Unix(1e9, 0)
	best := 5.
	var asked []string
	measure := fake(&best, &asked)
	run := func(id string, m suite.Measure) (Summary, Comparison) {
		t.Helper()
		at = at.Add(time.Hour)
		s, c, err := Run(t.Context(), Options{Root: root, RunID: id, Now: func() time.Time { return at }, Size: suite.Sizes["quick"], Host: suite.Host{Device: "cpu", Ranks: 2, Model: "m"}, Measure: m, Tell: t.Logf})
		if err != nil {
			t.Fatal(err)
		}
		return s, c
	}
	s, _ := run("a", measure)
	i := slices.IndexFunc(s.Targets, func(r Result) bool { return r.Key == "all_reduce" })
	if r := s.Targets[i]; r.Status != Succeeded || *r.Speedup != 2 || r.Best != "ring" {
		t.Fatalf("%+v", r)
	}
	accept(t, Acceptance{Root: root, RunID: "a", Anyway: true})
	_, c := run("b", func(ctx context.Context, name string, source []byte, out string) (suite.Outcome, error) {
		if best = 5; !strings.Contains(out, "__recheck__") {
			best = 7 // bad luck, once
		}
		return measure(ctx, name, source, out)
	})
	if len(c.Suppressed) != 1 || c.Suppressed[0].Suppressed != "recheck_not_regressed" || slices.ContainsFunc(c.Regressions, func(c Change) bool { return c.Rule == "speedup" }) {
		t.Errorf("%+v", c)
	}
	best = 5
	run("c", measure)
	best = 7
	_, c = run("d", measure)
	if !slices.ContainsFunc(c.Regressions, func(c Change) bool { return c.Rule == "speedup" }) || len(c.Suppressed) != 0 {
		t.Errorf("%+v", c)
	}
	index, warnings := ReadIndex(root)
	if len(index.Runs) != 4 || len(warnings) != 0 || index.Trend().Latest != "d" || *index.Trend().Best != 2 {
		t.Errorf("%+v %v", index, warnings)
	}
	for _, name := range []string{SummaryFile, RegressionJSON, RegressionMD, TrendFile, RecheckFile} {
		if _, err := os.Stat(filepath.Join(root, "d", name)); err != nil {
			t.Error(err)
		}
	}
}

// accept accepts a run of which most targets are not measured.
func accept(t *testing.T, a Acceptance) {
	t.Helper()
	a.Why, a.At = "it is good", time.Unix(2e9, 0)
	if _, err := Accept(a); err != nil {
		t.Fatal(err)
	}
}

// A regressed run does not become the baseline: the run after it, as slow, regresses
// again, until somebody accepts the loss and says why.
func TestRegressedRunIsNoBaseline(t *testing.T) {
	t.Parallel()
	root, at, best := t.TempDir(), time.Unix(1e9, 0), 5.
	var asked []string
	run := func(id string) Comparison {
		t.Helper()
		at = at.Add(time.Hour)
		_, c, err := Run(t.Context(), Options{Root: root, RunID: id, Now: func() time.Time { return at }, Size: suite.Sizes["quick"],
			Host: suite.Host{Device: "cpu", Ranks: 2, Model: "m"}, Measure: fake(&best, &asked), Tell: func(string, ...any) {}})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	regressed := func(c Comparison) bool {
		return slices.ContainsFunc(c.Regressions, func(c Change) bool { return c.Key == "all_reduce" && c.Rule == "speedup" })
	}
	if c := run("a"); c.Against != "" || !strings.Contains(strings.Join(c.Warnings, " "), "no run is accepted yet") {
		t.Errorf("the first run is compared with %q: %v", c.Against, c.Warnings)
	}
	accept(t, Acceptance{Root: root, RunID: "a", Anyway: true})
	best = 7
	for _, id := range []string{"b", "c"} {
		if c := run(id); c.Against != "a" || !regressed(c) {
			t.Errorf("%s, compared with %s: %+v", id, c.Against, c.Regressions)
		}
	}
	if _, err := Accept(Acceptance{Root: root, RunID: "c", Why: "as it is", At: at}); err == nil || !strings.Contains(err.Error(), "all_reduce regressed against a") {
		t.Errorf("a regressed run is accepted: %v", err)
	}
	accept(t, Acceptance{Root: root, RunID: "c", Anyway: true})
	list, err := acts.Read(filepath.Join(root, ActsFile))
	if err != nil || len(list) != 2 || list[1].Subject != "c" || len(list[1].Despite) == 0 {
		t.Errorf("acts %+v, %v", list, err)
	}
	if c := run("d"); c.Against != "c" || regressed(c) {
		t.Errorf("d, compared with %s: %+v", c.Against, c.Regressions)
	}
	// What was accepted and then changed is no baseline.
	if err := os.WriteFile(filepath.Join(root, "c", SummaryFile), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if c := run("e"); c.Against != "a" || !strings.Contains(strings.Join(c.Warnings, " "), "no longer as it was") {
		t.Errorf("e, compared with %s: %v", c.Against, c.Warnings)
	}
	for _, bad := range []string{"nobody", "../x"} {
		if _, err := Accept(Acceptance{Root: root, RunID: bad, Why: "x"}); err == nil {
			t.Errorf("run %q is accepted", bad)
		}
	}
}

// A damaged history is a warning; a run id is used once; other suites are not
// compared with.
func TestHistory(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, IndexFile), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	best, asked := 5., []string{}
	o := Options{Root: root, RunID: "a", Now: time.Now, Size: suite.Sizes["quick"], Host: suite.Host{Device: "cpu", Ranks: 2, Model: "m"}, Measure: fake(&best, &asked), Tell: t.Logf}
	_, c, err := Run(t.Context(), o)
	if err != nil || len(c.Warnings) != 2 || !strings.Contains(c.Warnings[0], "begun anew") {
		t.Fatalf("%v %v", err, c.Warnings)
	}
	if _, _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "used once") {
		t.Errorf("%v", err)
	}
	if _, err := (Index{Runs: []Entry{{RunID: "a"}}}).Add(Entry{RunID: "a"}); err == nil {
		t.Error("a run was entered twice")
	}
	if _, err := Compare(Summary{SuiteName: Name, SuiteVersion: 1}, Summary{SuiteName: Name, SuiteVersion: 2}); err == nil {
		t.Error("two versions were compared")
	}
}

// Every target has a category of the contract and a spec that plans on any host.
func TestTargets(t *testing.T) {
	categories := map[string]bool{}
	for _, target := range All {
		categories[target.Category] = true
		for _, h := range []suite.Host{
			{Device: "cpu", Ranks: 2, Model: "m", Target: `{url: "http://127.0.0.1:8000"}`},
			{Device: "cuda", Accelerators: 1, Ranks: 1, Model: "m", Target: `{url: "http://127.0.0.1:8000"}`},
			{Device: "cuda", Accelerators: 4, Ranks: 4, Multicast: true, Model: "m", Target: `{url: "http://127.0.0.1:8000"}`},
		} {
			source := target.Spec(suite.Sizes["quick"], h)
			doc, faults := spec.Parse(target.Key, source)
			if !spec.Valid(faults) {
				t.Fatalf("%s: %v\n%s", target.Key, faults, source)
			}
			if _, err := plan.New(*doc.Run); err != nil {
				t.Errorf("%s: %v", target.Key, err)
			}
		}
	}
	for _, want := range []string{"gemm", "attention", "decode", "kv_memory", "communication", "end_to_end"} {
		if !categories[want] {
			t.Errorf("no target of category %s", want)
		}
	}
}
