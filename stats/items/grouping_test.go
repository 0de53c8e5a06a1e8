package items

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// grouped draws items in groups of ten: those of a touched group all change the same way
// where they hang together, and alone where they do not.
func grouped(rng *rand.Rand, groups int, together bool) []Pair {
	const flips, touched = .06, 1. / 3
	var pairs []Pair
	for g := range groups {
		chance, down := flips, rng.IntN(2) == 0
		if together {
			chance = 0
			if rng.Float64() < touched {
				chance = flips / touched
			}
		}
		for range 10 {
			one := Pair{Group: fmt.Sprintf("passage-%d", g), A: []float64{1}, B: []float64{1}}
			if rng.Float64() < chance {
				if !together {
					down = rng.IntN(2) == 0
				}
				one.A[0], one.B[0] = 0, 1
				if down {
					one.A[0], one.B[0] = 1, 0
				}
			}
			pairs = append(pairs, one)
		}
	}
	return pairs
}

// Groups that change together are clusters though nobody said so; independent ones are
// taken for them as often as the level says.
func TestGroupsAreFound(t *testing.T) {
	const trials = 200
	for _, tt := range []struct {
		together    bool
		least, most int
	}{{true, 190, 200}, {false, 20, 60}} {
		rng := rand.New(rand.NewPCG(3, 4))
		taken := 0
		for range trials {
			d, err := Compare(grouped(rng, 60, tt.together))
			if err != nil || d.Grouped == nil || d.Grouped.Groups != 60 {
				t.Fatalf("%+v, %v", d.Grouped, err)
			}
			if d.Grouped.Taken {
				taken++
			}
			if d.Grouped.Taken != (d.Clusters == 60) {
				t.Fatalf("%d clusters with %+v", d.Clusters, d.Grouped)
			}
		}
		if taken < tt.least || taken > tt.most {
			t.Errorf("together %v: taken %d times of %d, want %d to %d", tt.together, taken, trials, tt.least, tt.most)
		}
	}
}

// What is no group, and what is labelled, is left alone.
func TestNoGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for name, change := range map[string]func(i int, p *Pair){
		"one stem for all":  func(_ int, p *Pair) { p.Group = "q" },
		"no separator":      func(_ int, p *Pair) { p.Group = "" },
		"each of its own":   func(i int, p *Pair) { p.Group = fmt.Sprint(i) },
		"labelled":          func(i int, p *Pair) { p.Cluster = fmt.Sprint(i / 5) },
		"a few large tasks": func(i int, p *Pair) { p.Group = fmt.Sprint(i % 4) },
	} {
		pairs := grouped(rng, 30, true)
		for i := range pairs {
			change(i, &pairs[i])
		}
		if d, err := Compare(pairs); err != nil || d.Grouped != nil {
			t.Errorf("%s: %+v, %v", name, d.Grouped, err)
		}
	}
}
