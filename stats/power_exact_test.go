package stats

import (
	"math"
	"testing"
)

// Without parity's Python these hold too.
func TestNoncentralTSymmetry(t *testing.T) {
	for _, df := range []float64{1, 2.5, 10, 500} {
		for _, x := range []float64{-3, 0, .7, 4} {
			if got, want := NoncentralTCDF(x, df, 0), 1-tTail(x, df); math.Abs(got-want) > 1e-12 {
				t.Errorf("df %v: central at %v: %v, want %v", df, x, got, want)
			}
			if sum := NoncentralTCDF(x, df, 1.3) + NoncentralTCDF(-x, df, -1.3); math.Abs(sum-1) > 1e-12 {
				t.Errorf("df %v: the two sides of %v add up to %v", df, x, sum)
			}
		}
	}
	// At zero it is the normal distribution, whatever the degrees of freedom.
	if got, want := NoncentralTCDF(0, 7, 1.5), math.Erfc(1.5/math.Sqrt2)/2; math.Abs(got-want) > 1e-14 {
		t.Errorf("at zero %v, want %v", got, want)
	}
}

// The number of launches is the first with the power, the detectable effect the one
// at which the power is met, and the closed form near it.
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
			exact := DetectableEffect(cv, k, .05, .8)
			if got := Power(cv, exact, k, .05); math.Abs(got-.8) > 1e-9 {
				t.Errorf("cv %v, k %d: power %v at the detectable effect", cv, k, got)
			}
			if closed := math.Expm1(MinimumDetectableEffect(cv, k, .05, .8)); math.Abs(closed/exact-1) > .05 {
				t.Errorf("cv %v, k %d: closed form %v, exact %v", cv, k, closed, exact)
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

// Plans are made for Student's test, and Welch's needs one launch more at most.
func TestPlansHoldForWelch(t *testing.T) {
	for _, cv := range []float64{.005, .01, .03, .05} {
		for _, effect := range []float64{.02, .05, .1} {
			for _, power := range []float64{.8, .95} {
				if k, ok := LaunchesNeeded(cv, effect, .05, power); !ok || WelchPower(cv, effect, k+1, .05) < power {
					t.Errorf("cv %v, effect %v, power %v: %d launches and one more are too few for Welch", cv, effect, power, k)
				}
				if k, ok := LaunchesForEquivalence(cv, effect, .05, power); !ok || WelchEquivalencePower(cv, 0, effect, k+1, .05) < power {
					t.Errorf("cv %v, margin %v, power %v: %d launches and one more are too few for Welch", cv, effect, power, k)
				}
			}
		}
	}
	if got := WelchPower(.03, .05, 1, .05) + WelchEquivalencePower(.03, 0, .05, 1, .05); got != 0 {
		t.Errorf("one launch shows something: %v", got)
	}
	if WelchPower(0, .05, 3, .05) != 1 || WelchEquivalencePower(0, 0, .05, 3, .05) != 1 {
		t.Error("without noise a difference, or none, is certain to be shown")
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
	if Power(.03, .1, 1, .05) != 0 || !math.IsInf(DetectableEffect(.03, 1, .05, .8), 1) || EquivalencePower(.03, 0, .03, 1, .05) != 0 {
		t.Error("one launch shows something")
	}
	if got := Power(.03, 0, 5, .05); math.Abs(got-.05) > 1e-12 {
		t.Errorf("power without an effect %v, want the level", got)
	}
	if EquivalencePower(0, .01, .03, 3, .05) != 1 || EquivalencePower(0, .05, .03, 3, .05) != 0 {
		t.Error("without noise equivalence is certain or impossible")
	}
	for _, got := range []float64{Power(.03, .1, 5, 1.5), DetectableEffect(.03, 5, -1, .8), EquivalencePower(.03, 0, .03, 5, .6), WelchPower(.03, .1, 5, 0), WelchEquivalencePower(.03, 0, .03, 5, .6)} {
		if !math.IsNaN(got) {
			t.Errorf("a level that is none gives %v, want NaN", got)
		}
	}
	// Outside the margin the test must not say equivalent more often than its level.
	if got := EquivalencePower(.01, .03, .03, 10, .05); math.Abs(got-.05) > 1e-6 {
		t.Errorf("at the margin %v, want .05", got)
	}
}
