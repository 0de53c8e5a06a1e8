package compare

import (
	"math"

	"assay/stats"
)

// shareMethod names the interval of a difference of shares: Newcombe's, from one
// interval on each side that covers both the spread of the launches and the
// counts inside them.
const shareMethod = "difference-of-shares/newcombe"

// shareDifference is candidate − baseline. Launches that all saw no error have no
// spread, yet "none in 100" on each side does not mean that there is no
// difference: so each side's interval holds the exact one of its counts, and the
// two are combined by the square-and-add method of Newcombe (1998).
func (v Values) shareDifference(confidence float64) (stats.Estimate, error) {
	pa, a, err := shareInterval(v.A, v.TrialsA, confidence)
	if err != nil {
		return stats.Estimate{}, err
	}
	pb, b, err := shareInterval(v.B, v.TrialsB, confidence)
	if err != nil {
		return stats.Estimate{}, err
	}
	d := pb - pa
	return stats.Estimate{
		Value: d, N: v.Least(), Confidence: confidence, Method: shareMethod,
		Interval: stats.Interval{
			Lo: max(-1, d-math.Hypot(pb-b.Lo, a.Hi-pa)),
			Hi: min(1, d+math.Hypot(b.Hi-pb, pa-a.Lo)),
		},
	}, nil
}

// shareInterval is the pooled share of one side with an interval that allows for
// launches that differ.
func shareInterval(values []float64, trials []int, confidence float64) (float64, stats.Interval, error) {
	hits := make([]int, len(values))
	for i, v := range values {
		hits[i] = int(math.Round(v * float64(trials[i])))
	}
	est, err := stats.ShareOverLaunches(hits, trials, confidence)
	return est.Value, est.Interval, err
}

// shareTest finds the level at which the interval of the difference just leaves
// zero out.
func (v Values) shareTest() (stats.Test, error) {
	excludes := func(p float64) (bool, error) {
		d, err := v.shareDifference(1 - p)
		return err == nil && (d.Interval.Lo > 0 || d.Interval.Hi < 0), err
	}
	lo, hi := math.Log(1e-12), math.Log(.999)
	widest, err := excludes(math.Exp(hi))
	if err != nil {
		return stats.Test{}, err
	}
	test := stats.Test{P: 1, Method: shareMethod}
	if !widest {
		return test, nil
	}
	for range 40 { // halves the logarithm's range to nothing
		middle := (lo + hi) / 2
		out, err := excludes(math.Exp(middle))
		if err != nil {
			return stats.Test{}, err
		}
		if out {
			hi = middle
		} else {
			lo = middle
		}
	}
	test.P = math.Exp(hi)
	return test, nil
}
