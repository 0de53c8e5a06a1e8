package suite

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/analysis/collectives"
	"assay/bundle"
	"assay/metric"
	"assay/plan"
	"assay/report"
	"assay/spec"
	"assay/stats"
)

var everythingHere = map[Need]bool{Accelerator: true, Torch: true, Hosts: true}

// oneGPU has everything but a second accelerator and host.
var oneGPU = Host{Has: map[Need]bool{Accelerator: true, Torch: true}, Device: "cuda", Accelerators: 1, Ranks: 1, Model: "m", Target: `{url: "http://127.0.0.1:8000"}`}

// Every step of every preset is known, has an answer to give, and either a valid
// spec that plans or a reason why there is none.
func TestSteps(t *testing.T) {
	for _, p := range All {
		if got := len(p.Resolve()); got != len(p.Steps) {
			t.Errorf("%s: %d of %d steps are known", p.Name, got, len(p.Steps))
		}
	}
	layer := func(name string) bool {
		return slices.ContainsFunc(Questions, func(q struct{ Layer, Question string }) bool { return q.Layer == name })
	}
	for _, h := range []Host{
		{Has: everythingHere, Device: "cuda", Accelerators: 8, Multicast: true, Python: "/usr/bin/python3", Ranks: 8, Model: "m", Target: `{url: "http://127.0.0.1:8000"}`},
		oneGPU,
		{Device: "cpu", Ranks: 2, Model: "m", Target: `{url: "http://127.0.0.1:8000"}`, Simulated: true},
	} {
		for _, s := range steps {
			if !layer(s.Layer) || s.Question == "" || (s.Fragment == "") == (s.Absent == "") {
				t.Errorf("%s: want a layer, a question, and either a spec or why there is none", s.Name)
			}
			if s.Fragment == "" {
				continue
			}
			for name, size := range Sizes {
				source := s.Spec(size, h)
				doc, faults := spec.Parse(s.Name, source)
				if !spec.Valid(faults) {
					t.Fatalf("%s at size %s: %v\n%s", s.Name, name, faults, source)
				}
				if _, err := plan.New(*doc.Run); err != nil {
					t.Errorf("%s at size %s: %v", s.Name, name, err)
				}
			}
		}
	}
}

// measured is a report that completed.
func measured(launches int) report.Report {
	r := report.Report{Status: bundle.Completed}
	for i := range launches {
		r.Estimates.Launches = append(r.Estimates.Launches, i)
	}
	r.Plan.Run.Spec.SLO = []spec.Objective{{Metric: "ttft"}}
	return r
}

func runOf(t *testing.T, p Preset, h Host, measure Measure) (card Card, dir string, err error) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "s")
	at := time.Unix(1, 0)
	card, err = Run(t.Context(), p, h, Options{Dir: dir, RunID: "s", Measure: measure, Now: func() time.Time { at = at.Add(time.Second); return at }})
	return card, dir, err
}

// A fresh run of everything on a full host is complete: alignment and coverage are
// there before the card that reads them.
func TestComplete(t *testing.T) {
	p, _ := Find("all")
	h := Host{Has: everythingHere, Device: "cuda", Accelerators: 2, Ranks: 8, Model: "m", Target: `{url: "http://127.0.0.1:8000"}`}
	card, dir, err := runOf(t, p, h, func(context.Context, string, []byte, string) (Outcome, error) {
		return Outcome{Report: measured(3)}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !card.Complete || card.Score != 100 || card.Alignment.Overall != "aligned" || card.PassFail != NoGates {
		t.Errorf("complete %v, score %v, %s, %+v", card.Complete, card.Score, card.PassFail, card.Alignment)
	}
	var manifest struct{ Files map[string]string }
	data, err := os.ReadFile(filepath.Join(dir, ManifestFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &manifest); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{LedgerFile, AlignmentFile, CoverageFile, CardFile, TextFile, MarkdownFile, "specs/gemm_sanity.yaml"} {
		if !strings.HasPrefix(manifest.Files[name], "sha256:") {
			t.Errorf("%s is not in the manifest", name)
		}
	}
}

// What stands in for something else covers nothing.
func TestStandIns(t *testing.T) {
	p, _ := Find("all")
	card, _, err := runOf(t, p, Host{Has: map[Need]bool{Torch: true}, Device: "cpu", Ranks: 2, Model: "m", Target: "{}", Simulated: true},
		func(context.Context, string, []byte, string) (Outcome, error) {
			return Outcome{Report: measured(3)}, nil
		})
	if err != nil {
		t.Fatal(err)
	}
	if card.Coverage.Score != 0 || card.Coverage.StandIns != 80 || card.Alignment.Overall != "partial" || card.Complete || card.PassFail != NoGates {
		t.Errorf("%+v %+v complete %v %s", card.Coverage, card.Alignment, card.Complete, card.PassFail)
	}
	if !card.Succeed {
		t.Error("nothing failed, and the suite did not succeed")
	}
	if card.Coverage.Subsystems["gpu_cpu_transfer"] != Missing || card.Coverage.Advanced["fio"] != Covered {
		t.Errorf("%+v", card.Coverage)
	}
}

// A required step that fails ends the suite, with every step in the ledger; another
// one does not.
func TestFailures(t *testing.T) {
	p, _ := Find("micro")
	h := Host{Device: "cpu", Ranks: 2, Model: "m"}
	fails := func(name string) Measure {
		return func(_ context.Context, step string, _ []byte, _ string) (Outcome, error) {
			if step == name {
				return Outcome{}, errors.New("no luck\nand more")
			}
			return Outcome{Report: measured(3)}, nil
		}
	}
	card, _, err := runOf(t, p, h, fails("connectivity_probe"))
	if err == nil || len(card.Rows) != len(p.Steps) {
		t.Fatalf("%v, %d rows", err, len(card.Rows))
	}
	if r := card.Rows[0]; r.Outcome != Failed || r.Reason != "no luck" || *r.ExitCode != 1 {
		t.Errorf("%+v", r)
	}
	if r := card.Rows[1]; r.Outcome != Skipped || !strings.Contains(r.Reason, "connectivity_probe failed") || r.ExitCode != nil {
		t.Errorf("%+v", r)
	}
	card, _, err = runOf(t, p, h, fails("gpu_stream"))
	if err != nil || card.Succeed {
		t.Errorf("%v, succeeded %v", err, card.Succeed)
	}
	if r := card.Rows[3]; r.Outcome != Ran {
		t.Errorf("after a failure: %+v", r)
	}
}

// A run id is used once.
func TestFolderIsNew(t *testing.T) {
	p, _ := Find("end-to-end")
	dir := t.TempDir()
	if _, err := Run(t.Context(), p, Host{}, Options{Dir: dir, Now: time.Now, Smoke: true}); err == nil || !strings.Contains(err.Error(), "used once") {
		t.Errorf("%v", err)
	}
}

// The classifier takes the first rule that fires, and names what it did not see.
func TestClassify(t *testing.T) {
	cv := .2
	serving := measured(3)
	serving.Estimates.Rows = []metric.Row{{Metric: metric.OutputThroughput.ID, Statistic: "value", CV: &cv, Estimate: stats.Estimate{Value: 5}}}
	steady := measured(3)
	steady.Collectives = &collectives.Report{Stability: []collectives.Stability{{CV: .01, SlowTail: 1.5}}}
	rows := []Row{
		{Role: "allreduce_stability", Outcome: Ran, facts: factsOf(steady), StandIn: "the host's processors"},
		{Role: "vllm_concurrency_sweep", Outcome: Ran, facts: factsOf(serving)},
	}
	if got := classify(rows); got.Type != "host-bound" || !strings.Contains(got.Reasons[0], "20 %") {
		t.Errorf("%+v", got)
	}
	if got := classify(rows[:1]); got.Type != "mixed" || got.Confidence != "low" || !strings.Contains(got.Reasons[1], "no step that computes ran") {
		t.Errorf("exchanges alone: %+v, want no conclusion about what limits", got)
	}
	products := Row{Role: "gemm_sanity", Outcome: Ran, facts: factsOf(measured(3))}
	got := classify([]Row{rows[0], products})
	if got.Type != "communication-bound" || !strings.Contains(got.Reasons[0], "1.5 times its median (of the host's processors)") || !slices.Contains(got.Unknown, "spread of throughput") {
		t.Errorf("%+v", got)
	}
	poor := measured(3)
	poor.Collectives = &collectives.Report{
		Rows: []collectives.Row{{Op: "all_gather", Ranks: 2, Bytes: 1 << 20, BusBW: &stats.Estimate{Value: 1e9}}},
		Link: &collectives.Link{Rate: 10e9},
	}
	got = classify([]Row{{Role: "nccl_allreduce", Outcome: Ran, facts: factsOf(poor)}, products})
	if got.Type != "communication-bound" || !strings.Contains(got.Reasons[0], "an all-gather carries 0.1") {
		t.Errorf("%+v", got)
	}
	if got = classify(nil); got.Type != "mixed" || len(got.Unknown) != len(rules)+3 {
		t.Errorf("%+v", got)
	}
}

func TestReadiness(t *testing.T) {
	p, _ := Find("multinode-readiness")
	status := func(f Fleet, name string) string {
		for _, c := range f.Ready(p, Host{Has: everythingHere}) {
			if c.Name == name {
				return c.Status
			}
		}
		return ""
	}
	two := Fleet{Hosts: []string{"a", "b"}}
	for _, tt := range []struct {
		fleet      Fleet
		name, want string
	}{
		{Fleet{}, "labels_explicit", NotApplicable},
		{two, "labels_explicit", Advisory},
		{two, "interface_binding_explicit", Wrong},
		{Fleet{Hosts: two.Hosts, Interface: "eth0"}, "interface_binding_explicit", OK},
		{two, "train_step_has_multinode_enabled", OK},
	} {
		if got := status(tt.fleet, tt.name); got != tt.want {
			t.Errorf("%+v: %s is %s, want %s", tt.fleet, tt.name, got, tt.want)
		}
	}
	for _, bad := range []Fleet{{Hosts: []string{"a", "a"}}, {Hosts: []string{"a", ""}}, {Hosts: []string{"a"}, Labels: []string{"x", "y"}}, {Hosts: []string{"a"}, Labels: []string{"x"}, Primary: "y"}} {
		if bad.Validate() == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}
