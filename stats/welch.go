package stats

import (
	"fmt"
	"math"
)

// The methods of two independent samples.
const (
	WelchMethod             = "welch-t"
	WelchLogMethod          = "welch-t/log"
	RatioOfMeansMethod      = "ratio-of-geometric-means/welch-t"
	DifferenceOfMeansMethod = "difference-of-means/welch-t"
)

// noSpreadWarning stands beside an interval of no width.
const noSpreadWarning = "the values never vary: the interval has no width because nothing is known of the noise"

// A contrast is a difference of means, b − a, with what a t test needs of it.
type contrast struct{ difference, se, df float64 }

// welch lets each side have its own variance (Welch 1947; the degrees of freedom
// are Satterthwaite's).
func welch(a, b []float64) contrast {
	na, ma, va := moments(a)
	nb, mb, vb := moments(b)
	sa, sb := va/na, vb/nb
	c := contrast{difference: mb - ma, se: math.Sqrt(sa + sb), df: na + nb - 2}
	if c.se > 0 {
		c.df = (sa + sb) * (sa + sb) / (sa*sa/(na-1) + sb*sb/(nb-1))
	}
	return c
}

// pairs is the contrast of the mean of b[i] − a[i] against zero. The differences
// carry the rounding of the values they were made from, so that is what their
// spread is held against.
func pairs(a, b []float64) contrast {
	n, mean, variance := moments(differencesOf(a, b))
	scale := 0.0
	for i := range a {
		scale = max(scale, math.Abs(a[i]), math.Abs(b[i]))
	}
	if math.Sqrt(variance) <= roundingSpread*scale {
		variance = 0
	}
	return contrast{mean, math.Sqrt(variance / n), n - 1}
}

// test is two-sided against a difference of zero.
func (c contrast) test(method string) (Test, error) {
	if c.se == 0 {
		return Test{}, ErrNoSpread
	}
	t := c.difference / c.se
	return Test{Statistic: t, DF: c.df, P: twoSided(t, c.df), Method: method}, nil
}

// estimate is the difference with its interval.
func (c contrast) estimate(confidence float64, n int, method string) Estimate {
	half := tQuantile(1-(1-confidence)/2, c.df) * c.se
	est := Estimate{
		Value: c.difference, Interval: Interval{c.difference - half, c.difference + half},
		Confidence: confidence, N: n, Method: method,
	}
	switch {
	case c.se == 0:
		est.Interval = Interval{c.difference, c.difference}
		est.Warnings = []string{noSpreadWarning}
	case n < minMeanSamples:
		est.Warnings = []string{tooWide(n)}
	}
	return est
}

// tooWide is the warning beside an interval of so few launches.
func tooWide(n int) string {
	return fmt.Sprintf("%d launches on a side: the interval is too wide to use, want at least %d", n, minMeanSamples)
}

// exponential turns an estimate of a log ratio into one of a ratio.
func exponential(est Estimate) Estimate {
	est.Value, est.Interval.Hi = math.Exp(est.Value), math.Exp(est.Interval.Hi)
	if est.Interval.Lo = math.Exp(est.Interval.Lo); est.Interval.Lo == 0 {
		est.Interval.Lo = math.Inf(-1) // nothing is known below
	}
	return est
}

// Welch tests whether the means of a and b differ; Statistic is positive when b
// is larger.
func Welch(a, b []float64) (Test, error) {
	if err := needValues(2, a, b); err != nil {
		return Test{}, err
	}
	return welch(a, b).test(WelchMethod)
}

// WelchLog tests whether the geometric means of a and b differ. Times and rates
// are skewed and their noise is relative, so this is the test for them.
func WelchLog(a, b []float64) (Test, error) {
	if err := needValues(2, a, b); err != nil {
		return Test{}, err
	}
	logs, err := logsOf(a, b)
	if err != nil {
		return Test{}, err
	}
	return welch(logs[0], logs[1]).test(WelchLogMethod)
}

// RatioOfMeans estimates by which factor b differs from a: the geometric mean of
// b over that of a, with Welch's interval on the logarithms. N is the number of
// values on the smaller side.
func RatioOfMeans(a, b []float64, confidence float64) (Estimate, error) {
	if err := needConfidence(confidence); err != nil {
		return Estimate{}, err
	}
	if err := needValues(2, a, b); err != nil {
		return Estimate{}, err
	}
	logs, err := logsOf(a, b)
	if err != nil {
		return Estimate{}, err
	}
	return exponential(welch(logs[0], logs[1]).estimate(confidence, min(len(a), len(b)), RatioOfMeansMethod)), nil
}

// DifferenceOfMeans estimates the mean of b less that of a with Welch's interval.
// N is the number of values on the smaller side.
func DifferenceOfMeans(a, b []float64, confidence float64) (Estimate, error) {
	if err := needConfidence(confidence); err != nil {
		return Estimate{}, err
	}
	if err := needValues(2, a, b); err != nil {
		return Estimate{}, err
	}
	return welch(a, b).estimate(confidence, min(len(a), len(b)), DifferenceOfMeansMethod), nil
}
