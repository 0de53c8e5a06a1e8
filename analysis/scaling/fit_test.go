package scaling

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// noisy is a study of a law with 1 % of noise, three launches at each size.
func noisy(random *rand.Rand, kind Kind, quantity Quantity, sizes []int, rate func(k int) float64) Study {
	s := Study{Kind: kind, Quantity: quantity, Baseline: OneWorker}
	for _, k := range sizes {
		p := Point{Workers: k}
		for range 3 {
			v := rate(k) * math.Exp(.01*random.NormFloat64())
			switch {
			case quantity == Time && kind == Weak:
				v = float64(k) / v
			case quantity == Time:
				v = 1 / v
			}
			p.Values = append(p.Values, v)
		}
		s.Points = append(s.Points, p)
	}
	return s
}

func find(t *testing.T, r Result, law string) Fit {
	t.Helper()
	for _, f := range r.Fits {
		if f.Law == law {
			return f
		}
	}
	t.Fatalf("no fit of %s", law)
	return Fit{}
}

// The intervals of the parameters cover the truth about as often as they say.
func TestFitsCover(t *testing.T) {
	sizes := []int{1, 2, 4, 8, 16, 32}
	const trials = 400
	tests := []struct {
		name     string
		kind     Kind
		quantity Quantity
		rate     func(k int) float64
		law      string
		truth    []float64
	}{
		{"Amdahl from times", Strong, Time, func(k int) float64 { return 100 * amdahl(.05, float64(k)) }, "Amdahl", []float64{.05}},
		{"Gustafson from times", Weak, Time, func(k int) float64 { return 100 * gustafson(.1, float64(k)) }, "Gustafson", []float64{.1}},
		{"USL from throughput", Strong, Throughput, func(k int) float64 { return 100 * float64(k) * usl(.03, .0015, float64(k)) }, "Universal Scalability Law", []float64{.03, .0015}},
	}
	for _, tt := range tests {
		random := rand.New(rand.NewPCG(4, 7))
		covered := make([]int, len(tt.truth))
		best := 0
		for range trials {
			r, err := Analyse(noisy(random, tt.kind, tt.quantity, sizes, tt.rate))
			if err != nil {
				t.Fatal(err)
			}
			f := find(t, r, tt.law)
			if f.Best {
				best++
			}
			for i, truth := range tt.truth {
				if f.Parameters[i].Interval.Contains(truth) {
					covered[i]++
				}
			}
		}
		for i, n := range covered {
			if share := float64(n) / trials; share < .92 || share > .98 {
				t.Errorf("%s: parameter %d covered in %.1f %%, want 95", tt.name, i, 100*share)
			}
		}
		if float64(best) < .75*trials {
			t.Errorf("%s: its own law fits best in only %d of %d", tt.name, best, trials)
		}
	}
}

// What was not measured is called a guess.
func TestExtrapolation(t *testing.T) {
	rate := func(k int) float64 { return 100 * float64(k) * usl(.03, .0015, float64(k)) } // peak at 25.4
	r, err := Analyse(noisy(rand.New(rand.NewPCG(1, 1)), Strong, Throughput, []int{1, 2, 4, 8, 16}, rate))
	if err != nil {
		t.Fatal(err)
	}
	f := find(t, r, "Universal Scalability Law")
	if f.Peak == nil || !f.Extrapolated || !strings.Contains(f.Sentence, "a guess beyond the 16") {
		t.Errorf("%+v", f)
	}
	r, err = Analyse(noisy(rand.New(rand.NewPCG(1, 1)), Strong, Throughput, []int{1, 2, 4, 8}, rate))
	if err != nil {
		t.Fatal(err)
	}
	f = find(t, r, "Universal Scalability Law")
	if f.Peak != nil || !f.Beyond || !strings.Contains(f.Sentence, "where it is not read") {
		t.Errorf("a peak of three times the largest size is stated: %+v", f)
	}
	r, err = Analyse(noisy(rand.New(rand.NewPCG(1, 1)), Strong, Throughput, []int{1, 4, 16, 32, 64}, rate))
	if err != nil {
		t.Fatal(err)
	}
	if f = find(t, r, "Universal Scalability Law"); f.Extrapolated || math.Abs(*f.Peak-25.4) > 2 {
		t.Errorf("peak %v, want 25.4 inside what was measured", *f.Peak)
	}
}

// Perfect scaling has no contention; nothing below zero is reported.
func TestNoNegativeParameters(t *testing.T) {
	r, err := Analyse(noisy(rand.New(rand.NewPCG(3, 3)), Strong, Throughput, []int{1, 2, 4, 8}, func(k int) float64 { return float64(k) * (1 + .002*float64(k)) }))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range find(t, r, "Universal Scalability Law").Parameters {
		if p.Value < 0 || p.Interval.Lo < 0 {
			t.Errorf("%s = %v %v", p.Name, p.Value, p.Interval)
		}
		if p.Value == 0 && len(p.Warnings) == 0 {
			t.Errorf("%s is held at zero and does not say so", p.Name)
		}
	}
}

// A law is read at sizes up to twice the largest, with an interval that holds the
// truth, and not beyond.
func TestPredict(t *testing.T) {
	rate := func(k int) float64 { return 100 * float64(k) * usl(.03, .0015, float64(k)) }
	s := noisy(rand.New(rand.NewPCG(5, 1)), Strong, Throughput, []int{1, 2, 4, 8, 16}, rate)
	s.Predict = []int{12, 32, 33}
	r, err := Analyse(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Predictions[:2] {
		truth := float64(p.Workers) * usl(.03, .0015, float64(p.Workers))
		if p.Refused != "" || !p.Speedup.Interval.Contains(truth) || math.Abs(p.Speedup.Value/truth-1) > .1 {
			t.Errorf("%d workers: %+v, want %.3g", p.Workers, p, truth)
		}
	}
	if p := r.Predictions[2]; p.Speedup != nil || !strings.Contains(p.Refused, "beyond 2 times the 16") {
		t.Errorf("%+v", p)
	}
}
