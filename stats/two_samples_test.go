package stats

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// Exact P with ties must equal the share among all arrangements, which Permutation
// visits one by one.
func TestExactRanksByBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	u := func(a, b []float64) float64 { return CommonLanguage(a, b) }
	for range 60 {
		a, b := make([]float64, 2+rng.IntN(5)), make([]float64, 2+rng.IntN(5))
		for i := range a {
			a[i] = float64(rng.IntN(5))
		}
		for i := range b {
			b[i] = float64(rng.IntN(7))
		}
		got, err := MannWhitney(a, b)
		want, err2 := Permutation(a, b, u, 1, 0)
		if err != nil || err2 != nil || !want.Exact || math.Abs(got.P-want.P) > 1e-12 {
			t.Errorf("%v v %v: %v, %v; by counting %v, %v", a, b, got.P, err, want.P, err2)
		}
	}
	// The signed ranks of pairs, by flipping each of them.
	for range 40 {
		n := 2 + rng.IntN(8)
		a, b := make([]float64, n), make([]float64, n)
		for i := range a {
			b[i] = float64(rng.IntN(9) - 3)
		}
		d, _ := unequal(a, b)
		sizes := make([]float64, len(d))
		for i := range d {
			sizes[i] = math.Abs(d[i])
		}
		observed, ranks := 0.0, Ranks(sizes)
		for i := range d {
			observed += ranks[i] * float64(oneIf(d[i] > 0))
		}
		all := tails{observed: observed}
		for mask := range 1 << len(d) {
			sum := 0.0
			for i := range d {
				sum += ranks[i] * float64(mask>>i&1)
			}
			all.add(sum)
		}
		got, err := Wilcoxon(a, b)
		if want := all.test("", true).P; err != nil || math.Abs(got.P-want) > 1e-12 || got.Statistic != observed {
			t.Errorf("differences %v: %+v, %v; by counting W %v, p %v", d, got, err, observed, want)
		}
	}
}

// A test must not reject a true hypothesis more often than its level. Exact tests
// must not, whatever the distribution; t tests on logarithms of log-normal values.
func TestLevels(t *testing.T) {
	const trials, k = 1000, 6
	tests := map[string]func(a, b []float64) (Test, error){
		"Mann–Whitney": MannWhitney, "Wilcoxon": Wilcoxon, "Welch on logs": WelchLog,
		"paired on logs": PairedLog,
		"permutation":    func(a, b []float64) (Test, error) { return Permutation(a, b, MeanDifference, 200, 1) },
		"sign flips":     func(a, b []float64) (Test, error) { return SignFlip(a, b, 200, 1) },
	}
	alarms := map[string]int{}
	rng := rand.New(rand.NewPCG(17, 18))
	for range trials {
		a, b := make([]float64, k), make([]float64, k)
		for i := range a {
			block := rng.NormFloat64()
			a[i], b[i] = math.Exp(block+.3*rng.NormFloat64()), math.Exp(block+.3*rng.NormFloat64())
		}
		for name, test := range tests {
			got, err := test(a, b)
			if err != nil {
				t.Fatal(name, err)
			}
			alarms[name] += oneIf(got.P <= .05)
		}
	}
	for name := range tests {
		// Two standard errors of a thousand trials at 5 % are 1.4 points.
		if share := float64(alarms[name]) / trials; share > .064 {
			t.Errorf("%s: %.3f false alarms, want at most .05", name, share)
		}
	}
}

// Intervals must hold the truth as often as they say: normal launches, a true ratio
// of 1.1.
func TestTwoSampleCoverage(t *testing.T) {
	const trials, k, truth = 1000, 8, 1.1
	methods := map[string]func(a, b []float64, confidence float64) (Estimate, error){
		"ratio of means": RatioOfMeans, "Hodges–Lehmann ratio": HodgesLehmannRatio,
		"paired ratio": PairedRatio, "Walsh ratio": HodgesLehmannPairedRatio,
	}
	held, achieved := map[string]int{}, map[string]float64{}
	rng := rand.New(rand.NewPCG(19, 20))
	for range trials {
		a, b := make([]float64, k), make([]float64, k)
		for i := range a {
			a[i], b[i] = 100*math.Exp(.03*rng.NormFloat64()), 100*truth*math.Exp(.03*rng.NormFloat64())
		}
		for name, method := range methods {
			est, err := method(a, b, .95)
			if err != nil || est.N != k {
				t.Fatal(name, est, err)
			}
			held[name] += oneIf(est.Interval.Contains(truth))
			achieved[name] = est.Confidence
		}
	}
	for name := range methods {
		most := achieved[name] + .02
		if got := float64(held[name]) / trials; got < achieved[name]-.02 || got > most {
			t.Errorf("%s: covers %.3f, says %.3f", name, got, achieved[name])
		}
	}
}

func TestPermutationSampled(t *testing.T) {
	a, b := sequence(12), make([]float64, 12)
	for i := range b {
		b[i] = a[i] + 2.5
	}
	first, err := Permutation(a, b, MeanDifference, 20_001, 7)
	again, _ := Permutation(a, b, MeanDifference, 20_001, 7)
	other, _ := Permutation(a, b, MeanDifference, 20_001, 8)
	if err != nil || first.Exact || first.Method != PermutationSampledMethod || first.P != again.P || first.P == other.P {
		t.Errorf("%+v, %v; again %v, with another seed %v", first, err, again.P, other.P)
	}
	student, _ := Welch(a, b)
	if math.Abs(first.P-student.P) > .02 {
		t.Errorf("p %v, that of the t test is %v", first.P, student.P)
	}
	for i := range b {
		b[i] = a[i] + 1000
	}
	if got, _ := Permutation(a, b, MeanDifference, 30_000, 7); got.P != 2.0/30_001 {
		t.Errorf("the most extreme of 30,000 has p %v, want 2/30,001", got.P)
	}
}

// Signs: what a block does to both of its values must not matter, and n pairs have 2ⁿ
// arrangements.
func TestSignFlip(t *testing.T) {
	a, b := sequence(6), []float64{2, 3, 4, 5, 6, 7}
	got, err := SignFlip(a, b, 1, 0)
	if err != nil || !got.Exact || got.Method != SignFlipExactMethod || math.Abs(got.P-2.0/64) > 1e-12 || math.Abs(got.Statistic-1) > 1e-12 {
		t.Errorf("%+v, %v; want 2 of 2⁶ arrangements", got, err)
	}
	for i := range a {
		a[i], b[i] = a[i]+float64(100*i), b[i]+float64(100*i)
	}
	if moved, _ := SignFlip(a, b, 1, 0); moved.P != got.P {
		t.Errorf("blocks that differ: p %v, want %v", moved.P, got.P)
	}
	many, more := sequence(30), sequence(30)
	for i := range more {
		more[i] += 1 + float64(i%3)
	}
	sampled, err := SignFlip(many, more, 30_000, 3)
	if err != nil || sampled.Exact || sampled.Method != SignFlipSampledMethod || sampled.P != 2.0/30_001 {
		t.Errorf("%+v, %v; want the most extreme of 30,000", sampled, err)
	}
}

func TestEffectNames(t *testing.T) {
	for delta, want := range map[float64]string{0: "negligible", -.149: "negligible", .15: "small", -.33: "moderate", .47: "large", -1: "large"} {
		if got := EffectName(delta); got != want {
			t.Errorf("delta %v is %s, want %s", delta, got, want)
		}
	}
	if got := EffectName(CliffDelta(nil, []float64{1})); got != "unknown" {
		t.Errorf("nothing against something is %s", got)
	}
}

// A distance of something to itself is zero; distances see a tail that means hide.
func TestDistances(t *testing.T) {
	a := sequence(100)
	b := append(sequence(95), 1000, 1000, 1000, 1000, 1000)
	if KolmogorovSmirnov(a, a) != 0 || Wasserstein(a, a) != 0 {
		t.Error("something is far from itself")
	}
	if got := KolmogorovSmirnov(a, b); math.Abs(got-.05) > 1e-12 {
		t.Errorf("D = %v, want .05", got)
	}
	if got := Wasserstein(a, b); math.Abs(got-45.1) > 1e-9 {
		t.Errorf("W = %v, want 45.1", got)
	}
	if !math.IsNaN(KolmogorovSmirnov(nil, a)) || !math.IsNaN(Wasserstein(a, nil)) {
		t.Error("nothing has a distance")
	}
}

func TestMultiplicityOfMissing(t *testing.T) {
	p := []float64{.04, math.NaN(), .001}
	holm, bh := Holm(p), BenjaminiHochberg(p)
	if math.Abs(holm[2]-.003) > 1e-12 || holm[1] != 1 || math.Abs(holm[0]-.08) > 1e-12 || bh[1] != 1 || math.Abs(bh[0]-.06) > 1e-12 {
		t.Errorf("Holm %v, Benjamini–Hochberg %v", holm, bh)
	}
	if !math.IsNaN(p[1]) || len(Holm(nil)) != 0 {
		t.Error("the given values were changed, or nothing became something")
	}
}

// Values that never vary: an estimate has no width and says why, a t test refuses,
// and rounding is not taken for spread.
func TestNoSpread(t *testing.T) {
	a, b := []float64{.1, .1, .1}, []float64{.3, .3, .3}
	for name, f := range map[string]func(a, b []float64) (Test, error){
		"welch": Welch, "welchLog": WelchLog, "pairedT": PairedT, "pairedLog": PairedLog,
		"equivalent":       func(a, b []float64) (Test, error) { return Equivalent(a, b, .03, .05) },
		"nonInferior":      func(a, b []float64) (Test, error) { return NonInferior(a, b, .03, true) },
		"equivalentPaired": func(a, b []float64) (Test, error) { return EquivalentPaired(a, b, .03, .05) },
	} {
		if _, err := f(a, b); !errors.Is(err, ErrNoSpread) {
			t.Errorf("%s: %v, want ErrNoSpread", name, err)
		}
	}
	est, err := RatioOfMeans(a, b, .95)
	if err != nil || math.Abs(est.Value-3) > 1e-12 || math.Abs(est.Interval.Lo-3) > 1e-12 || len(est.Warnings) != 1 {
		t.Errorf("ratio %+v, %v", est, err)
	}
	if _, err := PairedT([]float64{.1, .2, .3}, []float64{1.1, 1.2, 1.3}); !errors.Is(err, ErrNoSpread) {
		t.Errorf("differences of one but for rounding: %v, want ErrNoSpread", err)
	}
	if got := HedgesG(a, b); !math.IsNaN(got) {
		t.Errorf("Hedges' g of values that never vary is %v", got)
	}
	if test, err := MannWhitney(a, a); err != nil || test.P != 1 {
		t.Errorf("equal values: %+v, %v; want p 1", test, err)
	}
	if test, err := Wilcoxon(a, a); err != nil || test.P != 1 || len(test.Warnings) == 0 {
		t.Errorf("equal pairs: %+v, %v; want p 1 and a warning", test, err)
	}
}

func TestTwoSampleRefusals(t *testing.T) {
	ok, nan, negative, inf := []float64{1, 2, 3}, []float64{1, math.NaN(), 3}, []float64{1, -2, 3}, []float64{1, math.Inf(1), 3}
	refused := func(what string, err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", what, err, want)
		}
	}
	_, err := Welch(ok, nan)
	refused("NaN", err, "finite")
	_, err = MannWhitney(inf, ok)
	refused("infinity", err, "finite")
	_, err = WelchLog(ok, negative)
	refused("negative", err, ErrNotPositive.Error())
	_, err = RatioOfMeans(ok, []float64{0, 1}, .95)
	refused("zero", err, ErrNotPositive.Error())
	_, err = HodgesLehmannRatio(ok, negative, .95)
	refused("negative", err, ErrNotPositive.Error())
	_, err = SignFlip(ok, ok[:2], 10, 1)
	refused("no pairs", err, "want pairs")
	_, err = SignFlip(ok, ok, 0, 1)
	refused("no rounds", err, "rounds")
	_, err = Welch(ok, []float64{1})
	refused("one value", err, "at least 2")
	_, err = Welch(nil, ok)
	refused("nothing", err, ErrNoSamples.Error())
	_, err = PairedT(ok, ok[:2])
	refused("no pairs", err, "want pairs")
	_, err = Wilcoxon(ok, ok[:2])
	refused("no pairs", err, "want pairs")
	_, err = Permutation(ok, ok, MeanDifference, 0, 1)
	refused("no rounds", err, "rounds")
	_, err = Permutation(ok, ok, func(a, b []float64) float64 { return math.NaN() }, 1, 1)
	refused("no statistic", err, "finite")
	_, err = RatioOfMeans(ok, ok, 1)
	refused("confidence", err, "between 0 and 1")
	_, err = Equivalent(ok, ok, 0, .05)
	refused("margin", err, "margin")
	_, err = Proportion(3, 2, .95)
	refused("more hits than trials", err, "hits")
	_, err = HodgesLehmann(make([]float64, 3000), make([]float64, 3000), .95)
	refused("requests", err, "launches")
}

// Arrangements without a statistic must not make P smaller.
func TestPermutationWithoutStatistic(t *testing.T) {
	a, b := []float64{1, 2, 3, 4}, []float64{5, 6, 7, 8}
	got, err := Permutation(a, b, func(x, y []float64) float64 {
		if y[0] != 5 {
			return math.NaN()
		}
		return MeanDifference(x, y)
	}, 1, 0)
	if err != nil || got.P < .5 {
		t.Errorf("%+v, %v; want a large p", got, err)
	}
}

func TestTwoLaunchesWarn(t *testing.T) {
	for name, f := range map[string]func(a, b []float64, confidence float64) (Estimate, error){"ratio": RatioOfMeans, "difference": DifferenceOfMeans} {
		two, err := f([]float64{100, 101}, []float64{102, 104, 103}, .95)
		three, err2 := f([]float64{100, 101, 99}, []float64{102, 104, 103}, .95)
		if err != nil || err2 != nil || len(two.Warnings) != 1 || len(three.Warnings) != 0 {
			t.Errorf("%s: warnings %v, %v; %v, %v; want one of two launches", name, two.Warnings, three.Warnings, err, err2)
		}
	}
}

func TestTestJSON(t *testing.T) {
	test, err := MannWhitney([]float64{1, 2, 3}, []float64{4, 5, 6})
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(test)
	want := `{"statistic":9,"p":0.1,"method":"mann-whitney/exact","exact":true,"warnings":["3 and 3 values: the smallest possible p is 0.1, so this test can never say anything at 5 %"]}`
	if err != nil || string(data) != want {
		t.Errorf("%s, %v; want %s", data, err, want)
	}
}
