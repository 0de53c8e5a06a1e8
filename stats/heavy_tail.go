package stats

import "fmt"

const (
	// topPart is the part of the values whose weight in the sum is looked at, and
	// topSteps how many of its ranks stand for it.
	topPart, topSteps = .01, 100

	// heavyTop is the share of the sum from which on a mean hangs on its largest
	// hundredth. Exponential values hold 6 % there, log-normal ones of spread 0.5 hold
	// 3 %, of spread 1 hold 9 %; those of a Pareto distribution without a variance hold
	// more than 10 %, and the mean over launches of them covers 80 to 90 % for 95.
	heavyTop = .1

	// fewestForTail is the fewest values that have a largest hundredth.
	fewestForTail = 100
)

// TopShare is the share of the sum that the largest hundredth of some values holds, by
// their mean and their quantiles; zero where the mean is not above zero.
func TopShare(mean float64, quantile func(q float64) float64) float64 {
	if !(mean > 0) {
		return 0
	}
	sum := 0.0
	for i := range topSteps {
		sum += quantile(1 - topPart*(float64(i)+.5)/topSteps)
	}
	return topPart * sum / topSteps / mean
}

// HeavyTail is the warning beside a mean that a hundredth of the values decide; empty
// where none is due. Top is their TopShare, on average over the launches, of which the
// smallest has so many values.
func HeavyTail(top float64, fewest int) string {
	if fewest < fewestForTail || !(top > heavyTop) {
		return ""
	}
	return fmt.Sprintf("heavy tail: the largest 1 %% of the values hold %.0f %% of the sum, so the mean hangs on a few and its interval may be too narrow, however many launches there are; the median does not", 100*top)
}
