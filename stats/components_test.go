package stats

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// spread4 has mean m, four values and a variance of one.
func spread4(m float64) []float64 {
	d := math.Sqrt(.75)
	return []float64{m - d, m - d, m + d, m + d}
}

// Kalibera and Jones by hand: launch means 10, 12, 14 of four requests with a
// variance of one; a launch costs sixty requests.
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
	if got := cheapest(60, c.Levels[0].Component, c.Levels[1].Component); got != 4 {
		t.Errorf("%d requests a launch, want 4", got)
	}
	advice, err := c.Advise([]float64{1, 60}, 4.968/12+1e-4, .95)
	if err != nil {
		t.Fatal(err)
	}
	if advice.Launches != 3 || advice.Requests != 4 || advice.Cost != 3*64 {
		t.Errorf("advice %+v, want the pilot again: 3 launches of 4 requests, cost 192", advice)
	}
	near("half-width of the advice", advice.HalfWidth*12, 4.968)
	if !strings.Contains(advice.Sentence, "3 launches of 4 requests give ± 41 % (launches hold 79 % of the variance, so more requests in each buy little)") {
		t.Errorf("sentence %q", advice.Sentence)
	}
}

// Three levels by simulation: the components come out as put in.
func TestGroupedComponents(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	groups := make([][][]float64, 400)
	for g := range groups {
		group := 100 + 3*rng.NormFloat64()
		groups[g] = make([][]float64, 5)
		for l := range groups[g] {
			launch := group + 2*rng.NormFloat64()
			for range 10 {
				groups[g][l] = append(groups[g][l], launch+rng.NormFloat64())
			}
		}
	}
	c, err := GroupedComponents(groups, .95)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{1, 4, 9} {
		if got := c.Levels[i].Component; math.Abs(got-want) > .15*want {
			t.Errorf("component of level %d: %.2f, want %v", i, got, want)
		}
	}
	if c.Mean.N != 400 || !c.Mean.Interval.Contains(100) {
		t.Errorf("mean %+v, want 100 from 400 groups", c.Mean)
	}
	advice, err := c.Advise([]float64{1, 50, 500}, .01, .95)
	if err != nil {
		t.Fatal(err)
	}
	// √(50·1/4) = 3.5, √(10·4/9) = 2.1; then t·√(9 + 4/3 + 1/12)/√k ≤ 1.
	if advice.Requests != 4 || advice.Launches < 2 || advice.Launches > 3 || advice.Groups < 38 || advice.Groups > 52 || advice.HalfWidth > .01 {
		t.Errorf("advice %+v, want about 45 groups of 2 or 3 launches of 4 requests", advice)
	}
}

// A level that adds nothing is passed over: what it costs counts as the next one's.
func TestAdvicePassesOver(t *testing.T) {
	c := Components{Mean: Estimate{Value: 100}, Levels: []Level{{Component: 9}, {}, {Component: 1}}}
	advice, err := c.Advise([]float64{1, 16, 84}, .01, .95)
	// √(100·9/1) = 30 requests in one launch, then t·√(1 + 9/30)/√k ≤ 1.
	if err != nil || advice.Requests != 30 || advice.Launches != 1 || advice.Groups < 7 || advice.Groups > 9 {
		t.Errorf("%+v, %v; want about 8 groups of 1 launch of 30 requests", advice, err)
	}
}

// Launches without a spread of their own: the advice is few launches, many requests.
func TestAdviceWithoutLaunchSpread(t *testing.T) {
	c, err := VarianceComponents([][]float64{{9, 11, 10, 10}, {11, 9, 10, 10}, {10, 10, 9, 11}}, .95)
	if err != nil {
		t.Fatal(err)
	}
	if !c.Levels[1].Unexplained || c.ICC != 0 {
		t.Errorf("%+v, want no spread between launches", c)
	}
	advice, err := c.Advise([]float64{1, 60}, .01, .95)
	if err != nil {
		t.Fatal(err)
	}
	// t² · ⅔ / (3 · 0.1²) = 412 requests in each of three launches.
	if advice.Launches != 3 || advice.Requests < 405 || advice.Requests > 420 || advice.HalfWidth > .01 {
		t.Errorf("advice %+v, want 3 launches of about 412 requests", advice)
	}
	for _, bad := range [][]float64{{1}, {1, 0}, {1, 2, 3}} {
		if _, err := c.Advise(bad, .01, .95); err == nil {
			t.Errorf("costs %v were accepted", bad)
		}
	}
	if _, err := VarianceComponents([][]float64{{1, 2}}, .95); err == nil {
		t.Error("one launch was divided into components")
	}
	if _, err := VarianceComponents([][]float64{{1, 2}, {1}}, .95); err == nil {
		t.Error("a launch of one request was divided into components")
	}
}
