package compare

import (
	"fmt"
	"math"

	"assay/stats"
)

// settle says what would turn an inconclusive row into another verdict: launches
// enough to show a difference of the size seen, where that is beyond the margin,
// or to show equivalence, where it is not. The advice trusts the spread and the
// effect seen so far and is no better than they are.
func (row *Row) settle(margin, alpha, power float64) string {
	v := row.values
	cv := v.Spread()
	switch {
	case row.uncertified:
		return "more requests in each launch: the percentile needs them"
	case v.Least() < leastLaunches:
		return fmt.Sprintf("%s: %d are the fewest that show any spread", more(leastLaunches-v.Least(), v.Paired), leastLaunches)
	case row.onlyArrivals(alpha):
		return row.sameArrivals()
	case row.onlyRuns(alpha):
		return row.inTurn()
	case v.Share():
		return "more requests in each launch, or a wider margin"
	case row.Ratio == nil || math.IsNaN(cv) || cv == 0:
		return ""
	}
	effect := math.Abs(math.Log(row.Ratio.Value))
	if effect > math.Log1p(margin) {
		effect = math.Expm1(effect)
		need, ok := stats.LaunchesNeeded(cv, effect, alpha, power)
		if v.Paired {
			need, ok = stats.PairsNeeded(cv, effect, alpha, power)
		}
		return row.buy(need, ok, fmt.Sprintf("to show a difference of the size seen (%.1f %%)", 100*effect))
	}
	need, ok := stats.LaunchesForEquivalence(cv, margin, alpha, power)
	if v.Paired {
		need, ok = stats.PairsForEquivalence(cv, margin, alpha, power)
	}
	return row.buy(need, ok, fmt.Sprintf("to show equivalence within %.3g %%, if they are equal", 100*margin))
}

// buy says how many launches to add.
func (row *Row) buy(need int, ok bool, purpose string) string {
	have := row.values.Least()
	switch {
	case !ok:
		return "no number of launches worth naming would do " + purpose + ": the launches differ too much among themselves"
	case need <= have:
		return fmt.Sprintf("%s: these should have sufficed %s, and it was bad luck", more(1, row.values.Paired), purpose)
	}
	return more(need-have, row.values.Paired) + " " + purpose
}

func more(n int, paired bool) string {
	switch {
	case paired && n == 1:
		return "1 more block"
	case paired:
		return fmt.Sprintf("%d more blocks", n)
	case n == 1:
		return "1 more launch each"
	}
	return fmt.Sprintf("%d more launches each", n)
}
