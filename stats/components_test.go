package stats

import (
	"math"
	"testing"
)

// spread4 has mean m, four values and a variance of one.
func spread4(m float64) []float64 {
	d := math.Sqrt(.75)
	return []float64{m - d, m - d, m + d, m + d}
}

// Kalibera and Jones by hand: launch means 10, 12, 14 of four requests with a
// variance of one.
func TestVarianceComponentsWorked(t *testing.T) {
	c, err := VarianceComponents([][]float64{spread4(10), spread4(12), spread4(14)}, .95)
	if err != nil {
		t.Fatal(err)
	}
	near := func(name string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 5e-4 {
			t.Errorf("%s %.4f, want %.4f", name, got, want)
		}
	}
	near("S₁²", c.Levels[0].Variance, 1)
	near("S₂²", c.Levels[1].Variance, 4)
	near("T₂²", c.Levels[1].Component, 3.75)
	near("ICC", c.ICC, 3.75/4.75)
	near("mean", c.Mean.Value, 12)
	near("half-width", c.Mean.Interval.Hi-12, 4.968)
}

// Launches without a spread of their own.
func TestComponentsWithoutLaunchSpread(t *testing.T) {
	c, err := VarianceComponents([][]float64{{9, 11, 10, 10}, {11, 9, 10, 10}, {10, 10, 9, 11}}, .95)
	if err != nil {
		t.Fatal(err)
	}
	if !c.Levels[1].Unexplained || c.ICC != 0 {
		t.Errorf("%+v, want no spread between launches", c)
	}
	if _, err := VarianceComponents([][]float64{{1, 2}}, .95); err == nil {
		t.Error("one launch was divided into components")
	}
	if _, err := VarianceComponents([][]float64{{1, 2}, {1}}, .95); err == nil {
		t.Error("a launch of one request was divided into components")
	}
}
