package stats

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// The methods of Hodges and Lehmann's estimates. The normal ones choose their
// ranks by the normal curve, where MannWhitney or Wilcoxon would use it.
const (
	HodgesLehmannMethod            = "hodges-lehmann-shift/exact-ranks"
	HodgesLehmannNormalMethod      = "hodges-lehmann-shift/normal-ranks"
	HodgesLehmannRatioMethod       = "hodges-lehmann-ratio/exact-ranks"
	HodgesLehmannRatioNormalMethod = "hodges-lehmann-ratio/normal-ranks"
	WalshMethod                    = "walsh-averages/exact-ranks"
	WalshNormalMethod              = "walsh-averages/normal-ranks"
	WalshRatioMethod               = "walsh-averages-ratio/exact-ranks"
	WalshRatioNormalMethod         = "walsh-averages-ratio/normal-ranks"
)

// mostDifferences bounds the memory of all pairs. Launches never come near it.
const mostDifferences = 4_000_000

// HodgesLehmann estimates by how much b is shifted against a: the median of all
// differences b[j] − a[i]. Its interval is the shifts that MannWhitney would not
// reject: the differences of ranks c+1 and n₁n₂−c, where c is the largest U with a
// two-sided P of at most 1 − confidence; Confidence is what these ranks achieve
// without ties, and more with them. Too few values have no such ranks: then the
// interval is unbounded and a warning says how many it takes. N is the number of
// values on the smaller side.
func HodgesLehmann(a, b []float64, confidence float64) (Estimate, error) {
	if err := needConfidence(confidence); err != nil {
		return Estimate{}, err
	}
	if err := needValues(1, a, b); err != nil {
		return Estimate{}, err
	}
	if float64(len(a))*float64(len(b)) > mostDifferences {
		return Estimate{}, fmt.Errorf("%d by %d differences: want at most %d; the values should be launches, not requests", len(a), len(b), mostDifferences)
	}
	differences := make([]float64, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			differences = append(differences, y-x)
		}
	}
	slices.Sort(differences)
	est := Estimate{Value: middle(differences), N: min(len(a), len(b)), Method: HodgesLehmannMethod}
	cut, achieved, exact := shiftRanks(len(a), len(b), confidence)
	if !exact {
		est.Method = HodgesLehmannNormalMethod
	}
	est.Interval, est.Confidence = between(differences, cut), achieved
	if cut < 0 {
		est.Warnings = []string{fmt.Sprintf("%d and %d values have no interval at %.4g %%: want at least %d on each side", len(a), len(b), 100*confidence, leastForShift(confidence))}
	}
	return est, nil
}

// HodgesLehmannRatio is HodgesLehmann on logarithms: the factor by which b differs
// from a.
func HodgesLehmannRatio(a, b []float64, confidence float64) (Estimate, error) {
	return ratioOf(HodgesLehmann, HodgesLehmannRatioMethod, HodgesLehmannRatioNormalMethod, a, b, confidence)
}

// HodgesLehmannPaired estimates the shift of b[i] against a[i], where both belong
// to one block: the median of the Walsh averages of the differences. Its interval
// is the shifts that Wilcoxon would not reject.
func HodgesLehmannPaired(a, b []float64, confidence float64) (Estimate, error) {
	if err := needConfidence(confidence); err != nil {
		return Estimate{}, err
	}
	if err := needPairs(1, a, b); err != nil {
		return Estimate{}, err
	}
	d, n := differencesOf(a, b), len(a)
	if float64(n)*float64(n+1)/2 > mostDifferences {
		return Estimate{}, fmt.Errorf("the averages of %d pairs: want at most %d of them; the values should be launches, not requests", n, mostDifferences)
	}
	averages := make([]float64, 0, n*(n+1)/2)
	for i := range d {
		for j := range i + 1 {
			averages = append(averages, (d[i]+d[j])/2)
		}
	}
	slices.Sort(averages)
	est := Estimate{Value: middle(averages), N: n, Method: WalshMethod}
	cut, achieved, exact := walshRanks(n, confidence)
	if !exact {
		est.Method = WalshNormalMethod
	}
	est.Interval, est.Confidence = between(averages, cut), achieved
	if cut < 0 {
		est.Warnings = []string{fmt.Sprintf("%d pairs have no interval at %.4g %%: want at least %d", n, 100*confidence, leastForWalsh(confidence))}
	}
	return est, nil
}

// HodgesLehmannPairedRatio is HodgesLehmannPaired on logarithms.
func HodgesLehmannPairedRatio(a, b []float64, confidence float64) (Estimate, error) {
	return ratioOf(HodgesLehmannPaired, WalshRatioMethod, WalshRatioNormalMethod, a, b, confidence)
}

func ratioOf(estimate func(a, b []float64, confidence float64) (Estimate, error), exact, normal string, a, b []float64, confidence float64) (Estimate, error) {
	if err := needValues(1, a, b); err != nil {
		return Estimate{}, err
	}
	logs, err := logsOf(a, b)
	if err != nil {
		return Estimate{}, err
	}
	est, err := estimate(logs[0], logs[1], confidence)
	if err != nil {
		return Estimate{}, err
	}
	if est.Method == HodgesLehmannMethod || est.Method == WalshMethod {
		est.Method = exact
	} else {
		est.Method = normal
	}
	return exponential(est), nil
}

// shiftRanks is c of HodgesLehmann, −1 when there is none, with the confidence it
// achieves.
func shiftRanks(na, nb int, confidence float64) (cut int, achieved float64, exact bool) {
	if !fewEnough(na, nb) {
		n1, n2 := float64(na), float64(nb)
		return normalCut(n1*n2/2, n1*n2*(n1+n2+1)/12, confidence), confidence, false
	}
	ranks := make([]int, na+nb)
	for i := range ranks {
		ranks[i] = i + 1
	}
	few := min(na, nb)
	cut, achieved = cutOf(chooseSums(ranks, few)[few*(few+1)/2:], confidence)
	return cut, achieved, true
}

// walshRanks is shiftRanks for the averages of n pairs.
func walshRanks(n int, confidence float64) (cut int, achieved float64, exact bool) {
	if n > mostExact {
		k := float64(n)
		return normalCut(k*(k+1)/4, k*(k+1)*(2*k+1)/24, confidence), confidence, false
	}
	ranks := make([]int, n)
	for i := range ranks {
		ranks[i] = i + 1
	}
	cut, achieved = cutOf(flipSums(ranks), confidence)
	return cut, achieved, true
}

// cutOf is the largest c with 2·P(sum ≤ c) ≤ 1 − confidence, −1 when there is
// none, and the confidence of the interval it cuts.
func cutOf(chances []float64, confidence float64) (cut int, achieved float64) {
	below := 0.0
	for c, chance := range chances {
		if 2*(below+chance) > 1-confidence+rankSlack {
			if c == 0 {
				return -1, 0
			}
			return c - 1, 1 - 2*below
		}
		below += chance
	}
	return -1, 0
}

// normalCut is cutOf by the normal curve, continuity corrected.
func normalCut(mean, variance, confidence float64) int {
	z := distuv.UnitNormal.Quantile(1 - (1-confidence)/2)
	return max(-1, int(math.Floor(mean-z*math.Sqrt(variance)-0.5)))
}

// between is the values of ranks c+1 from below and from above.
func between(sorted []float64, c int) Interval {
	if c < 0 {
		return Unbounded
	}
	return Interval{sorted[c], sorted[len(sorted)-1-c]}
}

// middle is the median of sorted values, halfway between two.
func middle(sorted []float64) float64 {
	n := len(sorted)
	return sorted[(n-1)/2]/2 + sorted[n/2]/2
}

// leastForShift is the fewest values on each of two equal sides that have an
// interval.
func leastForShift(confidence float64) int {
	k := 1
	for 2/choose(2*k, k) > 1-confidence+rankSlack {
		k++
	}
	return k
}

// leastForWalsh is the fewest pairs that have an interval.
func leastForWalsh(confidence float64) int {
	n := 1
	for math.Pow(2, 1-float64(n)) > 1-confidence+rankSlack {
		n++
	}
	return n
}
