package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
)

// kpssFewest is the fewest values worth testing: below it the test has neither
// its level nor any power.
const kpssFewest = 50

// Critical values of Kwiatkowski, Phillips, Schmidt and Shin (1992), table 1, for
// a level and for a level with a slope.
var (
	kpssProbabilities = []float64{.10, .05, .025, .01}
	kpssLevel         = []float64{.347, .463, .574, .739}
	kpssSlope         = []float64{.119, .146, .176, .216}
)

// KPSS tests the hypothesis that xs is stationary around a level, or with slope
// around a straight line, against a random walk. Lags is the window of the
// long-run variance; negative means ⌈12(n/100)^¼⌉. P is interpolated in the
// published table and lies between .01 and .10: one at an end means "at most" or
// "at least".
func KPSS(xs []float64, slope bool, lags int) (SeriesTest, error) {
	n := len(xs)
	if n < kpssFewest {
		return SeriesTest{}, fmt.Errorf("%d values: KPSS wants at least %d", n, kpssFewest)
	}
	if lags < 0 {
		lags = int(math.Ceil(12 * math.Pow(float64(n)/100, .25)))
	}
	if lags >= n {
		return SeriesTest{}, fmt.Errorf("%d lags of %d values: want fewer lags than values", lags, n)
	}
	residuals, table := make([]float64, n), kpssLevel
	mean := stat.Mean(xs, nil)
	offset, tilt := mean, 0.0
	if slope {
		table = kpssSlope
		at := make([]float64, n)
		for i := range at {
			at[i] = float64(i)
		}
		offset, tilt = stat.LinearRegression(at, xs, nil, false)
	}
	for i, x := range xs {
		residuals[i] = x - offset - tilt*float64(i)
	}
	variance := longRunVariance(residuals, lags)
	if variance <= 0 {
		return SeriesTest{P: kpssProbabilities[0], Method: "kpss"}, nil
	}
	sum, squares := 0.0, 0.0
	for _, r := range residuals {
		sum += r
		squares += sum * sum
	}
	statistic := squares / (float64(n) * float64(n) * variance)
	return SeriesTest{Statistic: statistic, P: interpolate(statistic, table, kpssProbabilities), Method: "kpss"}, nil
}

// interpolate is the straight line through the points (xs, ys), xs rising, held
// at its ends.
func interpolate(x float64, xs, ys []float64) float64 {
	if x <= xs[0] {
		return ys[0]
	}
	for i := 1; i < len(xs); i++ {
		if x <= xs[i] {
			share := (x - xs[i-1]) / (xs[i] - xs[i-1])
			return ys[i-1] + share*(ys[i]-ys[i-1])
		}
	}
	return ys[len(ys)-1]
}
