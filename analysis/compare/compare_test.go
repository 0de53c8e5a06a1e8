package compare

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/analysis/scene"
	"assay/bundle"
	"assay/metric"
	"assay/plan"
	"assay/record"
)

const document = `
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: NAME}
spec:
  workload: {model: m, precision: bf16}
  target:
    url: http://127.0.0.1:8101
    server: {command: [engine, --version, "1"]}
  load: {concurrency: [1], duration: 1s}
`

// side builds a bundle and opens its only side.
func side(t *testing.T, name string, slow []float64, replace ...string) Side {
	t.Helper()
	return open(t, scene.Run{ID: name, Document: strings.NewReplacer(append(replace, "NAME", name)...).Replace(document), Launches: scene.Launches(slow)}, "")
}

// open builds a bundle and opens the side called name.
func open(t *testing.T, r scene.Run, name string) Side {
	t.Helper()
	b, estimates := build(t, r)
	s, err := Open(b, estimates, name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func build(t *testing.T, r scene.Run) (*bundle.Bundle, metric.Estimates) {
	t.Helper()
	r.Dir = filepath.Join(t.TempDir(), r.ID)
	b, err := r.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	data, err := b.ReadFile(bundle.PlanFile)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	estimates, _, err := metric.JudgeWatched(b, p, "test", metric.Watcher{})
	if err != nil {
		t.Fatal(err)
	}
	return b, estimates
}

func compareTwo(t *testing.T, a, b Side, o Options) (Report, Comparison) {
	t.Helper()
	r, err := Compare(a, []Side{b}, o)
	if err != nil {
		t.Fatal(err)
	}
	return r, r.Comparisons[0]
}

func row(t *testing.T, c Comparison, key string) Row {
	t.Helper()
	i := slices.IndexFunc(c.Rows, func(r Row) bool { return Key(r.Metric, r.Statistic, r.Point) == key })
	if i < 0 {
		t.Fatalf("no row %s", key)
	}
	return c.Rows[i]
}

const (
	ttft       = "ttft.v2 p50 at concurrency=1"
	throughput = "output_throughput.v1 at concurrency=1"
)

// TestThreePercent tells two engines apart that differ by three per cent, given
// enough launches that each repeat to one per cent; with too few it says so, and
// two equal engines are shown equivalent.
func TestThreePercent(t *testing.T) {
	for _, tt := range []struct {
		launches               int
		slower, faster, equals Verdict
	}{
		{3, Inconclusive, Inconclusive, Inconclusive},
		{10, Worse, Better, Equivalent},
	} {
		base := side(t, "base", scene.Noise(tt.launches, 1, .01, 4))
		slow := side(t, "slow", scene.Noise(tt.launches, 1.03, .01, 5), `"1"`, `"2"`)
		equal := side(t, "equal", scene.Noise(tt.launches, 1, .01, 5), `"1"`, `"3"`)
		for _, pair := range []struct {
			a, b Side
			want Verdict
		}{{base, slow, tt.slower}, {slow, base, tt.faster}, {base, equal, tt.equals}} {
			name := fmt.Sprintf("%s beside %s, %d launches", pair.b.Label, pair.a.Label, tt.launches)
			pair.a.Bundle = nil // no distributions: reading them takes as long as the rest
			_, c := compareTwo(t, pair.a, pair.b, Options{})
			if !c.Controlled || c.Variable != "runtime_version" {
				t.Errorf("%s: controlled %v by %q because of %v, want runtime_version", name, c.Controlled, c.Variable, c.Others)
			}
			for _, key := range []string{ttft, throughput} {
				got := row(t, c, key)
				if got.Verdict != pair.want || !got.Primary || got.P.Correction != HolmCorrection {
					t.Errorf("%s: %s: %s (primary %v, ratio %v, p %+v), want %s", name, key, got.Verdict, got.Primary, got.Ratio, got.P, pair.want)
				}
				if pair.want == Inconclusive != strings.Contains(got.Settle, "more launch") {
					t.Errorf("%s: %s: settle %q for %s", name, key, got.Settle, got.Verdict)
				}
			}
		}
	}
}

// TestMargin tells a difference that does not matter as equivalence, and takes the
// margin that the candidate's plan declares.
func TestMargin(t *testing.T) {
	base := side(t, "base", scene.Noise(6, 1, .005, 4))
	slow := side(t, "slow", scene.Noise(6, 1.03, .005, 5))
	for _, tt := range []struct {
		declared, asked, margin float64
		want                    Verdict
	}{{0, 0, DefaultMargin, Worse}, {.06, 0, .06, Equivalent}, {.06, .01, .01, Worse}} {
		slow.Plan.Run.Spec.Comparison.Margin = tt.declared
		r, c := compareTwo(t, base, slow, Options{Margin: tt.asked})
		if got := row(t, c, ttft); r.Margin != tt.margin || got.Verdict != tt.want || got.Differs != (tt.want == Equivalent) {
			t.Errorf("declared %v, asked %v: margin %v, %s, differs %v; want %v, %s", tt.declared, tt.asked, r.Margin, got.Verdict, got.Differs, tt.margin, tt.want)
		}
	}
}

// TestTwoThings refuses to call a pair controlled that differs in two things and
// names both.
func TestTwoThings(t *testing.T) {
	a := side(t, "a", scene.Noise(3, 1, .01, 1))
	b := side(t, "b", scene.Noise(3, 1, .01, 2), `"1"`, `"2"`, "bf16", "fp8", "concurrency: [1]", "concurrency: [1, 2]")
	_, c := compareTwo(t, a, b, Options{})
	want := []string{"spec.load.concurrency", "spec.workload.precision"}
	var got []string
	for _, change := range c.Others {
		got = append(got, change.Path)
	}
	if c.Controlled || !slices.Equal(got, want) {
		t.Errorf("controlled %v, others %v, want %v", c.Controlled, got, want)
	}
	if !slices.Contains(c.Missing, Missing{What: "point concurrency=2", Side: "a"}) {
		t.Errorf("missing %v, want the point that only b has", c.Missing)
	}
}

// TestPaired compares the sides of one run block by block: what a block does to
// both cancels.
func TestPaired(t *testing.T) {
	var launches []scene.Launch
	for block, slow := range scene.Noise(6, 1, .2, 3) { // the machine wanders by 20 %
		launches = append(launches,
			scene.Launch{Side: "baseline", Block: block, Slow: slow},
			scene.Launch{Side: "new", Block: block, Slow: slow * 1.03 * scene.Noise(1, 1, .002, uint64(block+9))[0]})
	}
	launches = append(launches, scene.Launch{Side: "new", Block: 6})
	r := scene.Run{
		ID: "both", Launches: launches,
		Document: strings.Replace(document, "  load:", "  candidates: [{name: new, target: {url: 'http://127.0.0.1:8102', server: {command: [engine, --version, '2']}}}]\n  load:", 1),
	}
	both, estimates := build(t, r)
	a, err := Open(both, estimates, "baseline")
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(both, estimates, "new")
	if err != nil {
		t.Fatal(err)
	}
	_, c := compareTwo(t, a, b, Options{})
	if got := row(t, c, ttft); !c.Paired || got.Verdict != Worse || math.Abs(got.Ratio.Value-1.03) > .005 || got.Ratio.N != 6 {
		t.Errorf("paired %v, verdict %s, ratio %+v, want worse by 3 %% over 6 blocks", c.Paired, got.Verdict, got.Ratio)
	}
	if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "block 6") {
		t.Errorf("warnings %q, want the block that has one side only", c.Warnings)
	}
	if d := c.Distributions; len(d) == 0 || len(d[0].Distances) != 6 {
		t.Errorf("distributions %+v, want distances of 6 blocks", d)
	}
}

// TestShares judges error rates, which are zero in most launches.
func TestShares(t *testing.T) {
	failing := func(name string, failed int) Side {
		r := scene.Run{ID: name, Document: strings.Replace(document, "NAME", name, 1)}
		for range 3 {
			r.Launches = append(r.Launches, scene.Launch{Requests: 400 - failed, Failed: failed})
		}
		return open(t, r, "")
	}
	const errors = "error_rate.v1 at concurrency=1"
	_, c := compareTwo(t, failing("a", 0), failing("b", 0), Options{})
	if got := row(t, c, errors); got.Verdict != Equivalent || got.Difference.Interval.Hi <= 0 {
		t.Errorf("no errors on both sides: %s, difference %+v; want equivalent, with an interval that is not empty", got.Verdict, got.Difference)
	}
	_, c = compareTwo(t, failing("a", 1), failing("b", 40), Options{})
	if got := row(t, c, errors); got.Verdict != Worse {
		t.Errorf("0.25 %% and 10 %% errors: %s (p %+v, %+v), want worse", got.Verdict, got.P, got.Difference)
	}
}

// TestRefuses names what it cannot judge.
func TestRefuses(t *testing.T) {
	died := scene.Run{ID: "b", Document: strings.Replace(document, "NAME", "b", 1), Launches: []scene.Launch{{Slow: 1.2}, {Died: true}}}
	_, c := compareTwo(t, side(t, "a", []float64{1, 1.01, .99}), open(t, died, ""), Options{})
	if !slices.Contains(c.Warnings, "b: launch 2 is left out: failed: the server ended by itself") {
		t.Errorf("warnings %q, want the launch that died", c.Warnings)
	}
	if got := row(t, c, ttft); got.Verdict != Inconclusive || !strings.Contains(got.Settle, "2 more launches each") {
		t.Errorf("one launch: %s, %q", got.Verdict, got.Settle)
	}
	_, c = compareTwo(t, side(t, "a", scene.Noise(4, 1, .01, 1)), side(t, "b", scene.Noise(4, 2, .01, 2)), Options{})
	if got := row(t, c, "ttft.v2 p99 at concurrency=1"); got.Verdict != Inconclusive || !strings.Contains(strings.Join(got.Warnings, " "), "too few requests") {
		t.Errorf("p99 of 40 requests: %s %q, want too few", got.Verdict, got.Warnings)
	}
	if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "all launches of a ran before those of b") {
		t.Errorf("warnings %q, want that the sides were not interleaved", c.Warnings)
	}
	if got := row(t, c, ttft); math.Abs(*got.Ranks-2.0/70) > 1e-12 {
		t.Errorf("rank test of four beside four, all larger: %v, want 2/70", *got.Ranks)
	}
	if got := row(t, c, ttft); got.Verdict != Worse || *got.Cliff != 1 || got.Effect != "large" {
		t.Errorf("twice as slow: %s, Cliff %v %s", got.Verdict, *got.Cliff, got.Effect)
	}
	if !slices.ContainsFunc(c.Missing, func(m Missing) bool { return strings.HasPrefix(m.What, "primary metric cost_per_token_usd") }) {
		t.Errorf("missing %v, want the declared metric that nothing computes", c.Missing)
	}
}

func TestSame(t *testing.T) {
	env := record.Environment{"os.id": {Value: "debian"}}
	a := side(t, "a", []float64{1, 1, 1})
	b := side(t, "b", []float64{1, 1, 1})
	a.Manifest.Environment, b.Manifest.Environment = env, env
	_, c := compareTwo(t, a, b, Options{})
	if !c.Controlled || c.Variable != "" {
		t.Errorf("the same: controlled %v, variable %q", c.Controlled, c.Variable)
	}
	if got := row(t, c, ttft); got.Verdict != Equivalent || got.P != nil {
		t.Errorf("values that never vary: %s, p %v", got.Verdict, got.P)
	}
}

func TestEngines(t *testing.T) {
	a := side(t, "a", scene.Noise(4, 1, .002, 1))
	b := side(t, "b", scene.Noise(4, 1.2, .002, 2))
	c := side(t, "c", scene.Noise(4, 1, .002, 3))
	r, err := Compare(a, []Side{b, c}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	table := r.Engines[0]
	at := slices.Index(table.Columns, "TTFT p50")
	if len(r.Engines) != 1 || len(table.Rows) != 3 || at < 0 {
		t.Fatalf("engines %+v", r.Engines)
	}
	for i, want := range []Verdict{"", Worse, Equivalent} {
		if got := table.Rows[i].Cells[at].Verdict; got != want {
			t.Errorf("%s: TTFT p50 %q, want %q", table.Rows[i].Label, got, want)
		}
	}
	if slices.Contains(table.Columns, "GPU memory") {
		t.Error("a column that no engine has is shown")
	}
	if r, err = Compare(a, []Side{b}, Options{}); err != nil || len(r.Engines) != 1 || len(r.Engines[0].Rows) != 2 {
		t.Errorf("two sides: %+v, %v", r.Engines, err)
	}
}
