package compare

import (
	"strings"
	"testing"

	"assay/analysis/scene"
)

// onHosts are launches at a speed, on the hosts of sets in turn; slow is what each set
// does to every launch there.
func onHosts(own float64, slow []float64, sets ...int) []scene.Launch {
	hosts := [][]string{{"a", "b"}, {"c", "d"}}
	jitter := []float64{1, 1.004, 0.997, 1.002, 0.999, 1.003}
	var list []scene.Launch
	for round := range 3 {
		for i, set := range sets {
			list = append(list, scene.Launch{Slow: own * slow[set-1] * jitter[(round*2+i)%6], Set: set, Nodes: hosts[set-1]})
		}
	}
	return list
}

func sideOn(t *testing.T, name string, launches []scene.Launch) Side {
	t.Helper()
	return open(t, scene.Run{ID: name, Document: strings.ReplaceAll(document, "NAME", name), Launches: launches}, "")
}

// warned reports whether some warning holds text.
func warned(c Comparison, text string) bool {
	return strings.Contains(strings.Join(c.Warnings, "\n"), text)
}

// A slow set of hosts passes for a slow side where each side has hosts of its own, and
// does not where both were on both. A true difference is found inside sets, however
// much those differ.
func TestSetsOfHosts(t *testing.T) {
	slow := []float64{1, 1.5}
	one := func(a, b Side) (Comparison, Row) {
		t.Helper()
		r, err := Compare(a, []Side{b}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range r.Comparisons[0].Rows {
			if row.Metric == "e2e.v1" && row.Statistic == "mean" {
				return r.Comparisons[0], row
			}
		}
		t.Fatalf("no e2e among %d rows", len(r.Comparisons[0].Rows))
		return Comparison{}, Row{}
	}
	fooled, row := one(sideOn(t, "a", onHosts(1, slow, 1)), sideOn(t, "b", onHosts(1, slow, 2)))
	if row.Verdict != Worse || fooled.Paired || !warned(fooled, "neither on the hosts of the other") {
		t.Errorf("equal sides on hosts of their own: %s, paired %t, warnings %q; want worse, and a warning why", row.Verdict, fooled.Paired, fooled.Warnings)
	}
	swapped, row := one(sideOn(t, "a", onHosts(1, slow, 1, 2)), sideOn(t, "b", onHosts(1, slow, 2, 1)))
	if row.Verdict != Equivalent || swapped.PairedBy != BySet || len(row.Sets) != 2 {
		t.Fatalf("equal sides on both sets: %s, paired by %q, sets %+v", row.Verdict, swapped.PairedBy, row.Sets)
	}
	if got := *row.Sets[1].Level / *row.Sets[0].Level; got < 1.45 || got > 1.55 {
		t.Errorf("the second set is %.3f times as slow, want 1.5", got)
	}
	_, row = one(sideOn(t, "a", onHosts(1, slow, 1, 2)), sideOn(t, "b", onHosts(1.1, slow, 2, 1)))
	if row.Verdict != Worse || row.Ratio.Value < 1.09 || row.Ratio.Value > 1.11 {
		t.Errorf("a side that is a tenth slower: %s, ratio %+v", row.Verdict, row.Ratio)
	}
	half, row := one(sideOn(t, "a", onHosts(1, slow, 1, 2)), sideOn(t, "b", onHosts(1, slow, 2)))
	if row.values.Least() != 3 || !warned(half, "hosts a, b have completed launches of a and none of b: they are left out of pairs") {
		t.Errorf("%d pairs, warnings %q", row.values.Least(), half.Warnings)
	}
}
