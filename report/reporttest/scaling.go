package reporttest

import (
	"math"
	"testing"

	"assay/analysis/scaling"
)

// Scaled is a study whose workers cost more to keep together the more they are.
func Scaled(t testing.TB) scaling.Result {
	t.Helper()
	s := scaling.Study{Kind: scaling.Strong, Quantity: scaling.Time, Unit: "s", Baseline: scaling.OneWorker}
	for _, workers := range []int{1, 2, 4, 8, 16, 32} {
		n := float64(workers)
		took := (1 + .08*(n-1) + 4e-4*n*(n-1)) / n
		p := scaling.Point{Workers: workers}
		for i := range 5 {
			p.Values = append(p.Values, took*(1+.01*math.Sin(n+float64(i))))
		}
		s.Points = append(s.Points, p)
	}
	r, err := scaling.Analyse(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
