package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The tail of a sample that falls exponentially goes on as it should, or a little slower.
func TestTailBeyond(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		sample := make([]float64, 9999)
		for i := range sample {
			sample[i] = 3 + 2*rng.ExpFloat64()
		}
		const p = 1e-7
		if got := tailBeyond(sample, 3-2*math.Log(p)); got < p/3 || got > 30*p {
			t.Errorf("P %g, want about %g, rather more", got, p)
		}
	}
}

// Where alpha is smaller than the arrangements can show, a clear change is found with no more
// of them than elsewhere, and a stable series is not called changed more often than alpha says.
func TestChangePointsBeyond(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	drawn := 0
	o := ChangePointOptions{Alpha: 1e-6, Between: func() error { drawn++; return nil }}
	got, err := ChangePoints(append(noisy(rng, 20, 100, .02), noisy(rng, 20, 110, .02)...), o)
	if err != nil || len(got) != 1 || got[0].At != 20 || got[0].Method != ChangePointTailMethod || got[0].P > o.Alpha || drawn < 9999 || drawn > 9999+200 {
		t.Errorf("found %+v after %d arrangements (%v), want one change at 20", got, drawn, err)
	}
	// Six values cannot be that unlikely, however far apart they are.
	if got, err := ChangePoints([]float64{1, 1.1, .9, 100, 101, 99}, o); err != nil || len(got) > 0 {
		t.Errorf("found %+v among six values (%v), want nothing", got, err)
	}
	const series, alpha = 20_000, 9e-5
	alarms := 0
	for i := range series {
		got, err := ChangePoints(noisy(rng, 25, 100, .02), ChangePointOptions{Alpha: alpha, Seed: int64(i)})
		if err != nil {
			t.Fatal(err)
		}
		alarms += len(got)
	}
	if alarms > 7 { // 1.8 are as many as alpha allows; more than 7 come once in a thousand times then
		t.Errorf("%d false alarms in %d stable series", alarms, series)
	}
}
