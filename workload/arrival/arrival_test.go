package arrival

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"assay/record"
)

func series(t testing.TB, process string, shape float64, seed int64, profile Profile) Series {
	t.Helper()
	s, err := NewSeries(process, shape, seed, profile)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func schedule(t testing.TB, s Series, limits Limits) *Schedule {
	t.Helper()
	out, err := New(s, limits)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Every process has mean gap one and the spread that it says, and is drawn from
// its seed alone.
func TestProcesses(t *testing.T) {
	const n = 200_000
	for _, p := range All {
		for _, shape := range []float64{0.25, 1, 4} {
			gaps := gapsOf(t, p.Name, shape, 7, n)
			// Five standard errors of a mean of n.
			if mean := stat.Mean(gaps, nil); math.Abs(mean-1) > 5*p.CV(shape)/math.Sqrt(n)+1e-12 {
				t.Errorf("%s, shape %v: mean gap %v, want 1", p.Name, shape, mean)
			}
			if got, want := stat.StdDev(gaps, nil), p.CV(shape); math.Abs(got-want) > 0.03*want+1e-12 {
				t.Errorf("%s, shape %v: standard deviation %v, want %v", p.Name, shape, got, want)
			}
			if !slices.Equal(gaps, gapsOf(t, p.Name, shape, 7, n)) {
				t.Errorf("%s, shape %v: two draws of one seed differ", p.Name, shape)
			}
			if p.CV(shape) > 0 && slices.Equal(gaps[:10], gapsOf(t, p.Name, shape, 8, 10)) {
				t.Errorf("%s, shape %v: two seeds draw the same", p.Name, shape)
			}
		}
	}
}

func gapsOf(t *testing.T, process string, shape float64, seed int64, n int) []float64 {
	s := series(t, process, shape, seed, Steady(1))
	gaps := make([]float64, n)
	at, _ := int64(0), false
	if process == Constant.Name {
		at, _ = s.next()
	}
	for i := range gaps {
		next, _ := s.next()
		gaps[i] = float64(next-at) / 1e9
		at = next
	}
	return gaps
}

// Gamma gaps have the gamma distribution: no point of their distribution is
// farther from it than chance allows (Kolmogorov and Smirnov, one in a million).
func TestGammaDistribution(t *testing.T) {
	const n = 100_000
	for _, shape := range []float64{0.1, 0.5, 1, 3, 50} {
		gaps := gapsOf(t, "gamma", shape, 3, n)
		slices.Sort(gaps)
		want := distuv.Gamma{Alpha: shape, Beta: shape}
		worst := 0.0
		for i, x := range gaps {
			if x < 1e-6 {
				continue // times are whole nanoseconds
			}
			worst = max(worst, math.Abs(want.CDF(x)-float64(i)/n))
		}
		if limit := 2.7 / math.Sqrt(n); worst > limit {
			t.Errorf("shape %v: distance %v from the gamma distribution, want at most %v", shape, worst, limit)
		}
	}
}

// The count of Poisson calls in a window varies as a Poisson count does. A
// schedule rescaled to a fixed total would have no variance at all.
func TestCountsAreNotRescaled(t *testing.T) {
	var counts []float64
	for seed := range int64(2000) {
		s := schedule(t, series(t, "poisson", 1, seed, Steady(100)), Limits{Warmup: time.Second, Measure: time.Second})
		counts = append(counts, float64(s.Measure))
	}
	mean, variance := stat.MeanVariance(counts, nil)
	// The index of dispersion of 2000 counts is chi-squared/1999: 0.85 to 1.15
	// holds it but once in a million.
	if mean < 98.9 || mean > 101.1 || variance/mean < 0.85 || variance/mean > 1.15 {
		t.Errorf("counts have mean %v and index of dispersion %v, want 100 and 1", mean, variance/mean)
	}
}

// Ramps offer what the integral of their rate says, and constant arrivals along
// them sit where its inverse does.
func TestRamps(t *testing.T) {
	profile := Profile{
		{Duration: 10 * time.Second, From: 0, To: 20, Curve: Linear},      // 100 calls
		{Duration: 10 * time.Second, To: 5, Curve: Step},                  // 50
		{Duration: 10 * time.Second, From: 5, To: 50, Curve: Exponential}, // 45/ln 10 × 10 = 195.4
		{Duration: 5 * time.Second, To: 0},                                // none
		{Duration: 10 * time.Second, From: 50, To: 10, Curve: Linear},     // 300
		{Duration: 10 * time.Second, From: 7, To: 7, Curve: Exponential},  // 70
		{Duration: 10 * time.Second, From: 7, To: 7, Curve: Linear},       // 70
	}
	s := schedule(t, series(t, "constant", 0, 1, profile), Limits{Measure: 65 * time.Second})
	bounds := []float64{0, 10, 20, 30, 35, 45, 55, 65}
	want := []float64{100, 50, 450 / math.Ln10, 0, 300, 70, 70}
	for i := range want {
		got := 0
		for _, due := range s.Due {
			if at := float64(due) / 1e9; bounds[i] <= at && at < bounds[i+1] {
				got++
			}
		}
		if math.Abs(float64(got)-want[i]) > 1 {
			t.Errorf("stage %d has %d calls, want %.1f", i, got, want[i])
		}
	}
	// Call 25 of a rate that grows as 2t comes where t² = 25.
	if got := s.Due[25]; got != 5e9 {
		t.Errorf("call 25 of the linear ramp is due at %d ns, want 5 s", got)
	}
	if !slices.IsSorted(s.Due) {
		t.Error("calls are out of order")
	}
}

func TestPhases(t *testing.T) {
	second := time.Second
	tests := []struct {
		name            string
		limits          Limits
		warmup, measure int
		calls           int
		begin, end      int64
	}{
		{"by time", Limits{Warmup: 2 * second, Measure: 3 * second, Cooldown: second}, 20, 30, 60, 2e9, 5e9},
		{"no warm-up", Limits{Measure: 3 * second}, 0, 30, 30, 0, 3e9},
		{"by calls", Limits{WarmupCalls: 7, Measure: time.Hour, MeasureCalls: 12}, 7, 12, 19, 7e8, 19e8},
		{"whichever is first", Limits{Warmup: second, WarmupCalls: 50, Measure: second, MeasureCalls: 50}, 10, 10, 20, 1e9, 2e9},
		{"calls, then cool-down", Limits{Measure: time.Hour, MeasureCalls: 5, Cooldown: second}, 0, 5, 15, 0, 5e8},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := schedule(t, series(t, "constant", 0, 1, Steady(10)), tt.limits)
			if s.Warmup != tt.warmup || s.Measure != tt.measure || len(s.Due) != tt.calls || s.Begin != tt.begin || s.End != tt.end {
				t.Errorf("got %d + %d of %d calls in [%d, %d), want %d + %d of %d in [%d, %d)",
					s.Warmup, s.Measure, len(s.Due), s.Begin, s.End, tt.warmup, tt.measure, tt.calls, tt.begin, tt.end)
			}
			for k, due := range s.Due {
				inside := s.Begin <= due && due < s.End
				if got := s.Phase(k) == record.Measure; got != inside {
					t.Errorf("call %d, due at %d, is measured: %v, want %v", k, due, got, inside)
				}
			}
		})
	}
}

// Beyond what is stored the calls go on as if the schedule had been longer, and
// what is stored is read back as it was.
func TestTailAndStorage(t *testing.T) {
	for _, p := range All {
		short := schedule(t, series(t, p.Name, 0.5, 9, Steady(50)), Limits{Warmup: time.Second, Measure: 2 * time.Second})
		long := schedule(t, series(t, p.Name, 0.5, 9, Steady(50)), Limits{Warmup: time.Second, Measure: 20 * time.Second})
		for range 2 { // walking it changes nothing
			for k, due := range short.Calls {
				if k == len(long.Due) {
					break
				}
				if due != long.Due[k] {
					t.Fatalf("%s: call %d is due at %d, want %d", p.Name, k, due, long.Due[k])
				}
			}
		}
		a, err := short.Encode()
		if err != nil {
			t.Fatal(err)
		}
		read, err := Decode(a)
		if err != nil {
			t.Fatal(err)
		}
		b, err := read.Encode()
		if err != nil || !bytes.Equal(a, b) || !slices.Equal(read.Due, short.Due) {
			t.Errorf("%s: a schedule changed by being stored (%v)", p.Name, err)
		}
		again, err := schedule(t, series(t, p.Name, 0.5, 9, Steady(50)), Limits{Warmup: time.Second, Measure: 2 * time.Second}).Encode()
		if err != nil || !bytes.Equal(a, again) {
			t.Errorf("%s: two schedules of one seed differ (%v)", p.Name, err)
		}
	}
}

func TestRecorded(t *testing.T) {
	limits := Limits{Warmup: time.Second, Measure: 10 * time.Second}
	s, err := Recorded([]int64{5e9, 6e9, 6e9, 9e9}, 0.5, limits)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int64{0, 5e8, 5e8, 2e9}; !slices.Equal(s.Due, want) || s.Warmup != 3 || s.Measure != 1 {
		t.Errorf("recorded calls are due at %v (%d of warm-up), want %v (3)", s.Due, s.Warmup, want)
	}
	if s.End != 2e9+1 {
		t.Errorf("the window ends at %d, want with the last call", s.End)
	}
	for _, measure := range []time.Duration{10 * time.Second, 600 * time.Millisecond} {
		s, err := Recorded([]int64{5e9, 6e9, 6e9, 9e9}, 0.5, Limits{Measure: measure})
		if err != nil {
			t.Fatal(err)
		}
		var dues []int64
		for k, due := range s.Calls {
			if k != len(dues) {
				t.Errorf("call %d comes after %d others", k, len(dues))
			}
			dues = append(dues, due)
		}
		if want := []int64{0, 5e8, 5e8, 2e9}; !slices.Equal(dues, want) {
			t.Errorf("a window of %v has calls at %v, want the recorded ones and those behind it: %v", measure, dues, want)
		}
	}
	for _, times := range [][]int64{nil, {0, 2e9, 1e9}} {
		if _, err := Recorded(times, 1, limits); err == nil {
			t.Errorf("times %v were taken", times)
		}
	}
	if _, err := Recorded([]int64{0}, 0, limits); err == nil {
		t.Error("scale 0 was taken")
	}
}

// The shards of a schedule count its measured calls exactly.
func TestMeasured(t *testing.T) {
	for warmup := range 12 {
		for measure := range 12 {
			s := &Schedule{Warmup: warmup, Measure: measure}
			for shards := 1; shards < 7; shards++ {
				for shard := range shards {
					want := 0
					for k := range warmup + measure {
						if k >= warmup && k%shards == shard {
							want++
						}
					}
					if got := s.Measured(shard, shards); got != want {
						t.Fatalf("shard %d of %d of %d + %d calls measures %d, want %d", shard, shards, warmup, measure, got, want)
					}
				}
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, profile := range []Profile{
		nil, {{To: -1}}, {{To: math.NaN()}}, {{To: math.Inf(1)}},
		{{From: 0, To: 5, Curve: Exponential, Duration: time.Second}}, {{To: 5, Curve: "cubic"}},
	} {
		if _, err := NewSeries("poisson", 1, 1, profile); err == nil {
			t.Errorf("profile %+v was taken", profile)
		}
	}
	if _, err := NewSeries("weekly", 1, 1, Steady(1)); err == nil {
		t.Error("an unknown process was taken")
	}
	if _, err := NewSeries("gamma", -1, 1, Steady(1)); err == nil {
		t.Error("a negative shape was taken")
	}
	for _, limits := range []Limits{{}, {Warmup: time.Second}, {Measure: time.Millisecond, Warmup: 100 * time.Millisecond}} {
		if _, err := New(series(t, "constant", 0, 1, Steady(1)), limits); err == nil {
			t.Errorf("limits %+v were taken", limits)
		}
	}
	if _, err := New(series(t, "constant", 0, 1, Profile{{Duration: time.Second, To: 5}, {To: 0}}), Limits{WarmupCalls: 9, Measure: time.Second}); err == nil {
		t.Error("a schedule that ends in its warm-up was taken")
	}
	for _, text := range []string{"", "{}", `{"version":"1.0","unit":"ns","measure":3,"gaps":[1]}`, `{"version":"1.0","unit":"s"}`} {
		if _, err := Decode([]byte(text)); err == nil {
			t.Errorf("schedule %q was read", text)
		}
	}
}
