package stats

import (
	"fmt"
	"math"
)

// The methods of MannWhitney. The exact one counts all ways to deal the ranks to
// the sides, ties included.
const (
	MannWhitneyExactMethod  = "mann-whitney/exact"
	MannWhitneyNormalMethod = "mann-whitney/normal"
)

// mostExact is the most pairs, and its square the most values of one side times those
// of the other, for exact distributions of ranks. Counting takes some hundredths of a
// second there, and beyond the normal curve is right to the third digit.
const mostExact = 50

// fewEnough reports whether the ranks of two sides are counted out.
func fewEnough(na, nb int) bool { return na*nb <= mostExact*mostExact }

// MannWhitney tests whether values of b tend to be larger or smaller than those
// of a. Statistic is U of b: the number of pairs in which b is the larger, ties
// counting half. P is exact up to 50 values against 50, or as many pairs of another
// shape, ties or not; beyond, it is that of the normal curve with correction for ties
// and continuity.
func MannWhitney(a, b []float64) (Test, error) {
	if err := needValues(1, a, b); err != nil {
		return Test{}, err
	}
	na, nb := len(a), len(b)
	ranks, ties := doubledRanks(append(append(make([]float64, 0, na+nb), a...), b...))
	sum := 0
	for _, r := range ranks[na:] {
		sum += r
	}
	u := float64(sum)/2 - float64(nb*(nb+1))/2
	test := Test{Statistic: u, Method: MannWhitneyExactMethod, Exact: true}
	if fewEnough(na, nb) {
		test.P = rankSumP(ranks, ties, nb, sum)
		if least := 2 / choose(na+nb, nb); least > 0.05 {
			test.Warnings = []string{fmt.Sprintf("%d and %d values: the smallest possible p is %.3g, so this test can never say anything at 5 %%", na, nb, least)}
		}
		return test, nil
	}
	n1, n2, n := float64(na), float64(nb), float64(na+nb)
	variance := n1 * n2 / 12 * (n + 1 - tieTerm(ranks)/(n*(n-1)))
	test.Method, test.Exact, test.P = MannWhitneyNormalMethod, false, 1
	if variance > 0 {
		test.P = normalTails(math.Abs(u-n1*n2/2)-0.5, variance)
	}
	return test, nil
}

// rankSumP is the exact two-sided P of the doubled ranks of size values adding up
// to sum.
func rankSumP(ranks []int, ties bool, size, sum int) float64 {
	if !ties { // whole ranks are half the work
		halves := make([]int, len(ranks))
		for i, r := range ranks {
			halves[i] = r / 2
		}
		ranks, sum = halves, sum/2
	}
	if rest := len(ranks) - size; rest < size { // the smaller side says the same
		total := 0
		for _, r := range ranks {
			total += r
		}
		size, sum = rest, total-sum
	}
	return bothTails(chooseSums(ranks, size), sum)
}

// tieTerm is Σ(t³ − t) over the groups of equal ranks.
func tieTerm(ranks []int) float64 {
	counts := map[int]int{}
	for _, r := range ranks {
		counts[r]++
	}
	sum := 0.0
	for _, r := range ranks { // each member adds its share, so that the order is fixed
		t := float64(counts[r])
		sum += t*t - 1
	}
	return sum
}

// normalTails is the two-sided P of a deviation under a normal curve. Erfc keeps
// the digits of small tails.
func normalTails(deviation, variance float64) float64 {
	return min(1, math.Erfc(deviation/math.Sqrt(2*variance)))
}

// choose is the number of ways to choose k of n.
func choose(n, k int) float64 {
	return math.Round(math.Exp(lgamma(n+1) - lgamma(k+1) - lgamma(n-k+1)))
}
