package verdicts

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/analysis/compare"
	"assay/analysis/gate"
	"assay/claim"
	"assay/metric"
	"assay/spec"
	"assay/tests/fixture"
)

// TestDeclaredTolerance declares tolerances, each in a policy or in the flag of
// a comparison: it is the one that is judged by, whatever the plans of both sides declare.
func TestDeclaredTolerance(t *testing.T) {
	dir := t.TempDir()
	baseline := openRun(t, fixture.Run{ID: "baseline"}.Write(t, dir))
	candidate := openRun(t, fixture.Run{ID: "candidate", Seed: 7, Baseline: fixture.System{Slow: 1.2}}.Write(t, dir))
	r := rand.New(rand.NewPCG(20261119, 2))
	seen := map[string]int{}
	for range 24 {
		margin := float64(1+r.IntN(400)) / 1000
		policyHolds(t, baseline, candidate, margin, seen)
		flagHolds(t, baseline, candidate, margin, seen)
		if t.Failed() {
			t.Fatalf("with a tolerance of %g", margin)
		}
	}
	t.Logf("%v", seen)
	for _, kind := range []string{"gate: not worse", "gate: regressed", "compare: equivalent", "compare: worse"} {
		if seen[kind] == 0 {
			t.Errorf("no tolerance led to %q: the judgements do not try it", kind)
		}
	}
}

func policyHolds(t *testing.T, baseline, candidate *run, margin float64, seen map[string]int) {
	t.Helper()
	text := strings.Replace(fmt.Sprintf(policyText, metric.TTFT.ID, "p50"), "margin: 0.25", fmt.Sprintf("margin: %g", margin), 1)
	doc, faults := spec.Parse("policy.yaml", []byte(text))
	if !spec.Valid(faults) {
		t.Fatal(faults)
	}
	policy, _ := spec.ResolvePolicy(*doc.Policy)
	result, err := gate.Judge(gate.Input{
		Policy: policy, Baseline: baseline.side, Candidate: candidate.side,
		Grade: func(compare.Side) (string, []string) { return string(claim.Realism), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range result.Metrics {
		seen["gate: "+string(d.Verdict)]++
		switch {
		case d.Margin != margin:
			t.Errorf("%s is judged by a margin of %g", d.Key, d.Margin)
		case d.Ratio == nil:
		case d.Verdict == gate.Regressed && d.Ratio.Value <= 1+margin, d.Verdict == gate.NotWorse && d.Ratio.Value > 1+margin:
			t.Errorf("%s is %g times the baseline, and %s", d.Key, d.Ratio.Value, d.Verdict)
		}
	}
}

func flagHolds(t *testing.T, baseline, candidate *run, margin float64, seen map[string]int) {
	t.Helper()
	report, err := compare.Compare(baseline.side, []compare.Side{candidate.side}, compare.Options{Margin: margin})
	if err != nil {
		t.Fatal(err)
	}
	if report.Margin != margin {
		t.Errorf("the comparison is made by a margin of %g", report.Margin)
	}
	for _, row := range report.Comparisons[0].Rows {
		seen["compare: "+string(row.Verdict)]++
		if row.Ratio == nil {
			continue
		}
		away := max(row.Ratio.Value, 1/row.Ratio.Value) - 1
		if row.Verdict == compare.Equivalent && away > margin {
			t.Errorf("%s %s is %g times the baseline, and %s", row.Statistic, row.Name, row.Ratio.Value, row.Verdict)
		}
	}
}
