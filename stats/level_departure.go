package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

const (
	// youngest is how many values a series has whose step of five runs after five should be
	// seen, and youngShare how much larger than that of long series the P is which is asked
	// of it. It falls with the fourth power of the number of values, down to 1 at 28: false alarms
	// are spent where the spread is known worst, since nowhere else do they buy as much. The
	// three numbers are those with which steps of three to five spreads are seen in 95 % within
	// five runs at 0.8 false alarms in 1,000 series-days (make bench-change-points counts both,
	// and the alarms by the age of the series). More than youngMost is asked by nobody.
	youngest, youngShare, youngFall, youngMost = 10, 60, 4, .01

	// hastyShare is that of places with two values after them, as long as a series is young.
	hastyShare = .1

	// looseP is for the values after a step without the farthest of them: they need not show
	// the step alone, but must lean towards it, so that one outlier among them makes no step.
	// Where P is larger, so is this, up to looseMost.
	looseP, looseShare, looseMost = .003, 10, .05

	// fewestCorrelated is from how many values on the correlation of neighbours is looked at,
	// and surelyCorrelated how many of its errors it must be.
	// More than mostCorrelated cannot be told from levels that were not found.
	fewestCorrelated, surelyCorrelated, mostCorrelated = 15, 1.4, .8
)

// LevelStepP is the P that LevelSteps asks of a place with so many values before and after it,
// where long series have p.
func LevelStepP(before, after float64, p float64) float64 {
	share := youngShare * math.Pow(youngest/max(youngest, before+after), youngFall)
	if after <= FewestAfter {
		share *= hastyShare
	}
	return max(p, min(youngMost, p*share))
}

// A levelDeparture is how far values lie from a level.
type levelDeparture struct {
	p, allowed float64
	level      RememberedLevel
	before     squares
}

// strength is how far the values are from what would be no departure; one is just enough.
func (d levelDeparture) strength() float64 { return d.p / d.allowed }

func departureOf(level, after []float64, prior squares, past neighbours, p float64) levelDeparture {
	before := withoutFarthest(level)
	rest := after
	if len(after) >= FewestLevel {
		after = withoutFarthest(after)
	}
	mean, own := squaresOf(before)
	to, its := squaresOf(after)
	df := own.df + its.df + prior.df
	spread := math.Sqrt((own.sum + its.sum + prior.sum) / df)
	d := levelDeparture{p: 1, before: own, level: RememberedLevel{mean, math.Sqrt((own.sum + prior.sum) / max(1, own.df+prior.df)), len(before)}}
	n, k := float64(len(before)), float64(len(after))
	d.allowed = LevelStepP(n+prior.df, k, p)
	if to == mean {
		return d
	}
	off := to - mean
	farthest := slices.MaxFunc(rest, func(a, b float64) int { return cmp.Compare((a-mean)*off, (b-mean)*off) })
	others := (stat.Mean(rest, nil)*float64(len(rest)) - farthest) / float64(len(rest)-1)
	lean := (others - mean) * math.Copysign(1, off)
	if spread == 0 { // a level without noise: whatever differs, departs
		if lean > 0 {
			d.p = 0
		}
		return d
	}
	r := past.with(before).correlation()
	far := func(off, k float64) float64 { return twoSided(off/(spread*errorOfDifference(n, k, r)), df) }
	if loose := max(looseP, min(looseMost, looseShare*d.allowed)); lean > 0 && far(lean, float64(len(rest)-1)) <= loose {
		d.p = far(off, k)
	}
	return d
}

func squaresOf(xs []float64) (mean float64, s squares) {
	mean = stat.Mean(xs, nil)
	for _, x := range xs {
		s.sum += (x - mean) * (x - mean)
	}
	s.df = float64(len(xs) - 1)
	return mean, s
}

// errorOfDifference is that of the means of n and k values, in spreads of a value, whose
// neighbours are correlated by r, and farther ones by its powers.
func errorOfDifference(n, k, r float64) float64 {
	if r == 0 {
		return math.Sqrt(1/n + 1/k)
	}
	return math.Sqrt((sumInflation(n, r)/n + sumInflation(k, r)/k) / (1 - (sumInflation(n, r)-1)/(n-1)))
}

// sumInflation is by how much the variance of a sum of n values grows with their correlation.
func sumInflation(n, r float64) float64 {
	return 1 + 2*r/(1-r)*(1-(1-math.Pow(r, n))/(n*(1-r)))
}

// neighbours are sums over the values of levels, each without a line through it: one that
// drifts is not correlated, and would hide the next step.
type neighbours struct {
	product, square float64 // of a value with the next, and with itself
	values, fitted  float64 // how many, and what their lines have taken
}

func (s neighbours) with(xs []float64) neighbours {
	if len(xs) < FewestLevel {
		return s
	}
	rest := besideLine(xs)
	for i, x := range rest {
		s.square += x * x
		if i > 0 {
			s.product += x * rest[i-1]
		}
	}
	s.values += float64(len(xs))
	s.fitted += 2
	return s
}

// correlation is that of neighbours where there are enough to tell it from none, with what the
// lines through short levels take from it; else it is 0.
func (s neighbours) correlation() float64 {
	if s.values < fewestCorrelated || s.square == 0 {
		return 0
	}
	lost := s.fitted / s.values
	r := (s.product/s.square + lost) / max(.5, 1-2.5*lost)
	if r < surelyCorrelated/math.Sqrt(s.values) {
		return 0
	}
	return min(r, mostCorrelated)
}

// besideLine is how far values lie from a line through them.
func besideLine(xs []float64) []float64 {
	days, rest := make([]float64, len(xs)), make([]float64, len(xs))
	for i := range days {
		days[i] = float64(i)
	}
	a, b := stat.LinearRegression(days, xs, nil, false)
	for i, x := range xs {
		rest[i] = x - a - b*days[i]
	}
	return rest
}
