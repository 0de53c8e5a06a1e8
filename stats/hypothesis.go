package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// A Test is what a test of a hypothesis says. Its samples are replicates, one
// value per launch: the requests inside a launch share its luck, and a test that
// takes them for independent finds differences between a system and itself.
//
// Statistic and P are numbers always; what has none is an error.
type Test struct {
	Statistic float64 `json:"statistic"`
	DF        float64 `json:"df,omitempty"` // degrees of freedom; zero when the test has none
	P         float64 `json:"p"`            // two-sided unless the method says otherwise
	Method    string  `json:"method"`

	// Exact says that P is that of the distribution itself, not of a normal or
	// sampled stand-in. A t test is exact for normal values only and says false.
	Exact bool `json:"exact"`

	// Warnings do not stop the analysis but must be shown beside the number.
	Warnings []string `json:"warnings,omitempty"`
}

// ErrNoSpread says that no value of a test differs from its neighbours: there is
// no noise to hold a difference against, and the values speak for themselves.
var ErrNoSpread = errors.New("values that never vary have no t test: compare the values themselves")

// roundingSpread is the relative standard deviation below which spread is taken
// for rounding: a few hundred times the precision of a float64.
const roundingSpread = 1e-13

// needValues refuses samples with fewer than least values or with one that is no
// finite number.
func needValues(least int, samples ...[]float64) error {
	for _, xs := range samples {
		if len(xs) == 0 {
			return ErrNoSamples
		}
		if len(xs) < least {
			return fmt.Errorf("%d values on one side: want at least %d", len(xs), least)
		}
		for _, x := range xs {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("a value is %v: want finite numbers; leave out what was not measured and say so", x)
			}
		}
	}
	return nil
}

// needPairs is needValues for samples that belong together.
func needPairs(least int, a, b []float64) error {
	if len(a) != len(b) {
		return fmt.Errorf("%d and %d values: want pairs", len(a), len(b))
	}
	return needValues(least, a, b)
}

func needConfidence(confidence float64) error {
	if !(confidence > 0 && confidence < 1) {
		return fmt.Errorf("confidence %v: want between 0 and 1", confidence)
	}
	return nil
}

// logsOf is the natural logarithm of every value; it refuses what has none.
func logsOf(samples ...[]float64) ([][]float64, error) {
	all := make([][]float64, len(samples))
	for s, xs := range samples {
		all[s] = make([]float64, len(xs))
		for i, x := range xs {
			if !(x > 0) {
				return nil, ErrNotPositive
			}
			all[s][i] = math.Log(x)
		}
	}
	return all, nil
}

// differencesOf is b[i] − a[i].
func differencesOf(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = b[i] - a[i]
	}
	return d
}

// moments are the size, mean and n−1 variance of xs. A spread that rounding alone
// can make is none: without that, equal values would differ with certainty.
func moments(xs []float64) (n, mean, variance float64) {
	n = float64(len(xs))
	for _, x := range xs {
		mean += x
	}
	mean /= n
	scale, drift := 0.0, 0.0
	for _, x := range xs {
		variance += (x - mean) * (x - mean)
		drift += x - mean
		scale = max(scale, math.Abs(x))
	}
	variance = max(0, variance-drift*drift/n) / (n - 1)
	if slices.Min(xs) == slices.Max(xs) {
		return n, xs[0], 0
	}
	if math.Sqrt(variance) <= roundingSpread*scale {
		variance = 0
	}
	return n, mean, variance
}

// tTail is the chance that Student's t with df degrees of freedom exceeds t.
func tTail(t, df float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Survival(t)
}

// twoSided doubles the tail beyond |t|.
func twoSided(t, df float64) float64 { return min(1, 2*tTail(math.Abs(t), df)) }

// tQuantile is TQuantile for degrees of freedom that are no whole number, as
// Welch's are.
func tQuantile(p, df float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile(p)
}
