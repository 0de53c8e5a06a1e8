package stats

import "math"

// UnseenShare is how many of all launches may behave in a way that none of k did: had
// a larger share of them done so, one of k would have shown it with the confidence.
// Three launches that agree leave room for a slow mode of 63 % of all launches, five
// for 45 %, ten for 26 %. No interval over the launches knows of it.
func UnseenShare(k int, confidence float64) float64 {
	return 1 - math.Pow(1-confidence, 1/float64(k))
}

// LaunchesToSee is the fewest launches of which one shows a mode of the given share of
// all launches with the confidence.
func LaunchesToSee(share, confidence float64) int {
	return int(math.Ceil(math.Log1p(-confidence)/math.Log1p(-share) - rankSlack))
}
