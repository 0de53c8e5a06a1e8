package stats

import "math"

// MinimumDetectableEffect is the smallest relative difference between two
// systems that k launches on each side would show with the given power, for a
// two-sided test at level alpha and a launch-to-launch coefficient of variation
// cv: (t_{1−α/2} + t_{power})·cv·√(2/k) with 2k−2 degrees of freedom. It is
// infinite for k below two.
func MinimumDetectableEffect(cv float64, k int, alpha, power float64) float64 {
	if k < 2 {
		return math.Inf(1)
	}
	df := 2*k - 2
	return (TQuantile(1-alpha/2, df) + TQuantile(power, df)) * cv * math.Sqrt(2/float64(k))
}

// HalfWidth is the half-width of a mean's t interval over k launches, relative
// to the mean, for a launch-to-launch coefficient of variation cv.
func HalfWidth(cv float64, k int, confidence float64) float64 {
	if k < 2 {
		return math.Inf(1)
	}
	return TQuantile(1-(1-confidence)/2, k-1) * cv / math.Sqrt(float64(k))
}
