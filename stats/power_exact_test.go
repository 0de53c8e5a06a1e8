package stats

import (
	"math"
	"testing"
)

// The number of launches is the first with the power, and the closed form of the
// detectable effect has nearly that power.
func TestPlanning(t *testing.T) {
	for _, cv := range []float64{.01, .03, .1} {
		for _, effect := range []float64{.02, .05, -.1} {
			k, ok := LaunchesNeeded(cv, effect, .05, .8)
			if !ok || Power(cv, effect, k, .05) < .8 || k > 2 && Power(cv, effect, k-1, .05) >= .8 {
				t.Errorf("cv %v, effect %v: %d launches, %v", cv, effect, k, ok)
			}
			n, ok := PairsNeeded(cv, effect, .05, .8)
			if !ok || n > 2*k || PairedPower(cv, effect, n, .05) < .8 {
				t.Errorf("cv %v, effect %v: %d pairs, %v", cv, effect, n, ok)
			}
		}
		for _, k := range []int{3, 5, 10, 20} {
			closed := math.Expm1(MinimumDetectableEffect(cv, k, .05, .8))
			if got := Power(cv, closed, k, .05); math.Abs(got-.8) > .05 {
				t.Errorf("cv %v, k %d: power %v at the detectable effect", cv, k, got)
			}
		}
		k, ok := LaunchesForEquivalence(cv, .05, .05, .8)
		if !ok || EquivalencePower(cv, 0, .05, k, .05) < .8 || k > 2 && EquivalencePower(cv, 0, .05, k-1, .05) >= .8 {
			t.Errorf("cv %v: %d launches for equivalence, %v", cv, k, ok)
		}
		n, ok := PairsForEquivalence(cv, .05, .05, .8)
		if !ok || PairedEquivalencePower(cv, 0, .05, n, .05) < .8 {
			t.Errorf("cv %v: %d pairs for equivalence, %v", cv, n, ok)
		}
	}
}

func TestPlanningLimits(t *testing.T) {
	if _, ok := LaunchesNeeded(.1, 1e-6, .05, .8); ok {
		t.Error("a millionth was found worth launching for")
	}
	if _, ok := LaunchesNeeded(.1, 0, .05, .8); ok {
		t.Error("no effect can be shown")
	}
	if k, ok := LaunchesNeeded(0, .01, .05, .8); !ok || k != 2 {
		t.Errorf("without noise %d launches, %v; want 2", k, ok)
	}
	if Power(.03, .1, 1, .05) != 0 || EquivalencePower(.03, 0, .03, 1, .05) != 0 {
		t.Error("one launch shows something")
	}
	if got := Power(.03, 0, 5, .05); math.Abs(got-.05) > 1e-12 {
		t.Errorf("power without an effect %v, want the level", got)
	}
	if EquivalencePower(0, .01, .03, 3, .05) != 1 || EquivalencePower(0, .05, .03, 3, .05) != 0 {
		t.Error("without noise equivalence is certain or impossible")
	}
	for _, got := range []float64{Power(.03, .1, 5, 1.5), EquivalencePower(.03, 0, .03, 5, .6)} {
		if !math.IsNaN(got) {
			t.Errorf("a level that is none gives %v, want NaN", got)
		}
	}
	// Outside the margin the test must not say equivalent more often than its level.
	if got := EquivalencePower(.01, .03, .03, 10, .05); math.Abs(got-.05) > 1e-6 {
		t.Errorf("at the margin %v, want .05", got)
	}
}
