package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestEnergy(t *testing.T) {
	f := func(a, b []float64, want float64) {
		t.Helper()
		if got := energyOf(a, b); math.Abs(got-want) > 1e-12 {
			t.Errorf("energyOf(%v, %v) = %v, want %v", a, b, got, want)
		}
	}
	f([]float64{1, 2, 3}, []float64{7, 8, 9}, 14)
	f([]float64{0, 0}, []float64{1, 1}, 2)
	f([]float64{5, 5}, []float64{5, 5}, 0)
}

// noisy is n values around level with a coefficient of variation.
func noisy(rng *rand.Rand, n int, level, cv float64) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = level * (1 + cv*rng.NormFloat64())
	}
	return xs
}

func TestChangePoints(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	step := append(noisy(rng, 30, 100, .01), noisy(rng, 20, 105, .01)...)
	back := append(append(noisy(rng, 30, 100, .01), noisy(rng, 12, 108, .01)...), noisy(rng, 30, 100, .01)...)
	spike := noisy(rng, 60, 100, .01)
	spike[30] = 150
	tests := []struct {
		name string
		xs   []float64
		want []int
	}{
		{"a step", step, []int{30}},
		{"up and back", back, []int{30, 42}},
		{"one spike", spike, nil},
		{"all equal", make([]float64, 40), nil},
		{"two levels without noise", append(make([]float64, 12), 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), []int{12}},
		{"too short", []float64{1, 1, 1, 9, 9}, nil},
		{"empty", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ChangePoints(tt.xs, ChangePointOptions{Seed: 7})
			if err != nil || len(got) != len(tt.want) {
				t.Fatalf("found %+v, %v; want %v", got, err, tt.want)
			}
			for i, c := range got {
				if c.At < tt.want[i]-1 || c.At > tt.want[i]+1 || c.P > .001 {
					t.Errorf("change %d at %d with p %g, want at %d", i, c.At, c.P, tt.want[i])
				}
			}
			again, err := ChangePoints(tt.xs, ChangePointOptions{Seed: 7})
			if err != nil || len(again) != len(got) {
				t.Errorf("the same seed found %v, then %v", got, again)
			}
		})
	}
}

func TestChangePointsRefuse(t *testing.T) {
	f := func(xs []float64, o ChangePointOptions) {
		t.Helper()
		if got, err := ChangePoints(xs, o); err == nil {
			t.Errorf("ChangePoints(%v, %+v) = %v, want an error", xs, o, got)
		}
	}
	f([]float64{1, 2, math.NaN()}, ChangePointOptions{})
	f([]float64{1, 2, math.Inf(1)}, ChangePointOptions{})
	f([]float64{1, 2, 3}, ChangePointOptions{Shortest: 1})
	f([]float64{1, 2, 3}, ChangePointOptions{Alpha: 1})
}

// bestPlainly is best without any shortcut.
func bestPlainly(xs []float64, shortest int) (at int, most float64) {
	width := len(xs) + 1
	sums := make([]float64, width*width)
	for i, x := range xs {
		row := 0.0
		for j, y := range xs {
			row += math.Abs(x - y)
			sums[(i+1)*width+j+1] = sums[i*width+j+1] + row
		}
	}
	most = math.Inf(-1)
	for i := shortest; i <= len(xs)-shortest; i++ {
		for end := i + shortest; end <= len(xs); end++ {
			left, all := sums[i*width+i], sums[end*width+end]
			between := sums[i*width+end] - left
			right := all - left - 2*between
			n, m := float64(i), float64(end-i)
			if q := m * n / (m + n) * (2*between/(m*n) - left/(n*(n-1)) - right/(m*(m-1))); q > most {
				at, most = i, q
			}
		}
	}
	return at, most
}

// The shortcuts change no bit of any answer: of series with a step or without, with many
// equal values, of any size of number and any length.
func TestChangePointShortcuts(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for i := range 3000 {
		n, shortest := 4+rng.IntN(60), 2+rng.IntN(2)
		level := math.Pow(10, float64(rng.IntN(40)-20))
		xs := noisy(rng, n, level, []float64{0, 1e-9, .02, 3}[rng.IntN(4)])
		for k := range xs[rng.IntN(n):] {
			xs[n-1-k] += level * []float64{0, .05, -2}[i%3]
		}
		if i%4 == 0 { // few different values make many equal statistics
			for k := range xs {
				xs[k] = level * float64(rng.IntN(3))
			}
		}
		d := newDistances(n)
		at, most := d.best(xs, shortest)
		wantAt, want := bestPlainly(xs, shortest)
		if at != wantAt || most != want {
			t.Fatalf("%v: best at %d with %v, want at %d with %v", xs, at, most, wantAt, want)
		}
		if math.IsInf(want, -1) {
			continue // too short for a split
		}
		above := math.Nextafter(want, math.Inf(1))
		if !d.reaches(xs, shortest, want) || d.reaches(xs, shortest, above) {
			t.Fatalf("%v reaches %v: %v, and %v: %v; want the first alone", xs, want, d.reaches(xs, shortest, want), above, d.reaches(xs, shortest, above))
		}
	}
}

// A stable series must not be called changed more often than alpha says.
func TestChangePointsFalseAlarms(t *testing.T) {
	const trials, alpha = 400, .05
	rng := rand.New(rand.NewPCG(3, 4))
	alarms := 0
	for i := range trials {
		got, err := ChangePoints(noisy(rng, 24, 100, .02), ChangePointOptions{Alpha: alpha, Rounds: 199, Seed: int64(i)})
		if err != nil {
			t.Fatal(err)
		}
		if len(got) > 0 {
			alarms++
		}
	}
	if most := alpha*trials + 3*math.Sqrt(alpha*(1-alpha)*trials); float64(alarms) > most {
		t.Errorf("%d false alarms in %d stable series, want at most %.0f", alarms, trials, most)
	}
}

// energyOf is the statistic of E-divisive for two samples of at least two values each: how
// much farther apart their values are than those inside of each.
func energyOf(a, b []float64) float64 {
	d := newDistances(len(a) + len(b))
	d.fill(slices.Concat(a, b))
	return d.energy(len(a), len(a)+len(b))
}
