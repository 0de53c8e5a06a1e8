package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestEnergyDistance(t *testing.T) {
	f := func(xs, ys []float64, want float64) {
		t.Helper()
		if got := EnergyDistance(xs, ys); !nearly(got, want, 1e-12) {
			t.Errorf("EnergyDistance(%v, %v) = %v, want %v", xs, ys, got, want)
		}
	}
	f([]float64{1, 2, 3}, []float64{7, 8, 9}, 14)
	f([]float64{0, 0}, []float64{1, 1}, 2)
}

// The sums that grow by a row are those of the definition, over every place and
// every end of the right side.
func TestSplitSegment(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for range 50 {
		xs := autoregressive(rng, 8+rng.IntN(30), .5)
		shortest := 2 + rng.IntN(3)
		wantAt, want := -1, math.Inf(-1)
		for k := 2 * shortest; k <= len(xs); k++ {
			for at := shortest; at+shortest <= k; at++ {
				if v := EnergyDistance(xs[:at], xs[at:k]); v > want+1e-12 {
					wantAt, want = at, v
				}
			}
		}
		if at, got := splitSegment(xs, shortest); at != wantAt || !nearly(got, want, 1e-9) {
			t.Fatalf("split at %d with %v, want %d with %v", at, got, wantAt, want)
		}
	}
}

func TestChangePoints(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 3))
	noise := func(n int) []float64 { return autoregressive(rng, n, 0) }
	at := func(xs []float64) (places []int) {
		t.Helper()
		found, err := ChangePoints(xs, ChangeOptions{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		again, _ := ChangePoints(xs, ChangeOptions{Seed: 1})
		for i, c := range found {
			places = append(places, c.At)
			if again[i] != c {
				t.Errorf("the same seed found %+v and %+v", c, again[i])
			}
		}
		return places
	}
	// A bump: with the end of the right side fixed, its two edges would hide each
	// other.
	xs := noise(90)
	for i := 40; i < 50; i++ {
		xs[i] += 5
	}
	if got := at(xs); len(got) != 2 || max(got[0]-40, 40-got[0]) > 1 || max(got[1]-50, 50-got[1]) > 1 {
		t.Errorf("a bump at 40…50 has changes %v", got)
	}
	xs = noise(60)
	xs[30] += 40
	if got := at(xs); len(got) > 0 {
		t.Errorf("a single spike has changes %v", got)
	}
	alarms := 0
	for range 60 {
		if found, _ := ChangePoints(noise(40), ChangeOptions{Seed: 2, Permutations: 99}); len(found) > 0 {
			alarms++
		}
	}
	if alarms > 8 { // 3 expected; P(> 8) is .004
		t.Errorf("%d of 60 series without a change have one", alarms)
	}
	if _, err := ChangePoints(xs, ChangeOptions{Shortest: 1}); err == nil {
		t.Error("segments of one value were taken")
	}
	if found, err := ChangePoints(nil, ChangeOptions{}); err != nil || len(found) > 0 {
		t.Errorf("nothing: %v, %v", found, err)
	}
}
