package items

import (
	"math"

	"assay/stats"
)

// A Scored is one item and the scores of a system's answers to it, one for each sample.
type Scored struct {
	Cluster string // as in Pair
	Scores  []float64
}

// The intervals of Score where that of a plain share does not serve.
const (
	EffectiveWilson = "items/wilson-effective"
	ScoreMethod     = "items/t"
)

// Score estimates the mean score of a system over items: another evaluation would ask
// others. Scores from 0 to 1 have Wilson's interval, which holds near both ends: of the
// items themselves where each was answered once, right or wrong, and stands alone, and of
// an effective number of items otherwise. Scores on another scale have Student's t over
// clusters.
func Score(list []Scored, confidence float64) (stats.Estimate, error) {
	if len(list) == 0 {
		return stats.Estimate{}, ErrNoItems
	}
	values, labels := make([]float64, len(list)), make([]string, len(list))
	right, plain, shares := 0, true, true
	for i, s := range list {
		var err error
		if values[i], err = meanScore(s.Scores); err != nil {
			return stats.Estimate{}, err
		}
		labels[i] = s.Cluster
		plain = plain && len(s.Scores) == 1 && binary(values[i])
		shares = shares && values[i] >= 0 && values[i] <= 1
		right += int(math.Round(values[i]))
	}
	c := clustersOf(labels)
	if plain && c.alone() {
		return Share(Wilson, right, len(list), confidence)
	}
	mean := contrastOf(values, c)
	e := stats.Estimate{Value: mean.Value, Interval: mean.Interval(confidence), Confidence: confidence, N: len(list), Method: ScoreMethod}
	if n := effective(values, c, mean, confidence); shares && n > 0 {
		e.Method, e.Interval = EffectiveWilson, wilson(mean.Value*n, n, confidence)
	}
	return e, nil
}

// fewOff is the number of clusters off a perfect score, or off none at all, below which
// the spread among those drawn says little about the others.
const fewOff = 10

// effective is how many single right or wrong answers would say as much about the mean of
// shares as these do (Korn and Graubard: Survey Methodology 24, 1998): the number at which
// p(1 − p)/n is the variance seen, less for a variance that few clusters had to tell.
//
// Several samples of an item say more than one, and a cluster may say less than its items.
// But where nearly everything is right, or wrong, the few items that are not decide, and
// their spread flatters: there, n is the number of clusters at most. Losses of different
// size count as (Σ loss)²/Σ loss². make bench-quality shows how often the intervals hold.
func effective(values []float64, c clusters, mean Contrast, confidence float64) float64 {
	k, p := float64(c.count()), mean.Value
	if !(mean.DF > 0) {
		return 0
	}
	if !(mean.SE > 1e-9) { // nothing varies, rounding aside
		return k
	}
	tail := 1 - (1-confidence)/2
	n := p * (1 - p) / (mean.SE * mean.SE) * math.Pow(z(tail)/mean.quantile(tail), 2)
	if math.Min(evenly(c.sums(values, 0)), evenly(c.sums(values, 1))) < fewOff {
		n = math.Min(n, k)
	}
	return n
}

// evenly is the number of equal parts that would vary as these do; 0 for nothing.
func evenly(parts []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, v := range parts {
		sum, squares = sum+v, squares+v*v
	}
	if squares == 0 {
		return 0
	}
	return sum * sum / squares
}
