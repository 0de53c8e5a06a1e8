package lexical

import "math"

// Moments are what one pair of numbers adds to a correlation.
func Moments(x, y float64) []float64 { return []float64{1, x, y, x * x, y * y, x * y} }

// Correlation is Pearson's, of the sums of the moments of pairs; of ranks it is Spearman's.
// It is NaN where one side does not vary.
func Correlation(sums []float64) float64 {
	n, x, y := sums[0], sums[1], sums[2]
	xx, yy := n*sums[3]-x*x, n*sums[4]-y*y
	if xx <= 0 || yy <= 0 {
		return math.NaN()
	}
	return (n*sums[5] - x*y) / math.Sqrt(xx) / math.Sqrt(yy)
}
