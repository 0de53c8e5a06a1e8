package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// How often rules raise an alarm, in per cent, from a simulation made elsewhere with
// 20,000 trials a cell: log latencies of k launches a side are normal with
// deviation cv, the candidate shifted by ln(1+effect).
var gateTable = []struct {
	cv                             float64
	k                              int
	effect                         float64
	mwu, welch, both, bound, equal float64
}{
	{.03, 3, 0, 0.0, 3.6, 1.6, 0.3, 2.0},
	{.03, 5, 0, 3.2, 4.4, 1.9, 0.1, 5.5},
	{.03, 10, 0, 4.4, 4.9, 1.3, 0.0, 36.6},
	{.03, 3, .05, 0.0, 25.3, 25.1, 13.2, 0.3},
	{.03, 5, .05, 49.7, 59.2, 58.7, 23.0, 0.2},
	{.03, 10, .05, 90.5, 92.9, 90.8, 38.7, 0.1},
	{.03, 3, .1, 0.0, 72.4, 72.4, 64.5, 0.0},
	{.03, 5, .1, 96.8, 98.9, 98.9, 92.7, 0.0},
	{.03, 10, .1, 100, 100, 100, 99.9, 0.0},
	{.01, 3, 0, 0.0, 3.5, 0.0, 0.0, 73.5},
	{.01, 5, 0, 3.4, 4.8, 0.0, 0.0, 98.7},
	{.01, 10, 0, 4.4, 4.9, 0.0, 0.0, 100},
	{.01, 3, .05, 0.0, 96.4, 95.8, 54.5, 0.0},
	{.01, 5, .05, 100, 100, 99.9, 85.6, 0.0},
	{.01, 10, .05, 100, 100, 100, 99.3, 0.0},
	{.01, 3, .1, 0.0, 100, 100, 100, 0.0},
}

// The tests of this package must raise as many alarms as that. The tolerance is
// 1.5 points, by which a repetition of the original may differ, and three standard
// errors of the smaller number of trials here.
func TestGateTable(t *testing.T) {
	const trials = 1000
	rng := rand.New(rand.NewPCG(13, 14))
	for _, tt := range gateTable {
		var mwu, welch, both, bound, equal int
		a, b := make([]float64, tt.k), make([]float64, tt.k)
		for trial := range trials {
			for i := range a {
				a[i] = 100 * math.Exp(tt.cv*rng.NormFloat64())
				b[i] = 100 * (1 + tt.effect) * math.Exp(tt.cv*rng.NormFloat64())
			}
			ranks, err := MannWhitney(a, b)
			means, err2 := WelchLog(a, b)
			ratio, err3 := RatioOfMeans(a, b, .9)
			if err != nil || err2 != nil || err3 != nil {
				t.Fatal(err, err2, err3)
			}
			within := ratio.Interval.Lo > 1/1.03 && ratio.Interval.Hi < 1.03
			mwu += oneIf(ranks.P <= .05)
			welch += oneIf(means.P <= .05)
			both += oneIf(means.P <= .05 && ratio.Value > 1.03)
			bound += oneIf(ratio.Interval.Lo > 1.03)
			equal += oneIf(within)
			if trial%20 == 0 { // the two tests say what the interval says
				tost, err := Equivalent(a, b, .03, .05)
				worse, err2 := NonInferior(a, b, .03, true)
				if err != nil || err2 != nil || tost.P <= .05 != within || worse.P <= .05 != (ratio.Interval.Hi < 1.03) {
					t.Fatalf("interval %v, equivalent p %v, not worse p %v: they disagree", ratio.Interval, tost.P, worse.P)
				}
			}
		}
		f := func(rule string, alarms int, want float64) {
			t.Helper()
			share := want / 100
			tolerance := 1.5 + 300*math.Sqrt(share*(1-share)/trials)
			if got := 100 * float64(alarms) / trials; math.Abs(got-want) > tolerance {
				t.Errorf("cv %v, k %d, effect %v: %s %.1f %%, want %.1f ± %.1f", tt.cv, tt.k, tt.effect, rule, got, want, tolerance)
			}
		}
		f("Mann–Whitney", mwu, tt.mwu)
		f("Welch", welch, tt.welch)
		f("Welch and 3 %", both, tt.both)
		f("bound", bound, tt.bound)
		f("equivalent", equal, tt.equal)
	}
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}
