package stats

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
)

// Exact ranks and coverage of the order-statistic interval at 95 %.
func TestQuantileRanks(t *testing.T) {
	f := func(q float64, n, wantLo, wantHi int, wantCoverage float64) {
		t.Helper()
		lo, hi := quantileRanks(n, q, 0.95)
		if lo != wantLo || hi != wantHi {
			t.Errorf("quantileRanks(%d, %v) = [%d, %d], want [%d, %d]", n, q, lo, hi, wantLo, wantHi)
		}
		if got := coverage(n, q, lo, hi); math.Abs(got-wantCoverage) > 5e-5 {
			t.Errorf("coverage(%d, %v) = %.4f, want %.4f", n, q, got, wantCoverage)
		}
	}
	f(0.5, 6, 1, 6, .9688)
	f(0.5, 9, 2, 8, .9609)
	f(0.5, 10, 2, 9, .9785)
	f(0.5, 30, 10, 21, .9572)
	f(0.5, 100, 40, 61, .9648)
	f(0.5, 1000, 469, 532, .9537)
	f(0.9, 36, 29, 36, .9540)
	f(0.9, 1000, 881, 919, .9549)
	f(0.95, 72, 64, 72, .9655)
	f(0.95, 500, 465, 485, .9605)
	f(0.99, 368, 360, 368, .9624)
	f(0.99, 1000, 983, 997, .9761)
	f(0.99, 10000, 9880, 9920, .9558)
	f(0.999, 3688, 3680, 3688, .9616)
	f(0.999, 10000, 9983, 9997, .9755)
}

func TestMinSamples(t *testing.T) {
	f := func(q, confidence float64, want int) {
		t.Helper()
		got := MinSamples(q, confidence)
		if got != want {
			t.Errorf("MinSamples(%v, %v) = %d, want %d", q, confidence, got, want)
		}
		lo, hi := quantileRanks(got, q, confidence)
		if lo < 1 || hi > got {
			t.Errorf("n = %d does not bound q = %v: ranks [%d, %d]", got, q, lo, hi)
		}
		lo, hi = quantileRanks(got-1, q, confidence)
		if lo >= 1 && hi <= got-1 {
			t.Errorf("n = %d already bounds q = %v", got-1, q)
		}
	}
	f(.5, .90, 5)
	f(.9, .90, 29)
	f(.95, .90, 59)
	f(.99, .90, 299)
	f(.999, .90, 2995)
	f(.5, .95, 6)
	f(.9, .95, 36)
	f(.95, .95, 72)
	f(.99, .95, 368)
	f(.999, .95, 3688)
	f(.5, .99, 8)
	f(.9, .99, 51)
	f(.99, .99, 528)
	f(.999, .99, 5296)
}

func TestQuantile(t *testing.T) {
	tests := []struct {
		name     string
		n        int
		q        float64
		want     float64
		bounded  bool
		warnings int
	}{
		{"median of 101", 101, 0.50, 51, true, 0},
		{"p99 of 100 has no upper bound", 100, 0.99, 99, false, 1},
		{"p90 of 10 is rank 9", 10, 0.90, 9, false, 1},
		{"7 % of 100 is rank 7 in spite of rounding", 100, 0.07, 7, true, 0},
		{"one value", 1, 0.5, 1, false, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Quantile(sequence(tt.n), tt.q, 0.95)
			if err != nil {
				t.Fatal(err)
			}
			if got.Value != tt.want || got.Interval.Bounded() != tt.bounded || len(got.Warnings) != tt.warnings {
				t.Errorf("got %+v, want value %v, bounded %v, %d warnings", got, tt.want, tt.bounded, tt.warnings)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	if _, err := Quantile(nil, 0.5, 0.95); err == nil {
		t.Error("a quantile of nothing was estimated")
	}
	if _, err := Quantile([]float64{1}, 1, 0.95); err == nil {
		t.Error("quantile 1 was accepted")
	}
	if _, err := Mean(nil, 0.95); err == nil {
		t.Error("a mean of nothing was estimated")
	}
	if _, err := Mean([]float64{1}, 1); err == nil {
		t.Error("confidence 1 was accepted")
	}
}

// The interval must cover the true quantile as often as it says it does.
func TestQuantileCoverage(t *testing.T) {
	const trials = 2000
	rng := rand.New(rand.NewPCG(1, 2)) // seeded: a failure repeats
	covered := 0
	for range trials {
		xs := make([]float64, 200)
		for i := range xs {
			xs[i] = rng.ExpFloat64()
		}
		est, err := Quantile(xs, 0.9, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if truth := -math.Log(1 - 0.9); est.Interval.Contains(truth) {
			covered++
		}
	}
	if got := float64(covered) / trials; got < 0.94 {
		t.Errorf("coverage = %.3f, want at least 0.94", got)
	}
}

// Launch-level intervals cover 95 %; intervals that pool the requests of the
// launches do not. The simulation repeats the published 60 % case.
func TestMeanCoverageOfLaunches(t *testing.T) {
	const trials, launches, requests = 2000, 5, 1000
	const betweenSD, withinSD = 0.02, 0.30
	rng := rand.New(rand.NewPCG(3, 4))
	byLaunch, pooled := 0, 0
	for range trials {
		means := make([]float64, launches)
		for i := range means {
			// The mean of the requests of one launch, drawn directly.
			means[i] = 1 + rng.NormFloat64()*betweenSD + rng.NormFloat64()*withinSD/math.Sqrt(requests)
		}
		est, err := Mean(means, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if est.Interval.Contains(1) {
			byLaunch++
		}
		half := 1.96 * math.Sqrt((betweenSD*betweenSD+withinSD*withinSD)/(launches*requests))
		if math.Abs(est.Value-1) <= half {
			pooled++
		}
	}
	if got := float64(byLaunch) / trials; got < 0.935 || got > 0.965 {
		t.Errorf("launch-level coverage = %.3f, want about 0.95", got)
	}
	if got := float64(pooled) / trials; math.Abs(got-0.60) > 0.04 {
		t.Errorf("pooled coverage = %.3f, want about 0.60: the simulation is off", got)
	}
}

func TestTAndPower(t *testing.T) {
	f := func(name string, got, want, tolerance float64) {
		t.Helper()
		if math.Abs(got-want) > tolerance {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	f("t(.975, 1)", TQuantile(.975, 1), 12.706, .001)
	f("t(.975, 4)", TQuantile(.975, 4), 2.776, .001)
	f("t(.975, 18)", TQuantile(.975, 18), 2.101, .001)
	f("half-width k=3", HalfWidth(1, 3, .95), 2.484, .001)
	f("half-width k=10", HalfWidth(1, 10, .95), .715, .001)
	f("MDE 1 %, k=3", MinimumDetectableEffect(.01, 3, .05, .8), .030, .0005)
	f("MDE 3 %, k=5", MinimumDetectableEffect(.03, 5, .05, .8), .061, .0005)
	f("MDE 5 %, k=20", MinimumDetectableEffect(.05, 20, .05, .8), .045, .0005)
	f("CV", CV([]float64{9, 10, 11}), .1, 1e-12)
	if !math.IsInf(MinimumDetectableEffect(.01, 1, .05, .8), 1) || !math.IsInf(HalfWidth(.01, 1, .95), 1) {
		t.Error("one launch detects something")
	}
	if !math.IsNaN(CV([]float64{1})) || !math.IsNaN(CV([]float64{-1, 1})) {
		t.Error("CV of one value or of a zero mean is a number")
	}
}

func TestIntervalJSON(t *testing.T) {
	f := func(want Interval, wantJSON string) {
		t.Helper()
		b, err := json.Marshal(want)
		if err != nil || string(b) != wantJSON {
			t.Errorf("wrote %s, %v; want %s", b, err, wantJSON)
		}
		var got Interval
		if err := json.Unmarshal(b, &got); err != nil || got != want {
			t.Errorf("read back %v, %v; want %v", got, err, want)
		}
	}
	f(Interval{1, 2.5}, "[1,2.5]")
	f(Unbounded, "[null,null]")
	f(Interval{math.Inf(-1), 3}, "[null,3]")
	var i Interval
	if err := json.Unmarshal([]byte("[1]"), &i); err == nil {
		t.Error("one end was read as an interval")
	}
}

func sequence(n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = float64(i + 1)
	}
	return xs
}
