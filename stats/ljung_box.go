package stats

import (
	"fmt"

	"gonum.org/v1/gonum/stat/distuv"
)

// A SeriesTest is the outcome of a test on an ordered series: its statistic and
// how likely one at least as large is where nothing is the matter.
type SeriesTest struct {
	Statistic float64 `json:"statistic"`
	P         float64 `json:"p"`
	Method    string  `json:"method"`
}

// LjungBox tests whether the first lags autocorrelations of xs are all zero
// (Ljung and Box 1978): Q = n(n+2)·Σρ²/(n−k) against χ² with lags degrees of
// freedom. A small p says that the values are not independent.
func LjungBox(xs []float64, lags int) (SeriesTest, error) {
	n := len(xs)
	if lags < 1 || lags >= n {
		return SeriesTest{}, fmt.Errorf("%d lags of %d values: want from 1 to n − 1", lags, n)
	}
	own := covariance(xs, 0)
	if own <= 0 {
		return SeriesTest{P: 1, Method: "ljung-box"}, nil // a constant says nothing
	}
	q := 0.0
	for k := 1; k <= lags; k++ {
		rho := covariance(xs, k) / own
		q += rho * rho / float64(n-k)
	}
	q *= float64(n) * float64(n+2)
	return SeriesTest{Statistic: q, P: distuv.ChiSquared{K: float64(lags)}.Survival(q), Method: "ljung-box"}, nil
}
