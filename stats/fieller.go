package stats

import "math"

// FiellerMethod names the interval of FiellerRatio.
const FiellerMethod = "ratio-of-means/fieller"

// FiellerRatio estimates the mean of b over the mean of a with Fieller's interval,
// as Kalibera and Jones (2013) use it on launch means: each side has its own t and
// degrees of freedom, so that with few launches the interval is wider than it needs
// to be (it covers 97 % at eight a side, 99 % at three, when asked for 95). It is
// about arithmetic means, where RatioOfMeans is about
// geometric ones; costs and total times want this one. Where the mean of a cannot
// be told from zero the ratio is unbounded. N is the number of values on the
// smaller side.
func FiellerRatio(a, b []float64, confidence float64) (Estimate, error) {
	if err := needConfidence(confidence); err != nil {
		return Estimate{}, err
	}
	if err := needValues(2, a, b); err != nil {
		return Estimate{}, err
	}
	na, x, va := moments(a)
	nb, y, vb := moments(b)
	est := Estimate{Value: y / x, Interval: Unbounded, N: min(len(a), len(b)), Method: FiellerMethod}
	if x == 0 {
		return Estimate{}, ErrNotPositive
	}
	p := 1 - (1-confidence)/2
	hx, hy := tQuantile(p, na-1)*math.Sqrt(va/na), tQuantile(p, nb-1)*math.Sqrt(vb/nb)
	if x*x <= hx*hx {
		est.Warnings = []string{"the mean that divides cannot be told from zero: the ratio has no bounds"}
		return est, nil
	}
	// (xy)² − (x²−hx²)(y²−hy²), multiplied out so that large means do not cancel.
	root := math.Sqrt(x*x*hy*hy + y*y*hx*hx - hx*hx*hy*hy)
	below := x*x - hx*hx
	est.Interval, est.Confidence = Interval{(x*y - root) / below, (x*y + root) / below}, confidence
	switch {
	case hx == 0 && hy == 0:
		est.Warnings = []string{noSpreadWarning}
	case est.N < minMeanSamples:
		est.Warnings = []string{tooWide(est.N)}
	}
	return est, nil
}
