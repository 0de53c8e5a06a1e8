package gate

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/analysis/compare"
	"assay/metric"
)

func TestModesFloor(t *testing.T) {
	f := func(a, b int, want float64) {
		t.Helper()
		if got := modesFloor(a, b); math.Abs(got-want) > 1e-12 {
			t.Errorf("modesFloor(%d, %d) = %v, want %v", a, b, got, want)
		}
	}
	f(3, 3, 1./64)
	f(5, 5, 1./1024)
	f(1, 3, 27./256)
	if got := launchesForFamily(10, .05); got != 4 {
		t.Errorf("ten metrics take %d launches, want 4", got)
	}
	if got := launchesForFamily(3, .05); got != 3 {
		t.Errorf("three metrics take %d launches, want 3", got)
	}
}

// TestTwoModes holds a system that comes up in one of two modes against itself, in
// ten metrics that choose theirs independently: at most five of a hundred gates may
// alarm. Without the floor 15 of 100 did with three launches.
func TestTwoModes(t *testing.T) {
	const gates = 2000
	for _, k := range []int{3, 4, 5} {
		rng := rand.New(rand.NewPCG(1, uint64(k)))
		draw := func() []float64 {
			list := make([]float64, k)
			for i := range list {
				list[i] = math.Exp(.002 * rng.NormFloat64())
				if rng.Float64() < .5 {
					list[i] *= 1.2
				}
			}
			return list
		}
		alarms := 0
		for range gates {
			questions := make([]Question, 10)
			for i := range questions {
				questions[i] = Question{Values: compare.Values{A: draw(), B: draw()}, Better: metric.Lower, Margin: .05}
			}
			for _, d := range Decide(questions, levels) {
				if d.Verdict == Regressed {
					alarms++
					break
				}
			}
		}
		if rate := float64(alarms) / gates; rate > .05+2*math.Sqrt(.05*.95/gates) {
			t.Errorf("%d launches each: %.1f %% of gates alarm about a system and itself, want at most 5 %%", k, 100*rate)
		}
	}
}

// TestTooFewLaunches says what keeps a clear difference in three launches from
// being an alarm among ten metrics, and what it takes.
func TestTooFewLaunches(t *testing.T) {
	clear := Question{Values: compare.Values{A: noise(3, 1, .001, 1), B: noise(3, 1.2, .001, 2)}, Better: metric.Lower, Margin: .05}
	still := Question{Values: compare.Values{A: []float64{1, 1, 1}, B: []float64{2, 2, 2}}, Better: metric.Lower, Margin: .05}
	for name, q := range map[string]Question{"clear": clear, "never varies": still} {
		if got := Decide([]Question{q}, levels)[0]; got.Verdict != Regressed {
			t.Errorf("%s, alone: %s because %s", name, got.Verdict, got.Reason)
		}
		family := []Question{q}
		for i := range uint64(9) {
			family = append(family, Question{Values: compare.Values{A: noise(3, 1, .001, 50+i), B: noise(3, 1, .001, 70+i)}, Better: metric.Lower, Margin: .05})
		}
		if got := Decide(family, levels)[0]; got.Verdict != Inconclusive || !strings.Contains(got.Reason, "chance alone does this in 1 of 64; it takes 4 each") {
			t.Errorf("%s, among ten: %s because %s", name, got.Verdict, got.Reason)
		}
	}
}
