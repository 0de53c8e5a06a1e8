package stats

import (
	"errors"
	"math/rand/v2"
	"testing"
)

func TestMedian(t *testing.T) {
	// benchstat's behaviour: six values have an interval at 95 %, from the least to
	// the greatest; five have none.
	for _, tt := range []struct {
		xs       []float64
		value    float64
		interval Interval
	}{
		{[]float64{6, 1, 5, 2, 4, 3}, 3.5, Interval{1, 6}},
		{[]float64{5, 1, 4, 2, 3}, 3, Unbounded},
		{[]float64{9, 1, 8, 2, 7, 3, 6, 4, 5}, 5, Interval{2, 8}},
	} {
		got, err := Median(tt.xs, .95)
		if err != nil || got.Value != tt.value || got.Interval != tt.interval || got.Method != MedianMethod {
			t.Errorf("%v: %+v, %v; want %v in %v", tt.xs, got, err, tt.value, tt.interval)
		}
	}
}

func TestQuantileDependent(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 1))
	z := 0.0
	xs := make([]float64, 4000)
	for i := range xs {
		z = .8*z + rng.NormFloat64()
		xs[i] = z
	}
	plain, err := Quantile(xs, .5, .95)
	if err != nil || plain.Interval != Unbounded || plain.Confidence != 0 || len(plain.Warnings) != 1 {
		t.Errorf("for independent values: %+v, %v; want no interval and a warning", plain, err)
	}
	got, err := QuantileDependent(xs, .5, .95)
	if err != nil || !got.Interval.Contains(0) || got.Value != plain.Value {
		t.Fatalf("%+v, %v; want zero inside and %v", got, err, plain.Value)
	}
	// The sign of AR(1) 0.8 has a design effect of about 6.
	if got.EffectiveN < 400 || got.EffectiveN > 1000 {
		t.Errorf("effective n %.0f of 4000, want about 650", got.EffectiveN)
	}
	short, err := QuantileDependent(xs[:1000], .99, .95)
	if err != nil || short.Interval != Unbounded || len(short.Warnings) != 1 {
		t.Errorf("p99 of 1000 dependent values: %+v, %v; want a refusal", short, err)
	}
	if _, err := QuantileDependent(nil, .5, .95); !errors.Is(err, ErrNoSamples) {
		t.Errorf("of nothing: %v", err)
	}
}

// Independent values get nearly the interval of Quantile.
func TestQuantileDependentOfIndependent(t *testing.T) {
	xs := logNormal(3000, rand.New(rand.NewPCG(16, 1)))
	plain, err := Quantile(xs, .9, .95)
	if err != nil {
		t.Fatal(err)
	}
	got, err := QuantileDependent(xs, .9, .95)
	if err != nil {
		t.Fatal(err)
	}
	width := func(i Interval) float64 { return i.Hi - i.Lo }
	if w, p := width(got.Interval), width(plain.Interval); w < p || w > 1.3*p {
		t.Errorf("width %v, of Quantile %v: want as wide or a little wider", w, p)
	}
}

func TestMiddle(t *testing.T) {
	for _, tt := range []struct {
		xs   []float64
		want float64
	}{{nil, 0}, {[]float64{3, 1, 2}, 2}, {[]float64{4, 1, 2, 3}, 2.5}} {
		if got := Middle(tt.xs); got != tt.want {
			t.Errorf("middle of %v is %v, want %v", tt.xs, got, tt.want)
		}
	}
}
