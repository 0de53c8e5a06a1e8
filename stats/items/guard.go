package items

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/stats"
)

// GuardedMethod names the intervals of Guard.
const GuardedMethod = "paired-items/guarded-t"

// A Guarded difference is bounded from below as if a few more items had been seen of
// which the second system lost everything, and from above as if it had won them.
//
// Most items of two similar systems do not differ, and Student's t knows only those
// that do. Of systems that lose 1 % of the items, one in twenty loses none of 300, and
// Student's t calls each of those equivalent with certainty. The guard adds (z² + 2)/3
// items, 1.57 at 5 %: what the exact upper bound of a Poisson count exceeds the normal
// one by (Molenaar: Approximations to the Poisson, Binomial and Hypergeometric
// Distribution Functions, 1970). Two systems a margin apart are then called equivalent
// in 5 % of evaluations at most, by enumeration of all outcomes of single right or
// wrong answers (30 to 1000 items, margins of 1 to 15 points); without it in 6 to 74 %.
// It widens an interval by less than two items out of n.
type Guarded struct {
	Lower, Upper Contrast

	// Size is how many items at once the guard takes for lost: one where items stand
	// alone, and what a cluster may lose elsewhere.
	Size float64

	alpha float64
	exact exactly // by counting; of nothing where items do not count one by one
}

// Guard makes bounds that each hold with confidence 1 − alpha. span is the largest
// difference that an item can make, such as 1 for scores from 0 to 1.
func (d Difference) Guard(alpha, span float64) Guarded {
	u := d.sample.unseen(alpha, span)
	g := Guarded{u.contrast(d.sample.d, -span), u.contrast(d.sample.d, span), u.size, alpha, exactly{}}
	if d.Flips != nil && d.sample.clusters.alone() && span == 1 {
		g.exact = exactly{d.Flips.Lost, d.Flips.Gained, d.Items}
	}
	return g
}

// The unseen are clusters that could have been drawn and were not.
type unseen struct {
	number float64 // of them
	size   float64 // items in each
	beside clusters
}

// fewTouched is the number of clusters that differ at all below which the worst of them
// says nothing about those that were not drawn.
const fewTouched = 5

// unseen sizes them by what a cluster was seen to lose or win: its items go wrong
// together. Where hardly any cluster differs, one that was not drawn may lose every
// item.
func (s sample) unseen(alpha, span float64) unseen {
	u := unseen{guardItems(alpha), 1, s.clusters}
	if s.clusters.alone() {
		return u
	}
	touched, squares, cubes := 0, 0.0, 0.0
	for _, sum := range s.clusters.sums(s.d, 0) {
		if sum != 0 {
			touched++
		}
		by := math.Abs(sum) / span
		squares, cubes = squares+by*by, cubes+by*by*by
	}
	if squares > 0 {
		u.size = math.Max(u.size, cubes/squares)
	}
	if touched < fewTouched {
		u.size = math.Max(u.size, float64(len(s.d))/float64(s.clusters.count()))
	}
	return u
}

// contrast is that of values and of the unseen, every item of which is worth imagined.
func (u unseen) contrast(values []float64, imagined float64) Contrast {
	n, k := float64(len(values))+u.number*u.size, float64(u.beside.count())+u.number
	mean := u.number * u.size * imagined / n
	for _, v := range values {
		mean += v / n
	}
	off := u.size * (imagined - mean)
	squares := u.beside.squares(values, mean) + u.number*off*off
	return Contrast{mean, math.Sqrt(k/(k-1)*squares) / n, u.beside.freedom()}
}

// guardItems is how many items the guard adds.
func guardItems(alpha float64) float64 { return (z(1-alpha)*z(1-alpha) + 2) / 3 }

// Interval is that of confidence 1 − 2·alpha.
func (g Guarded) Interval() stats.Interval {
	return stats.Interval{
		Lo: max(g.Lower.Interval(1-2*g.alpha).Lo, -g.exact.atMost(g.exact.lost, g.alpha)),
		Hi: min(g.Upper.Interval(1-2*g.alpha).Hi, g.exact.atMost(g.exact.gained, g.alpha)),
	}
}

// NotInferior is P of the hypothesis that the second system is worse by margin or more.
func (g Guarded) NotInferior(margin float64) float64 {
	return min(g.Lower.Above(-margin), g.exact.below(g.exact.lost, margin))
}

// Equivalent is P of the hypothesis that the systems are margin or more apart.
func (g Guarded) Equivalent(margin float64) float64 {
	return max(g.NotInferior(margin), g.notBetter(margin))
}

// notBetter is P of the hypothesis that the second system is better by margin or more.
func (g Guarded) notBetter(margin float64) float64 {
	return min(g.Upper.Below(margin), g.exact.below(g.exact.gained, margin))
}

// exactly bounds the difference by the items that were lost, and by those that were gained,
// alone: who is worse by the margin loses that share of the items at least, whatever is
// gained. Where few items flip this says more than Student's t, and where many flip it says
// nothing. That the better of both keeps the promise is enumerated too.
type exactly struct{ lost, gained, items int }

// atMost is the exact upper bound of the share of the items that hits were counted of.
func (e exactly) atMost(hits int, alpha float64) float64 {
	if e.items == 0 {
		return math.Inf(1)
	}
	return stats.ShareAtMost(float64(hits), float64(e.items), alpha)
}

// below is P of so few hits where the share is what is named, or more.
func (e exactly) below(hits int, share float64) float64 {
	if e.items == 0 || share >= 1 {
		return 1
	}
	return distuv.Binomial{N: float64(e.items), P: share}.CDF(float64(hits))
}
