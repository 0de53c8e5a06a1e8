package gate

import (
	"fmt"
	"math"
)

// modesFloor is the least P that so many launches of a side can support. Servers
// come up in one of two modes (a slow NUMA node, another kernel chosen by
// autotuning): launches inside a mode hardly differ, so a t test is certain as soon
// as all launches of one side fall into the one mode and all of the other into the
// other, however few they are. Where a launch takes the slow mode with the chance q,
// that happens to a system and itself with q^b·(1−q)^a, which is largest for
// q = b/(a+b). No test on a and b launches may claim to be surer than that: three
// each support 1/64, five 1/1024. Pairs are no better: a block shows it with a
// chance of q·(1−q).
func modesFloor(a, b int) float64 {
	n := float64(a + b)
	return split(float64(b)/n, a, b)
}

// split is the chance that all launches of one side take a mode and none of the other's, where
// a launch takes it with the chance q.
func split(q float64, a, b int) float64 {
	return math.Pow(1-q, float64(a)) * math.Pow(q, float64(b))
}

// modesFloor is the same with what earlier runs know: a mode that no more than a share of their
// launches had does not fill three launches of one side by chance.
func (q Question) modesFloor() float64 {
	a, b := len(q.Values.A), len(q.Values.B)
	if q.Values.Past == nil {
		return modesFloor(a, b)
	}
	most := q.Values.Past.ModeShare()
	return min(modesFloor(a, b), max(split(most, a, b), split(most, b, a)))
}

// launchesForFamily is the fewest launches of each side with which a difference in
// one of so many metrics can be claimed at all.
func launchesForFamily(family int, alpha float64) int {
	k := leastLaunches
	for float64(family)*modesFloor(k, k) > alpha {
		k++
	}
	return k
}

// tooFew says why launches that look different are not called so.
func (q Question) tooFew(l Levels, family int) string {
	return fmt.Sprintf("%d and %d launches cannot carry that for %d metrics at once: if launches come in two modes, chance alone does this in 1 of %.0f; it takes %d each",
		len(q.Values.A), len(q.Values.B), family, 1/q.modesFloor(), launchesForFamily(family, l.Alpha))
}
