package stats

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A series as one sees it who looks after every value: what is seen stays, and what comes later
// is held against it.
func TestLevelSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	of := func(parts ...float64) (xs []float64) { // pairs of how many and which level
		for i := 0; i < len(parts); i += 2 {
			xs = append(xs, noisy(rng, int(parts[i]), parts[i+1], .005)...)
		}
		return xs
	}
	outlier := of(7, 100, 1, 130, 12, 100)
	late := append(slices.Clone(outlier), of(3, 106)...)
	f := func(name string, xs []float64, want ...LevelStep) {
		t.Helper()
		got := LevelSteps(xs, 1e-4)
		if len(got) != len(want) {
			t.Fatalf("%s: %+v, want %d steps", name, got, len(want))
		}
		for i, s := range got {
			if w := want[i]; s.At != w.At || s.Over != w.Over || s.Kind != w.Kind || s.Seen > w.Seen || s.P > 1e-4 {
				t.Errorf("%s: %+v, want %+v", name, s, w)
			}
		}
		for n := range len(xs) { // whoever looked earlier has seen the same
			early := LevelSteps(xs[:n], 1e-4)
			for i, s := range early {
				s.Over = got[i].Over
				if s != got[i] {
					t.Errorf("%s: after %d values it was %+v, in the end it is %+v", name, n, s, got[i])
				}
			}
		}
	}
	f("stable", of(40, 100))
	f("a step", of(7, 100, 12, 108), LevelStep{At: 7, Seen: 9, Kind: PlainStep})
	f("a step after long", of(60, 100, 6, 104), LevelStep{At: 60, Seen: 62, Kind: PlainStep})
	f("two steps", of(8, 100, 2, 108, 4, 125), LevelStep{At: 8, Seen: 10, Kind: PlainStep}, LevelStep{At: 10, Seen: 12, Kind: PlainStep})
	f("and back", of(8, 100, 4, 108, 6, 100), LevelStep{At: 8, Seen: 10, Kind: PlainStep, Over: 15}, LevelStep{At: 12, Seen: 14, Kind: PlainStep})
	f("two modes", of(8, 100, 6, 108, 6, 100, 6, 108),
		LevelStep{At: 8, Seen: 10, Kind: PlainStep, Over: 17}, LevelStep{At: 14, Seen: 16, Kind: PlainStep, Over: 23}, LevelStep{At: 20, Seen: 22, Kind: SwitchStep})
	f("an outlier", outlier)
	f("a step after an outlier", late, LevelStep{At: 20, Seen: 22, Kind: PlainStep})
	f("equal values", make([]float64, 20))
	f("equal values and others", append(make([]float64, 8), 1, 1, 1), LevelStep{At: 8, Seen: 10, Kind: PlainStep})
	if got := LevelOutliers(outlier); !slices.Equal(got, []int{7}) {
		t.Errorf("outliers %v, want the value in place 7", got)
	}
	drifts := 0
	for range 40 {
		xs := noisy(rng, 60, 100, .005)
		for i := range xs {
			xs[i] += .15 * float64(i)
		}
		if got := LevelSteps(xs, 1e-4); len(got) > 0 && got[0].Kind == DriftStep {
			drifts++
		}
	}
	if drifts < 25 {
		t.Errorf("%d of 40 drifts are named as such", drifts)
	}
}

// Stable series raise at most one false alarm in 1,000 looks: as few as were aimed at.
func TestLevelStepsFalseAlarms(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const series, length = 400, 60
	alarms := 0
	for range series {
		alarms += len(LevelSteps(noisy(rng, length, 100, .02), 1e-4))
	}
	if rate := 1000 * float64(alarms) / (series * length); rate > 1 {
		t.Errorf("%d alarms, %.2f in 1,000 looks", alarms, rate)
	}
}
