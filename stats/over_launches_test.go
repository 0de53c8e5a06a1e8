package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// covering is the share of experiments whose interval over k launches holds the truth.
func covering(t *testing.T, k int, truth float64, launch func(*rand.Rand) float64, over func([]float64, float64) (Estimate, error)) float64 {
	t.Helper()
	const trials = 600
	rng := rand.New(rand.NewPCG(21, uint64(k)))
	held := 0
	for range trials {
		xs := make([]float64, k)
		for i := range xs {
			xs[i] = launch(rng)
		}
		est, err := over(xs, .95)
		if err != nil {
			t.Fatal(err)
		}
		held += oneIf(est.Interval.Contains(truth))
	}
	return float64(held) / trials
}

// Launches of 50 % spread cover where Student's t alone does not; those of 5 % get
// Student's interval and nothing else.
func TestOverLaunchesCovers(t *testing.T) {
	skewed := func(rng *rand.Rand) float64 { return math.Exp(.5 * rng.NormFloat64()) }
	for _, k := range []int{3, 5, 10} {
		wide, plain := covering(t, k, math.Exp(.125), skewed, OverLaunches), covering(t, k, math.Exp(.125), skewed, Mean)
		if wide < .93 || wide > .975 || plain >= wide {
			t.Errorf("%d launches of 50 %% spread: covers %.3f, Student's t alone %.3f", k, wide, plain)
		}
	}
	quiet := []float64{100, 103, 98, 101, 105}
	got, err := OverLaunches(quiet, .95)
	want, err2 := Mean(quiet, .95)
	if err != nil || err2 != nil || got.Interval != want.Interval || got.Method != MeanMethod || len(got.Warnings) != 0 {
		t.Errorf("quiet launches %+v, %v; want Student's %+v", got, err, want)
	}
}

func TestOverLaunchesSays(t *testing.T) {
	modes := []float64{1, 1.005, .995, 1.002, .998, 1.5}
	skewed := append(slices.Repeat([]float64{1, 1.01, 1.02, .99, .98}, 3), 1.1, 1.25)
	for _, tt := range []struct {
		name string
		xs   []float64
		want string // in the only warning; empty means none
	}{
		{"quiet", []float64{100, 101, 99, 100.5, 99.5}, ""},
		{"equal", []float64{5, 5, 5}, "never vary"},
		{"two modes", modes, "two modes, 5 lower and 1 higher"},
		{"skewed", skewed, "do not look normal"},
		{"factors apart", []float64{1, 30, 2000}, "differ by factors"},
		{"counts that differ by one", []float64{1000, 1000, 1000, 1000, 1001}, ""},
		{"two", []float64{5, 6}, "too wide"},
		{"one", []float64{5}, "one replicate"},
	} {
		est, err := OverLaunches(tt.xs, .95)
		if err != nil {
			t.Fatal(tt.name, err)
		}
		said := strings.Join(est.Warnings, "; ")
		if tt.want == "" && said != "" || !strings.Contains(said, tt.want) || len(est.Warnings) > 1 {
			t.Errorf("%s: warnings %q, want %q", tt.name, said, tt.want)
		}
		if want := UnseenShare(len(tt.xs), .95); est.UnseenShare != want {
			t.Errorf("%s: unseen share %v, want %v", tt.name, est.UnseenShare, want)
		}
	}
}

// Normal launches are seldom called anything else.
func TestOverLaunchesIsQuiet(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 1))
	alarms := 0
	for range 3000 {
		xs := make([]float64, 5)
		for i := range xs {
			xs[i] = 100 + 5*rng.NormFloat64()
		}
		est, err := OverLaunches(xs, .95)
		if err != nil {
			t.Fatal(err)
		}
		alarms += oneIf(len(est.Warnings) > 0)
	}
	if alarms > 12 { // 3 expected
		t.Errorf("%d of 3000 normal experiments were warned of", alarms)
	}
}

func TestUnseenShare(t *testing.T) {
	for k, want := range map[int]float64{3: .632, 5: .451, 10: .259, 29: .098} {
		if got := UnseenShare(k, .95); !nearly(got, want, 5e-4) {
			t.Errorf("%d launches leave %.4f unseen, want %v", k, got, want)
		}
	}
	for share, want := range map[float64]int{.1: 29, .5: 5, .05: 59} {
		got := LaunchesToSee(share, .95)
		if got != want || UnseenShare(got, .95) > share || UnseenShare(got-1, .95) <= share {
			t.Errorf("a mode of %v takes %d launches, want %d", share, got, want)
		}
	}
}

func TestHeavyTail(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 1))
	top := func(draw func() float64) float64 {
		xs, sum := make([]float64, 2000), 0.0
		for i := range xs {
			xs[i] = draw()
			sum += xs[i]
		}
		slices.Sort(xs)
		return TopShare(sum/float64(len(xs)), func(q float64) float64 { return OfRank(xs, q) })
	}
	pareto := top(func() float64 { return math.Pow(1-rng.Float64(), -1/1.5) })
	exponential := top(rng.ExpFloat64)
	if HeavyTail(pareto, 2000) == "" || HeavyTail(exponential, 2000) != "" || HeavyTail(pareto, 50) != "" {
		t.Errorf("Pareto 1.5 holds %.3f in its largest hundredth, exponential values %.3f", pareto, exponential)
	}
	if !nearly(exponential, .056, .01) { // 0.01·(1 + ln 100)
		t.Errorf("the largest hundredth of exponential values holds %.4f of the sum, want .056", exponential)
	}
	if got := TopShare(0, nil); got != 0 {
		t.Errorf("of values without a sum: %v", got)
	}
}

// A series that wanders too slowly for its length has no interval: of AR(1) 0.99 those
// that had one held the truth in one of four cases.
func TestQuantileDependentRefusesWandering(t *testing.T) {
	rng := rand.New(rand.NewPCG(24, 1))
	for range 300 {
		xs := make([]float64, 400)
		z := rng.NormFloat64()
		for i := range xs {
			xs[i] = math.Exp(.5 * z)
			z = .99*z + math.Sqrt(1-.99*.99)*rng.NormFloat64()
		}
		est, err := QuantileDependent(xs, .5, .95)
		if err != nil || est.Interval.Bounded() || len(est.Warnings) != 1 {
			t.Fatalf("%+v, %v; want a refusal", est, err)
		}
	}
}
