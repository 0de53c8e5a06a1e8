package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// bestPartition tries every set of changes, by the plain recursion that PELT
// saves the work of, and returns the least cost.
func bestPartition(xs []float64, opts PELTOptions) float64 {
	n := len(xs)
	cost := newSegmentCost(xs, opts.Floor)
	best := make([]float64, n+1)
	for t := 1; t <= n; t++ {
		best[t] = math.Inf(1)
		for s := 0; s+opts.Shortest <= t; s++ {
			if s == 0 || s >= opts.Shortest {
				before := best[s]
				if s == 0 {
					before = -opts.Penalty
				}
				best[t] = min(best[t], before+cost.of(s, t)+opts.Penalty)
			}
		}
	}
	return best[n]
}

func partitionCost(xs []float64, changes []int, opts PELTOptions) float64 {
	cost, sum, from := newSegmentCost(xs, opts.Floor), 0.0, 0
	for _, to := range append(slices.Clone(changes), len(xs)) {
		sum += cost.of(from, to)
		from = to
	}
	return sum + float64(len(changes))*opts.Penalty
}

// Pruning must lose nothing: the cost found is that of the best partition.
func TestPELTIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	found := 0
	for trial := range 300 {
		n := 10 + rng.IntN(90)
		xs := make([]float64, n)
		level, spread := 0.0, 1.0
		for i := range xs {
			if rng.Float64() < .05 {
				level, spread = 4*rng.NormFloat64(), .2+2*rng.Float64()
			}
			xs[i] = level + spread*rng.NormFloat64()
		}
		opts := PELTOptions{Penalty: 1 + 12*rng.Float64(), Shortest: 1 + rng.IntN(5), Floor: .01}
		changes, err := PELT(xs, opts)
		if err != nil {
			t.Fatal(err)
		}
		found += len(changes)
		if got, want := partitionCost(xs, changes, opts), bestPartition(xs, opts); !nearly(got, want, 1e-6) {
			t.Fatalf("series %d of %d values, %+v: cost %.9f, the best is %.9f", trial, n, opts, got, want)
		}
		for i, at := range append(changes, n) {
			before := 0
			if i > 0 {
				before = changes[i-1]
			}
			if at-before < opts.Shortest {
				t.Fatalf("series %d: changes %v leave a segment shorter than %d", trial, changes, opts.Shortest)
			}
		}
	}
	if found < 300 {
		t.Errorf("%d changes in all: the series do not try the search", found)
	}
}

func TestPELT(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 7))
	xs := make([]float64, 120)
	for i := range xs {
		xs[i] = rng.NormFloat64()
		if i >= 40 {
			xs[i] += 6
		}
		if i >= 80 {
			xs[i] = 6 + 8*(xs[i]-6) // only the spread changes here
		}
	}
	changes, err := PELT(xs, PELTOptions{})
	if err != nil || len(changes) != 2 || changes[0] != 40 || max(changes[1]-80, 80-changes[1]) > 3 {
		t.Errorf("changes %v, %v; want 40 and about 80", changes, err)
	}
	if changes, err = PELT(xs[:40], PELTOptions{}); err != nil || len(changes) > 0 {
		t.Errorf("noise has changes %v, %v", changes, err)
	}
	if changes, err = PELT(make([]float64, 50), PELTOptions{}); err != nil || len(changes) > 0 {
		t.Errorf("a constant has changes %v, %v", changes, err)
	}
	if _, err = PELT(xs, PELTOptions{Penalty: -1}); err == nil {
		t.Error("a negative penalty was taken")
	}
}
