package assistant

import (
	"math/rand/v2"
	"testing"

	"assay/analysis/compare"
	"assay/claim"
	"assay/finding"
	"assay/judge"
	"assay/tests/fixture"
	"assay/tests/verdicts"
)

// An assistant repeats what the claims say, whatever was found: no number that a finding
// forbids, no quote that the claims do not have, and nothing at all of a run that is void.
func TestNumbersAreClaimed(t *testing.T) {
	t.Parallel()
	j, err := judge.Open(fixture.Run{}.Write(t, t.TempDir()), judge.Options{Version: version, Derive: true})
	must(t, err)
	s := &Server{}
	r := rand.New(rand.NewPCG(20261119, 3))
	quotes, withheld, void := 0, 0, 0
	for i := range 500 {
		list := verdicts.Findings(r, j.Plan.Points[0].Name)
		if i%20 == 0 { // chance hardly ever forbids all of a run
			list = append(list, finding.Finding{Check: "all", Severity: finding.Void, Message: "see here"})
		}
		verdicts.Found(j, list, false)
		v, err := s.verdict(t.Context(), j)
		must(t, err)
		out := reportOf(j, v, reportAsk{Most: 400})
		if forbidden := len(j.Claims.Forbidden()) > 0; forbidden != (len(v.Void) > 0) || forbidden && (v.Quotable || len(out.Numbers) > 0) {
			t.Fatalf("void %v, %d numbers, quotable %v; the claims forbid %v", v.Void, len(out.Numbers), v.Quotable, j.Claims.Forbidden())
		} else if forbidden {
			void++
			continue
		}
		got := map[[4]string]bool{} // whether it may be quoted
		for _, n := range out.Numbers {
			got[[4]string{n.Metric, n.Statistic, n.Point, n.Side}] = n.Quote != ""
		}
		if v.Quotable != (len(j.Claims.Claims) > 0) {
			t.Fatalf("quotable %v with %d claims", v.Quotable, len(j.Claims.Claims))
		}
		for _, row := range j.Estimates.Rows {
			result := claim.OfRow(row, j.Plan)
			_, has := got[[4]string{row.Metric, row.Statistic, result.Point, row.Side}]
			switch forbidden := verdicts.Forbidden(list, result); {
			case forbidden && has:
				t.Fatalf("it repeats %s %s; the findings are %+v", row.Statistic, row.Metric, list)
			case forbidden:
				withheld++
			}
		}
		for _, quoted := range got {
			if quoted {
				quotes++
			}
		}
	}
	if quotes < 10 || withheld < 10 || void < 10 {
		t.Errorf("%d quotes, %d numbers withheld, %d void runs: the judgements do not try it", quotes, withheld, void)
	}
}

// A comparison may be repeated where it is controlled and says something of what was declared; of
// what a finding forbids, or nobody knows yet, there is nothing to repeat.
func TestQuotableComparisons(t *testing.T) {
	t.Parallel()
	row := func(v compare.Verdict, primary bool) compare.Row { return compare.Row{Verdict: v, Primary: primary} }
	for name, tt := range map[string]struct {
		c    compare.Comparison
		want bool
	}{
		"worse":                          {compare.Comparison{Controlled: true, Rows: []compare.Row{row(compare.Worse, true), row(compare.Inconclusive, true)}}, true},
		"worse, and another row void":    {compare.Comparison{Controlled: true, Rows: []compare.Row{row(compare.Worse, true), row(compare.Void, false)}}, true},
		"a declared row is void":         {compare.Comparison{Controlled: true, Rows: []compare.Row{row(compare.Equivalent, true), row(compare.Void, true)}}, false},
		"all rows are void":              {compare.Comparison{Controlled: true, Rows: []compare.Row{row(compare.Void, true)}}, false},
		"nothing is known yet":           {compare.Comparison{Controlled: true, Rows: []compare.Row{row(compare.Inconclusive, true), row(compare.Worse, false)}}, false},
		"more differs than was declared": {compare.Comparison{Rows: []compare.Row{row(compare.Worse, true)}}, false},
	} {
		if got := quotable(tt.c); got != tt.want {
			t.Errorf("%s: quotable %v, want %v", name, got, tt.want)
		}
	}
}
