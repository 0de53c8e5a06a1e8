package scaling

import (
	"math"
	"strings"
	"testing"

	"assay/finding"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within {
		t.Errorf("%s = %.6g, want %.6g", what, got, want)
	}
}

// Published step times and the table that follows from them.
func TestStepTimes(t *testing.T) {
	var s = Study{Kind: Strong, Quantity: Time, Unit: "s", Baseline: OneWorker, Prices: &Prices{WorkerHour: .02 * 3600}}
	for k, v := range map[int]float64{1: 10, 2: 7.69, 4: 5, 8: 3.85} {
		s.Points = append(s.Points, Point{Workers: k, Values: []float64{v, v, v}})
	}
	r, err := Analyse(s)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct{ speedup, efficiency, cost float64 }{{1, 1, .2}, {1.30, .65, .3076}, {2, .5, .4}, {2.6, .32, .616}}
	for i, w := range want {
		near(t, "speed-up", r.Rows[i].Speedup.Value, w.speedup, .005)
		near(t, "efficiency", r.Rows[i].Efficiency.Value, w.efficiency, .0051)
		near(t, "cost", *r.Rows[i].Cost, w.cost, 5e-5)
	}
	if *r.Bend != 2 || r.Fastest != 8 || *r.Cheapest != 1 {
		t.Errorf("bend %d, fastest %d, cheapest %d; want 2, 8, 1", *r.Bend, r.Fastest, *r.Cheapest)
	}
}

// The throughput form: 100 to 650 samples a second on eight workers is 81.25 %.
func TestThroughputForm(t *testing.T) {
	r, err := Analyse(Study{Kind: Strong, Quantity: Throughput, Baseline: OneWorker, Points: []Point{
		{Workers: 1, Values: []float64{100, 100, 100}}, {Workers: 8, Values: []float64{650, 650, 650}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "efficiency", r.Rows[1].Efficiency.Value, .8125, 1e-12)
}

// The synthetic model of the contract: T = f + (1−f)/K + 0.010·log2(K+1) bends at
// eight workers. Its exact efficiencies divide by the model's own T(1) of 1.01.
func TestSyntheticModel(t *testing.T) {
	const f = .04
	efficiency := map[int]float64{1: 1, 2: .9424, 4: .8327, 8: .6586, 16: .4481, 32: .2621, 64: .1370}
	var s = Study{Kind: Strong, Quantity: Time, Baseline: OneWorker}
	for k := range efficiency {
		v := f + (1-f)/float64(k) + .01*math.Log2(float64(k)+1)
		s.Points = append(s.Points, Point{Workers: k, Values: []float64{v, v, v}})
	}
	r, err := Analyse(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Rows {
		near(t, "efficiency", row.Efficiency.Value, efficiency[row.Workers], 5e-5)
	}
	if r.Bend == nil || *r.Bend != 8 {
		t.Errorf("bend %v, want 8", r.Bend)
	}
}

func TestLaws(t *testing.T) {
	for _, tt := range []struct {
		k                 int
		serial            float64
		amdahl, gustafson float64
	}{
		{8, .5, 1.78, 4.5}, {8, .1, 4.71, 7.3}, {8, .02, 7.02, 7.86},
		{64, .5, 1.97, 32.5}, {64, .1, 8.77, 57.7}, {64, .02, 28.32, 62.74},
		{1024, .5, 2, 512.5}, {1024, .1, 9.91, 921.7}, {1024, .02, 47.72, 1003.54},
	} {
		near(t, "Amdahl", amdahl(tt.serial, float64(tt.k)), tt.amdahl, .0051)
		near(t, "Gustafson", gustafson(tt.serial, float64(tt.k)), tt.gustafson, .0051)
		near(t, "Karp–Flatt of Amdahl", karpFlatt(amdahl(tt.serial, float64(tt.k)), float64(tt.k)), tt.serial, 1e-12)
	}
	// σ .03, κ .0015, $2.10 an hour each and $9 for all: cheapest 8, fastest 25.
	for _, tt := range []struct {
		k                int
		speedup, percent float64
		cost             float64
	}{{1, 1, 100, 11.1}, {2, 1.94, 96.81, 6.818}, {4, 3.61, 90.25, 4.82}, {8, 6.18, 77.28, 4.173}, {16, 8.84, 55.25, 4.819}, {25, 9.54, 38.17, 6.445}, {32, 9.36, 29.26, 8.139}, {64, 7.16, 11.19, 20.027}} {
		e := usl(.03, .0015, float64(tt.k))
		near(t, "USL speed-up", float64(tt.k)*e, tt.speedup, .0051)
		near(t, "USL efficiency", 100*e, tt.percent, .0051)
		near(t, "cost", (float64(tt.k)*2.1+9)/(float64(tt.k)*e), tt.cost, 5.1e-4)
	}
	for _, tt := range []struct{ exposed, ratio, percent float64 }{{120, .667, 60}, {36, .2, 83.3}, {9, .05, 95.2}} {
		ratio, efficiency, advice := Exposed(tt.exposed, 180)
		near(t, "R", ratio, tt.ratio, 5e-4)
		near(t, "E", 100*efficiency, tt.percent, .05)
		if advice == "" {
			t.Error("no advice")
		}
	}
}

// Weak scaling: T(1)/T(K) on a problem K times as large.
func TestWeak(t *testing.T) {
	r, err := Analyse(Study{Kind: Weak, Quantity: Time, Baseline: OneWorker, Points: []Point{
		{Workers: 1, Values: []float64{10, 10, 10}, Batch: 32}, {Workers: 4, Values: []float64{12.5, 12.5, 12.5}, Batch: 128},
	}})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "efficiency", r.Rows[1].Efficiency.Value, .8, 1e-12)
	near(t, "scaled speed-up", r.Rows[1].Speedup.Value, 3.2, 1e-12)
	if finding.Worst(r.Findings) == finding.Void {
		t.Errorf("%+v", r.Findings)
	}
}

func TestFindings(t *testing.T) {
	three := func(v float64) []float64 { return []float64{.999 * v, v, 1.001 * v} }
	tests := []struct {
		name  string
		study Study
		check string
	}{
		{"only the distributed program", Study{Kind: Strong, Quantity: Time, Baseline: OneWorker, Points: []Point{{Workers: 1, Values: three(1)}}}, "scaling-baseline"},
		{"a weak base", Study{Kind: Strong, Quantity: Time, Baseline: BestSingle, Single: three(2), Points: []Point{{Workers: 1, Values: three(1)}, {Workers: 2, Values: three(.6)}}}, "scaling-baseline"},
		{"super-linear", Study{Kind: Strong, Quantity: Time, Baseline: OneWorker, Points: []Point{{Workers: 1, Values: three(1)}, {Workers: 2, Values: three(.4)}}}, "superlinear"},
		{"exactly linear", Study{Kind: Strong, Quantity: Time, Baseline: OneWorker, Points: []Point{{Workers: 1, Values: three(1)}, {Workers: 2, Values: three(.5)}}}, "speedup-equals-workers"},
		{"one launch", Study{Kind: Strong, Quantity: Time, Baseline: OneWorker, Points: []Point{{Workers: 1, Values: three(1)}, {Workers: 2, Values: []float64{.7}}}}, "no-variance"},
		{"two sizes", Study{Kind: Strong, Quantity: Time, Baseline: OneWorker, Points: []Point{{Workers: 1, Values: three(1)}, {Workers: 8, Values: three(.2)}}}, "two-points"},
		{"strong with a growing batch", Study{Kind: Strong, Quantity: Throughput, Baseline: OneWorker, Points: []Point{{Workers: 1, Values: three(1), Batch: 256}, {Workers: 8, Values: three(6), Batch: 2048}}}, "scaling-batch"},
	}
	for _, tt := range tests {
		r, err := Analyse(tt.study)
		if err != nil {
			t.Fatal(err)
		}
		seen := false
		for _, f := range r.Findings {
			seen = seen || f.Check == tt.check
		}
		if !seen {
			t.Errorf("%s: no %s in %+v", tt.name, tt.check, r.Findings)
		}
	}
}

func TestFaults(t *testing.T) {
	_, err := Analyse(Study{Points: []Point{{Workers: 0, Values: []float64{-1}}}})
	for _, part := range []string{"kind", "quantity", "baseline", "workers", "above zero"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("fault %q is not named in %v", part, err)
		}
	}
}
