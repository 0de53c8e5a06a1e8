package compare

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"assay/metric"
	"assay/spec"
	"assay/stats"
)

// Values are what the launches of two sides gave in one statistic of one metric:
// a value for each launch, which is the unit of replication.
type Values struct {
	A, B []float64 // baseline and candidate

	// Paired says that A[i] and B[i] belong together: to one block, in which both sides
	// were measured one after the other, or to one set of hosts.
	Paired bool

	// A share counts: hits of trials in each launch.
	TrialsA, TrialsB []int

	// By names the test of a difference, as comparison.test of the candidate's
	// document does; empty means a t test.
	By string

	// Past is what earlier runs teach about the spread of the values; nil where nobody
	// knows.
	Past *stats.Past
}

// Positive reports whether every value is above zero, so that ratios have a
// meaning.
func (v Values) Positive() bool {
	above := func(x float64) bool { return !(x > 0) }
	return !slices.ContainsFunc(v.A, above) && !slices.ContainsFunc(v.B, above)
}

// Share reports whether the values are shares of counted trials.
func (v Values) Share() bool { return len(v.TrialsA) > 0 && len(v.TrialsB) > 0 }

// Least is the number of launches of the smaller side.
func (v Values) Least() int { return min(len(v.A), len(v.B)) }

// Ratio estimates candidate ÷ baseline.
func (v Values) Ratio(confidence float64) (stats.Estimate, error) {
	if v.Past != nil {
		return v.withPast().Ratio(confidence)
	}
	if v.Paired {
		return stats.PairedRatio(v.A, v.B, confidence)
	}
	return stats.RatioOfMeans(v.A, v.B, confidence)
}

// Difference estimates candidate − baseline.
func (v Values) Difference(confidence float64) (stats.Estimate, error) {
	switch {
	case v.Share():
		return v.shareDifference(confidence)
	case v.Paired:
		return stats.PairedDifference(v.A, v.B, confidence)
	}
	return stats.DifferenceOfMeans(v.A, v.B, confidence)
}

// Shift is Ratio by ranks, which a single wild launch does not move.
func (v Values) Shift(confidence float64) (stats.Estimate, error) {
	if v.Paired {
		return stats.HodgesLehmannPairedRatio(v.A, v.B, confidence)
	}
	return stats.HodgesLehmannRatio(v.A, v.B, confidence)
}

// Test asks whether the sides differ at all, by the test that was declared. A t test is
// on logarithms where every value is above zero, on the values themselves elsewhere.
func (v Values) Test() (stats.Test, error) {
	switch {
	case v.Share():
		return v.shareTest()
	case v.Past != nil:
		return v.withPast().Test()
	case v.By == spec.TestByRanks:
		return v.Ranks()
	case v.By == spec.TestByPermutation:
		return v.permute()
	case v.Positive() && v.Paired:
		return stats.PairedLog(v.A, v.B)
	case v.Positive():
		return stats.WelchLog(v.A, v.B)
	case v.Paired:
		return stats.PairedT(v.A, v.B)
	}
	return stats.Welch(v.A, v.B)
}

// Ranks asks whether the sides differ by ranks alone, for launches that are far
// from log-normal: Mann and Whitney's test, or Wilcoxon's for pairs. It cannot
// show anything with three launches a side.
func (v Values) Ranks() (stats.Test, error) {
	if v.Paired {
		return stats.Wilcoxon(v.A, v.B)
	}
	return stats.MannWhitney(v.A, v.B)
}

// permutations are those that are tried at random where all of them are too many, and
// permutationSeed is what they are drawn from: whoever has the launches gets the same P.
const permutations, permutationSeed = 100_000, 1

// permute asks whether the sides differ by rearranging the launches between them, or
// inside blocks.
func (v Values) permute() (stats.Test, error) {
	a, b := v.A, v.B
	if v.Positive() {
		a, b = logs(a), logs(b)
	}
	if v.Paired {
		return stats.SignFlip(a, b, permutations, permutationSeed)
	}
	return stats.Permutation(a, b, stats.MeanDifference, permutations, permutationSeed)
}

// Equivalent asks whether the sides differ by less than margin, by two one-sided
// tests on the logarithms.
func (v Values) Equivalent(margin, alpha float64) (stats.Test, error) {
	if v.Past != nil {
		return v.withPast().Equivalent(margin, alpha)
	}
	if v.Paired {
		return stats.EquivalentPaired(v.A, v.B, margin, alpha)
	}
	return stats.Equivalent(v.A, v.B, margin, alpha)
}

// NotWorse asks whether the candidate is worse by less than margin.
func (v Values) NotWorse(margin float64, better metric.Direction) (stats.Test, error) {
	if v.Past != nil {
		return v.withPast().NotWorse(margin, better == metric.Lower)
	}
	if v.Paired {
		return stats.NonInferiorPaired(v.A, v.B, margin, better == metric.Lower)
	}
	return stats.NonInferior(v.A, v.B, margin, better == metric.Lower)
}

// Spread is the standard deviation of the logarithms, which for a few per cent is
// the coefficient of variation: from launch to launch, both sides taken together,
// or of the ratios of pairs. It is NaN for fewer than two launches a side.
func (v Values) Spread() float64 {
	if v.Least() < 2 || !v.Positive() {
		return math.NaN()
	}
	a, b := logs(v.A), logs(v.B)
	if v.Paired {
		for i := range b {
			b[i] -= a[i]
		}
		return stat.StdDev(b, nil)
	}
	return math.Sqrt((stat.Variance(a, nil) + stat.Variance(b, nil)) / 2)
}

// Detectable is the smallest relative difference that these launches would show
// with the given power: (t_{1−α/2} + t_{power}) standard errors of the log ratio.
// It is infinite for fewer than two launches a side.
func (v Values) Detectable(alpha, power float64) float64 {
	cv, ka, kb := v.Spread(), float64(len(v.A)), float64(len(v.B))
	if math.IsNaN(cv) {
		return math.Inf(1)
	}
	if v.Past != nil {
		return v.withPast().Detectable(alpha, power)
	}
	if v.Paired {
		df := len(v.A) - 1
		return (stats.TQuantile(1-alpha/2, df) + stats.TQuantile(power, df)) * cv / math.Sqrt(ka)
	}
	if ka == kb {
		return stats.MinimumDetectableEffect(cv, len(v.A), alpha, power)
	}
	df := len(v.A) + len(v.B) - 2
	se := math.Sqrt(stat.Variance(logs(v.A), nil)/ka + stat.Variance(logs(v.B), nil)/kb)
	return (stats.TQuantile(1-alpha/2, df) + stats.TQuantile(power, df)) * se
}

func logs(xs []float64) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = math.Log(x)
	}
	return out
}
