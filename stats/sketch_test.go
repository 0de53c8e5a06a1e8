package stats

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// shapedSamples draws from shapes that are hard on a sketch: many decades, heavy
// tails, both signs, zeros, few distinct values.
func shapedSamples(shape string, n int, rng *rand.Rand) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		switch shape {
		case "log-normal":
			xs[i] = math.Exp(2 * rng.NormFloat64())
		case "pareto":
			xs[i] = math.Pow(1-rng.Float64(), -2)
		case "decades":
			xs[i] = math.Pow(10, -300+600*rng.Float64())
		case "both signs":
			xs[i] = rng.NormFloat64()
		case "zeros":
			xs[i] = float64(rng.IntN(3)) - 1
		case "subnormal":
			xs[i] = float64(1+rng.IntN(1000)) * math.SmallestNonzeroFloat64
		}
	}
	return xs
}

var sketchShapes = []string{"log-normal", "pareto", "decades", "both signs", "zeros", "subnormal"}

// Every quantile must be within the relative error of the value of its rank. The
// logarithm of a huge number is itself rounded, hence the last 1e-9.
func TestSketchKeepsItsError(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, shape := range sketchShapes {
		for _, alpha := range []float64{.001, .01, .05} {
			xs := shapedSamples(shape, 3001, rng)
			s := NewSketch(alpha)
			for _, x := range xs {
				s.Add(x)
			}
			slices.Sort(xs)
			for _, q := range []float64{0, .001, .01, .25, .5, .9, .99, .999, 1} {
				want := xs[rankOf(len(xs), q)-1]
				if got := s.Quantile(q); math.Abs(got-want) > alpha*math.Abs(want)*(1+1e-9)+smallestNormal {
					t.Errorf("%s with %v: quantile %v is %v, want %v within the error", shape, alpha, q, got, want)
				}
			}
		}
	}
}

// However values are split and in whatever order the parts are merged, the
// sketch is the same to the byte.
func TestSketchMergesExactly(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, shape := range sketchShapes {
		xs := shapedSamples(shape, 2000, rng)
		whole := NewSketch(.01)
		for _, x := range xs {
			whole.Add(x)
		}
		want, err := json.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			parts := make([]*Sketch, 1+rng.IntN(9))
			for i := range parts {
				parts[i] = NewSketch(.01)
			}
			for _, at := range rng.Perm(len(xs)) {
				parts[rng.IntN(len(parts))].Add(xs[at])
			}
			rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
			for len(parts) > 1 { // any tree of merges
				at := rng.IntN(len(parts) - 1)
				if err := parts[at].Merge(parts[at+1]); err != nil {
					t.Fatal(err)
				}
				parts = slices.Delete(parts, at+1, at+2)
			}
			if got, err := json.Marshal(parts[0]); err != nil || string(got) != string(want) {
				t.Fatalf("%s: merged %s, %v; want %s", shape, got, err, want)
			}
		}
		var read Sketch
		if err := json.Unmarshal(want, &read); err != nil {
			t.Fatal(err)
		}
		if got, _ := json.Marshal(&read); string(got) != string(want) || read.Quantile(.9) != whole.Quantile(.9) || read.Count() != whole.Count() {
			t.Errorf("%s: read back %s, want %s", shape, got, want)
		}
	}
	if err := NewSketch(.01).Merge(NewSketch(.02)); err == nil {
		t.Error("sketches of different errors were merged")
	}
}

func TestSketchCounts(t *testing.T) {
	s := NewSketch(.01)
	if !math.IsNaN(s.Quantile(.5)) {
		t.Error("an empty sketch has a median")
	}
	s.AddN(5, 9)
	s.AddN(7, -1)
	s.Add(math.NaN())
	s.AddN(math.Inf(1), 2)
	if s.Count() != 9 || s.Refused() != 3 || s.Quantile(.5) != 5 || s.RelativeError() != .01 {
		t.Errorf("%d values, %d refused, median %v; want 9, 3 and 5", s.Count(), s.Refused(), s.Quantile(.5))
	}
	s.Add(1e-3)
	s.Add(1e3)
	if s.Quantile(0) != 1e-3 || s.Quantile(1) != 1e3 || !math.IsNaN(s.Quantile(1.1)) {
		t.Errorf("ends %v and %v, want exactly 0.001 and 1000", s.Quantile(0), s.Quantile(1))
	}
	if allocs := testing.AllocsPerRun(100, func() { s.Add(5) }); allocs != 0 {
		t.Errorf("%v allocations for a value, want none", allocs)
	}
}

func TestSketchRefusesForgeries(t *testing.T) {
	for _, form := range []string{
		`{"relativeError":0}`, `{"relativeError":1}`, `{"relativeError":0.01,"zeros":-1}`,
		`{"relativeError":0.01,"positive":[[1,-5]],"min":1,"max":1}`,
		`{"relativeError":0.01,"positive":[[99999999,5]],"min":1,"max":1}`,
		`{"relativeError":0.01,"positive":[[1,5]]}`, `{"relativeError":0.01,"min":1,"max":2}`,
	} {
		var s Sketch
		if err := json.Unmarshal([]byte(form), &s); err == nil {
			t.Errorf("%s was read as a sketch", form)
		}
	}
}

func BenchmarkSketchAdd(b *testing.B) {
	xs := shapedSamples("log-normal", 1024, rand.New(rand.NewPCG(3, 3)))
	s := NewSketch(.01)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.Add(xs[i&1023])
	}
}
