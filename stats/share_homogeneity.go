package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"
)

// SharesLevel is how often launches of one share may be said to differ.
const SharesLevel = .01

// leastExpected is how many hits, and how many misses, every launch must be expected to
// have for Pearson's statistic to follow its distribution.
const leastExpected = 5

// The methods of SharesDiffer.
const (
	SharesChiSquare = "chi-square"
	SharesExact     = "exact test"
)

// SharesDiffer is how often launches of one share would differ by as much as these: by
// Pearson's chi-square of their hits and misses, or, where a launch is expected to have
// fewer than five of either, by the exact chance of the launch that stands apart most. The
// method is empty where there is nothing to compare.
func SharesDiffer(hits, trials []int) (p float64, method string) {
	h, n := 0, 0
	for i := range hits {
		h, n = h+hits[i], n+trials[i]
	}
	if len(hits) < 2 || h == 0 || h == n {
		return 1, ""
	}
	share := float64(h) / float64(n)
	square, fewest := 0.0, math.Inf(1)
	for i := range hits {
		of := float64(trials[i])
		fewest = min(fewest, of*share, of*(1-share))
		off := float64(hits[i]) - share*of
		square += off * off / (of * share * (1 - share))
	}
	if fewest < leastExpected {
		return mostApart(hits, trials, h, n), SharesExact
	}
	return distuv.ChiSquared{K: float64(len(hits) - 1)}.Survival(square), SharesChiSquare
}

// mostApart is the smallest chance of any launch to have as many of the h hits of all n
// trials as it has, or as few, by the hypergeometric distribution, and Bonferroni's bound
// for having looked at both ends of every launch.
func mostApart(hits, trials []int, h, n int) float64 {
	least := 1.0
	for i := range hits {
		// Misses are as good as hits, and the fewer of the two make the shorter sum.
		mine, all := hits[i], h
		if 2*h > n {
			mine, all = trials[i]-hits[i], n-h
		}
		least = min(least, drawn(0, mine, all, trials[i], n), drawn(mine, min(all, trials[i]), all, trials[i], n))
	}
	return min(1, 2*float64(len(hits))*least)
}

// drawn is the chance that of so many draws without replacement, out of n things of which
// some are marked, from least to most are marked.
func drawn(least, most, marked, draws, n int) (sum float64) {
	ways := func(of, k int) float64 { return combin.LogGeneralizedBinomial(float64(of), float64(k)) }
	for x := max(least, draws+marked-n); x <= most; x++ {
		sum += math.Exp(ways(marked, x) + ways(n-marked, draws-x) - ways(n, draws))
	}
	return sum
}

// apart is the warning of an estimate whose launches differ by more than counting explains.
func apart(hits, trials []int) []string {
	if p, method := SharesDiffer(hits, trials); p <= SharesLevel {
		return []string{fmt.Sprintf("launches differ by more than chance (%s, p = %.2g): the share is the mean of unlike launches", method, p)}
	}
	return nil
}
