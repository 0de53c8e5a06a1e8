package compare

import (
	"slices"
	"strings"
	"testing"
)

// A ratio that contradicts the means beside it, or that may be anything, is not given.
func TestWildRatio(t *testing.T) {
	f := func(given bool, a, b []float64) {
		t.Helper()
		row := &Row{values: Values{A: a, B: b}}
		if err := row.measure(.95); err != nil {
			t.Fatal(err)
		}
		warned := slices.ContainsFunc(row.Warnings, func(w string) bool { return strings.Contains(w, "no ratio is given") })
		if (row.Ratio != nil) != given || (row.Shift != nil) != given || warned == given || row.Difference == nil {
			t.Errorf("%v and %v: ratio %+v, warnings %v; want a ratio: %v", a, b, row.Ratio, row.Warnings, given)
		}
	}
	f(false, []float64{.9e-3, .95e-3, .96e-3}, []float64{4e-3, 1e-4, 7e-5}) // jitter: the mean grows, the geometric mean falls
	f(false, []float64{1, 2, 3}, []float64{1, 50, 1000})
	f(true, []float64{1, 1.1, 1.2}, []float64{1.3, 1.4, 1.5})
	f(true, []float64{1, 1.1, 1.2}, []float64{1.2, 1.1, 1})
}
