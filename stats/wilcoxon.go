package stats

import (
	"fmt"
	"math"
)

// The methods of Wilcoxon.
const (
	WilcoxonExactMethod  = "wilcoxon-signed-rank/exact"
	WilcoxonNormalMethod = "wilcoxon-signed-rank/normal"
)

// Wilcoxon tests whether b[i] − a[i] is distributed about zero, where both belong
// to one block. Statistic is the sum of the ranks of the pairs in which b is the
// larger. Pairs without a difference are left out, as Wilcoxon did, and named in a
// warning. P is exact up to fifty pairs, ties or not; beyond, it is that of the
// normal curve with correction for ties and continuity.
func Wilcoxon(a, b []float64) (Test, error) {
	if err := needPairs(1, a, b); err != nil {
		return Test{}, err
	}
	d, warnings := unequal(a, b)
	test := Test{P: 1, Method: WilcoxonExactMethod, Exact: true, Warnings: warnings}
	if len(d) == 0 {
		return test, nil
	}
	sizes := make([]float64, len(d))
	for i, v := range d {
		sizes[i] = math.Abs(v)
	}
	ranks, ties := doubledRanks(sizes)
	sum := 0
	for i, v := range d {
		if v > 0 {
			sum += ranks[i]
		}
	}
	test.Statistic = float64(sum) / 2
	if len(d) <= mostExact {
		test.P = signedRankP(ranks, ties, sum)
		if least := math.Pow(2, 1-float64(len(d))); least > 0.05 {
			test.Warnings = append(test.Warnings, fmt.Sprintf("%d pairs: the smallest possible p is %.3g, so this test can never say anything at 5 %%", len(d), least))
		}
		return test, nil
	}
	n := float64(len(d))
	variance := n*(n+1)*(2*n+1)/24 - tieTerm(ranks)/48
	test.Method, test.Exact = WilcoxonNormalMethod, false
	test.P = normalTails(math.Abs(test.Statistic-n*(n+1)/4)-0.5, variance)
	return test, nil
}

// signedRankP is the exact two-sided P of doubled ranks adding up to sum.
func signedRankP(ranks []int, ties bool, sum int) float64 {
	if !ties {
		halves := make([]int, len(ranks))
		for i, r := range ranks {
			halves[i] = r / 2
		}
		ranks, sum = halves, sum/2
	}
	return bothTails(flipSums(ranks), sum)
}

// unequal is the differences that are not zero, and a warning of those that are.
func unequal(a, b []float64) (d []float64, warnings []string) {
	for _, v := range differencesOf(a, b) {
		if v != 0 {
			d = append(d, v)
		}
	}
	if equal := len(a) - len(d); equal > 0 {
		warnings = []string{fmt.Sprintf("%d of %d pairs have no difference and are left out", equal, len(a))}
	}
	return d, warnings
}
