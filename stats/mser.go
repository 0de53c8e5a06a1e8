package stats

import "math"

// A Truncation is how much of the beginning of a series is best left out.
type Truncation struct {
	Drop      int     `json:"drop"`      // values at the beginning
	Statistic float64 `json:"statistic"` // of what remains
	Rejected  bool    `json:"rejected"`  // no end of a warm-up was found in the first half
}

// MSER finds the beginning of a series that, left out, makes the standard error
// of the mean of the rest smallest (White 1997): it minimises
// Σ_{i>d}(x_i − x̄_d)²/(n−d)². Only the first half is looked at. A minimum at its
// very end means that none was found: towards the end of any series a few values
// that happen to be alike look steady.
func MSER(xs []float64) Truncation {
	n := len(xs)
	t := Truncation{Statistic: math.Inf(1)}
	if n < 4 {
		return Truncation{Rejected: true}
	}
	// From the end backwards, with Welford's update: sums of squares would lose
	// all digits for a small spread on a high level.
	var mean, squares float64
	for d := n - 1; d >= 0; d-- {
		count := float64(n - d)
		delta := xs[d] - mean
		mean += delta / count
		squares += delta * (xs[d] - mean)
		if d > n/2 {
			continue
		}
		if v := squares / (count * count); v <= t.Statistic { // of equal ones the one that keeps more
			t.Drop, t.Statistic = d, v
		}
	}
	t.Rejected = t.Drop >= n/2
	return t
}

// MSER5 is MSER over the means of five successive values, which single outliers
// and the dependence of neighbours disturb less (Spratt 1998). Drop counts values
// of xs.
func MSER5(xs []float64) Truncation {
	t := MSER(BatchMeans(xs, 5))
	t.Drop *= 5
	return t
}
