package stats

import (
	"fmt"

	"gonum.org/v1/gonum/stat/distuv"
)

// SharesLevel is how often launches of one share may be said to differ.
const SharesLevel = .01

// leastExpected is how many hits, and how many misses, every launch must be expected to
// have for Pearson's statistic to follow its distribution.
const leastExpected = 5

// SharesDiffer is how often launches of one share would differ by as much as these, by
// Pearson's chi-square of their hits and misses; false where one of them is expected to
// have fewer than five of either, or there is only one.
func SharesDiffer(hits, trials []int) (p float64, tested bool) {
	h, n := 0, 0
	for i := range hits {
		h, n = h+hits[i], n+trials[i]
	}
	share := float64(h) / float64(n)
	square := 0.0
	for i := range hits {
		of := float64(trials[i])
		if !(of*min(share, 1-share) >= leastExpected) {
			return 1, false
		}
		off := float64(hits[i]) - share*of
		square += off * off / (of * share * (1 - share))
	}
	if len(hits) < 2 {
		return 1, false
	}
	return distuv.ChiSquared{K: float64(len(hits) - 1)}.Survival(square), true
}

// apart is the warning of an estimate whose launches differ by more than counting explains.
func apart(hits, trials []int) []string {
	if p, tested := SharesDiffer(hits, trials); tested && p <= SharesLevel {
		return []string{fmt.Sprintf("launches differ by more than chance (chi-square, p = %.2g): the share is the mean of unlike launches", p)}
	}
	return nil
}
