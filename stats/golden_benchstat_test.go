package stats

import (
	"math"
	"testing"
)

// benchstat's own published example (golang.org/x/perf/cmd/benchstat, 2017): it
// compared arithmetic means and tested with Mann–Whitney. Its prose gives the second
// change as −0.93 %; the values that it prints make it −1.10 %.
func TestGoldenBenchstat(t *testing.T) {
	for _, tt := range []struct {
		name     string
		old, new []float64
		delta, p float64
	}{
		{"GobEncode", []float64{13552735, 13553943, 13606356, 13683198}, []float64{11773189, 11942588, 11786159, 11628583, 11815924}, -13.31, .016},
		{"JSONEncode", []float64{32395067, 32334214, 31992891, 31735022}, []float64{32036529, 32156552, 31288355, 31559706, 31765634}, -1.10, .286},
	} {
		test, err := MannWhitney(tt.old, tt.new)
		if err != nil {
			t.Fatal(err)
		}
		asPrinted(t, tt.name+" p", test.P, tt.p, 1e-3)
		asPrinted(t, tt.name+" delta", 100*(meanOf(tt.new)/meanOf(tt.old)-1), tt.delta, .01)
	}
	// Since 2022 it compares medians and wants six values for an interval at 95 %.
	if n := MinSamples(.5, .95); n != 6 {
		t.Errorf("a median's interval needs %d values, benchstat says 6", n)
	}
}

// What golang.org/x/perf/benchmath v0.0.0-20260908200009-22c9c6c9d4da, the library
// under benchstat, answers for 1…n: the interval of the median at 95 % and what it
// covers. It takes the first ranks that cover enough, ours leave at most 2.5 % on
// either side: where its ranks lie evenly both agree, elsewhere ours hold its own.
func TestGoldenBenchstatMedians(t *testing.T) {
	for _, tt := range []struct {
		n              int
		lo, hi, covers float64
		even           bool
	}{
		{1, math.Inf(-1), math.Inf(1), 1, true}, {4, math.Inf(-1), math.Inf(1), 1, true}, {5, math.Inf(-1), 5, .96875, false},
		{6, 1, 6, .96875, true}, {7, 1, 7, .984375, true}, {8, 1, 7, .9609375, false}, {9, 2, 8, .9609375, true}, {10, 2, 9, .978515625, true},
		{12, 3, 10, .96142578125, true}, {15, 4, 12, .96484375, true}, {20, 6, 15, .9586105346679688, true}, {25, 8, 18, .9567147493362438, true},
		{30, 10, 21, .9572260547429379, true}, {100, 40, 60, .9534190196211817, false},
	} {
		est, err := Quantile(sequence(tt.n), .5, .95)
		if err != nil {
			t.Fatal(err)
		}
		if tt.even && (est.Interval != Interval{tt.lo, tt.hi} || math.Abs(est.Confidence-tt.covers) > 1e-12) {
			t.Errorf("median of %d: %v covers %v, benchstat has [%v, %v] and %v", tt.n, est.Interval, est.Confidence, tt.lo, tt.hi, tt.covers)
		}
		if est.Interval.Lo > tt.lo || est.Interval.Hi < tt.hi {
			t.Errorf("median of %d: %v does not hold benchstat's [%v, %v]", tt.n, est.Interval, tt.lo, tt.hi)
		}
		if warned := len(est.Warnings) > 0; warned != (tt.n < 6) {
			t.Errorf("median of %d: warnings %v; benchstat warns below 6", tt.n, est.Warnings)
		}
	}
}

// The same library's P, exact with ties.
func TestGoldenBenchstatP(t *testing.T) {
	for _, tt := range []struct {
		a, b []float64
		p    float64
	}{
		{[]float64{5, 11, 1}, []float64{9, 7, 4}, 1},
		{[]float64{1, 4, 2, 6}, []float64{12, 8, 13, 3}, .11428571428571431},
		{[]float64{4, 3, 5, 11, 8}, []float64{4, 13, 12, 2, 6}, .7380952380952381},
		{[]float64{3, 7, 6, 1, 11, 9}, []float64{3, 6, 9, 10, 11, 6}, .6277056277056277},
		{[]float64{9, 9, 1, 10, 1, 10, 7, 9}, []float64{7, 4, 10, 7, 1, 4, 11, 7}, .6498834498834499},
		{[]float64{9, 4, 8, 7, 11, 9, 10, 5, 11, 7}, []float64{7, 11, 10, 13, 0, 10, 4, 8, 2, 0}, .5626014852021044},
		{[]float64{2, 3, 1, 4, 3, 1, 5, 5, 11, 2, 6, 0, 0, 1, 9, 3, 11, 10, 6, 6}, []float64{2, 4, 7, 12, 1, 3, 3, 13, 12, 10, 5, 11, 13, 2, 3, 3, 10, 1, 12, 7}, .09611226033337465},
	} {
		test, err := MannWhitney(tt.a, tt.b)
		if err != nil || !test.Exact || math.Abs(test.P-tt.p) > 1e-12 {
			t.Errorf("%v v %v: %+v, %v; want p %v", tt.a, tt.b, test, err, tt.p)
		}
		// It says "need >= 4 samples to detect a difference at alpha level 0.05".
		if warned := len(test.Warnings) > 0; warned != (len(tt.a) < 4) {
			t.Errorf("%d a side: warnings %v", len(tt.a), test.Warnings)
		}
	}
}
