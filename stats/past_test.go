package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// drawRuns is so many runs of k launches that spread by sd, on days that spread by day.
func drawRuns(rng *rand.Rand, runs, k int, sd, day float64) [][]float64 {
	list := make([][]float64, runs)
	for i := range list {
		of := math.Exp(day * rng.NormFloat64())
		for range k {
			list[i] = append(list[i], of*math.Exp(sd*rng.NormFloat64()))
		}
	}
	return list
}

func TestLearnPast(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	p, err := LearnPast(drawRuns(rng, 400, 3, .02, .05))
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(p.Launch.SD-.02) > .001 || p.Launch.DF != 800 || math.Abs(p.RunSD()-.05) > .005 || p.Runs != 400 || p.Launches != 1200 {
		t.Errorf("got %+v, %v from run to run; want 2 %% from launch to launch, of 800 degrees of freedom, and 5 %% from run to run", p, p.RunSD())
	}
	// Runs of unlike spread teach less about the next one.
	unlike := drawRuns(rng, 100, 3, .02, 0)
	for i, run := range unlike {
		factor := math.Exp(1.2 * rng.NormFloat64())
		for k := range run {
			unlike[i][k] = math.Exp(math.Log(run[k]) * factor)
		}
	}
	if p, err = LearnPast(unlike); err != nil || p.Launch.DF > 10 {
		t.Errorf("runs of unlike spread: %+v, %v; want few degrees of freedom", p, err)
	}
	for name, runs := range map[string][][]float64{
		"five runs":            drawRuns(rng, 5, 3, .02, 0),
		"runs of one launch":   drawRuns(rng, 20, 1, .02, 0),
		"a value that is zero": append(drawRuns(rng, 6, 3, .02, 0), []float64{0, 1}),
	} {
		if p, err := LearnPast(runs); err == nil {
			t.Errorf("%s: learnt %+v", name, p)
		}
	}
}

// A launch of ten in another mode is counted, and bounds how many there may be.
func TestPastModes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	runs := drawRuns(rng, 20, 3, .001, 0)
	p, err := LearnPast(runs)
	if err != nil || p.Apart != 0 || p.ModeShare() > .05 {
		t.Errorf("one mode: %+v, up to %v, %v; want 5 %% of launches at most", p, p.ModeShare(), err)
	}
	runs[4][1] *= 2
	if p, err = LearnPast(runs); err != nil || p.Apart != 1 || p.ModeShare() < .05 {
		t.Errorf("a slow launch: %+v, up to %v, %v; want it counted", p, p.ModeShare(), err)
	}
}

// The interval for other days covers the level of the system as often as it says, where that
// of the launches alone does not.
func TestOtherDays(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	const trials = 1000
	for _, tt := range []struct {
		runs, k int
		sd, day float64
	}{{20, 3, .02, .05}, {6, 3, .02, .05}, {20, 10, .02, .03}, {20, 3, .03, 0}, {8, 1, .02, .05}} {
		k, covered, alone := tt.k, 0, 0
		for range trials {
			p, err := LearnPast(drawRuns(rng, tt.runs, max(2, k), tt.sd, tt.day))
			if err != nil {
				t.Fatal(err)
			}
			now := drawRuns(rng, 1, k, tt.sd, tt.day)[0]
			est, err := p.OtherDays(now, .95)
			if err != nil {
				t.Fatal(err)
			}
			if est.Interval.Contains(1) {
				covered++
			}
			if est, err := Mean(now, .95); err == nil && est.Interval.Contains(1) {
				alone++
			}
		}
		share := float64(covered) / trials
		t.Logf("%+v: %.3f, by the launches alone %.3f", tt, share, float64(alone)/trials)
		if share < .93 || tt.day == 0 && share > .99 || tt.day > 0 && tt.k > 1 && float64(alone)/trials > .85 {
			t.Errorf("%+v: covers %v, by the launches alone %v", tt, share, float64(alone)/trials)
		}
	}
}

// Launches that are wilder than those of earlier runs are taken as they are.
func TestWilderLaunches(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	p, err := LearnPast(drawRuns(rng, 20, 3, .005, 0))
	if err != nil {
		t.Fatal(err)
	}
	wild := []float64{.8, 1, 1.3}
	c := p.Compare([]float64{1, 1.001, .999}, wild, false)
	if c.Borrowed {
		t.Errorf("wild launches: %+v; want their own spread", c)
	}
	ratio, err := c.Ratio(.95)
	if err != nil || len(ratio.Warnings) == 0 || ratio.Interval.Hi < 1.3 {
		t.Errorf("wild launches: %+v, %v; want a wide interval and a warning", ratio, err)
	}
	c = p.Compare([]float64{1, 1.001, .999}, []float64{1.002, 1, 1.001}, true)
	if _, err := c.Test(); err != nil || !c.Borrowed {
		t.Errorf("tame launches: %+v, %v; want the spread of earlier runs too", c, err)
	}
	if _, err := p.Compare([]float64{1, 2}, []float64{0, 1}, false).NotWorse(.05, true); err == nil {
		t.Error("a value of zero has no logarithm, and was compared")
	}
}
