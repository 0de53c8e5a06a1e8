package stats

import (
	"fmt"

	"gonum.org/v1/gonum/stat/distuv"
)

// SharesMethod names the interval of ShareOverLaunches.
const SharesMethod = "pooled/clopper-pearson-design-effect"

// ShareOverLaunches estimates a share from the hits out of the trials of each launch.
// Launches whose shares differ by more than counting explains are worth fewer trials
// than they hold: hits and trials are divided by the design effect of the launches,
// and by (t/z)² for the few of them that it is known from, and the exact interval is
// taken of what is left (Korn and Graubard: Survey Methodology 24, 1998). It is never
// narrower than that of independent trials, and equal to it where the launches agree.
func ShareOverLaunches(hits, trials []int, confidence float64) (Estimate, error) {
	if len(hits) != len(trials) {
		return Estimate{}, fmt.Errorf("hits of %d launches and trials of %d: want both of each", len(hits), len(trials))
	}
	h, n := 0, 0
	for i := range hits {
		if hits[i] < 0 || hits[i] > trials[i] {
			return Estimate{}, fmt.Errorf("launch %d has %d hits of %d: want 0 ≤ hits ≤ trials", i, hits[i], trials[i])
		}
		h, n = h+hits[i], n+trials[i]
	}
	est, err := Proportion(h, n, confidence)
	if err != nil {
		return Estimate{}, err
	}
	est.N, est.UnseenShare = len(hits), UnseenShare(len(hits), confidence)
	est.Warnings = append(est.Warnings, apart(hits, trials)...)
	switch {
	case len(hits) == 1:
		est.Warnings = []string{"one launch: the interval is over its trials and says nothing of the next launch"}
		return est, nil
	case len(hits) < minMeanSamples:
		est.Warnings = append(est.Warnings, fmt.Sprintf("%d launches: too few to see whether launches differ, want at least %d", len(hits), minMeanSamples))
	}
	tail := (1 - confidence) / 2
	ratio := TQuantile(1-tail, len(hits)-1) / distuv.UnitNormal.Quantile(1-tail)
	if effect := launchEffect(hits, trials, est.Value) * ratio * ratio; effect > 1 {
		fewer, of := float64(h)/effect, float64(n)/effect
		est.Method = SharesMethod
		est.Interval = Hull(est.Interval, Interval{ShareAtLeast(fewer, of, tail), ShareAtMost(fewer, of, tail)})
	}
	return est, nil
}

// launchEffect is by how much more the pooled share varies than counting explains: the
// variance of the ratio of sums over launches, over that of as many independent trials.
func launchEffect(hits, trials []int, share float64) float64 {
	if share <= 0 || share >= 1 {
		return 0 // launches that agree completely
	}
	k, n, squares := float64(len(hits)), 0.0, 0.0
	for i := range hits {
		off := float64(hits[i]) - share*float64(trials[i])
		squares += off * off
		n += float64(trials[i])
	}
	return k / (k - 1) * squares / (n * share * (1 - share))
}
