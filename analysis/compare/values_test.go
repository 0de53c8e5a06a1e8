package compare

import "testing"

// The candidate's document names the test of a difference.
func TestDeclaredTest(t *testing.T) {
	slow, fast := []float64{1, 1.01, .99, 1.02, .98, 1}, []float64{1.3, 1.31, 1.29, 1.32, 1.28, 1.3}
	a := side(t, "a", slow)
	for test, method := range map[string]string{
		"": "welch-t/log", "t_test": "welch-t/log", "rank_test": "mann-whitney/exact", "permutation_test": "permutation/exact",
	} {
		declared := "  load:"
		if test != "" {
			declared = "  comparison: {test: " + test + "}\n  load:"
		}
		values := values(t, a, side(t, "b"+test, fast, "  load:", declared))
		got, err := values.Test()
		if err != nil || got.Method != method || got.P > .05 {
			t.Errorf("%q: %+v, %v; want %s to see the difference", test, got, err, method)
		}
		values.Paired = true
		paired, err := values.Test()
		if want := map[string]string{"": "paired-t/log", "t_test": "paired-t/log", "rank_test": "wilcoxon-signed-rank/exact", "permutation_test": "permutation-in-blocks/exact"}[test]; err != nil || paired.Method != want || paired.P > .05 {
			t.Errorf("%q of pairs: %+v, %v; want %s", test, paired, err, want)
		}
	}
}

// values are what the launches of both sides gave as median TTFT.
func values(t *testing.T, a, b Side) Values {
	t.Helper()
	x, ok := a.Estimates.Find("ttft.v2", "p50", 0)
	y, ok2 := b.Estimates.Find("ttft.v2", "p50", 0)
	if !ok || !ok2 {
		t.Fatal("no TTFT")
	}
	return Match(a, b, x, y)
}
