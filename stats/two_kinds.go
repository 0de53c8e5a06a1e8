package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
)

// TwoKinds are values that fall into two groups with nothing between them: a system with two
// modes, each of which a launch keeps. The mean of all is a value of neither.
type TwoKinds struct {
	Upper []int   // places of the values of the upper group
	Gap   float64 // between the groups, as a share of the lower one's largest value
	P     float64 // how often as many values of one normal level fall apart so far
}

// Two groups of two can be told from chance among FewestOfKinds values; among more than
// mostOfKinds a test of their shape sees them, and a wide gap hardly comes.
const FewestOfKinds, mostOfKinds = 6, 40

// kindsDraws is how many samples of one level a gap is compared with.
const kindsDraws = 20_000

// FindKinds splits values above zero at the gap that is widest beside the spread within the two
// groups, of two values at least. It is false where there are too few values, or no gap of the
// share least: then nobody needs to know how likely it is.
func FindKinds(values []float64, least float64) (TwoKinds, bool) {
	if len(values) < FewestOfKinds || len(values) > mostOfKinds || slices.Min(values) <= 0 {
		return TwoKinds{}, false
	}
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	logs := make([]float64, len(values))
	for i, at := range order {
		logs[i] = math.Log(values[at])
	}
	above, width := furthestApart(logs)
	k := TwoKinds{Upper: order[above:], Gap: math.Expm1(logs[above] - logs[above-1])}
	if k.Gap < least {
		return TwoKinds{}, false
	}
	chance := chanceOfKinds(len(values))
	at, _ := slices.BinarySearch(chance, width)
	k.P = float64(len(chance)-at+1) / float64(len(chance)+1)
	return k, true
}

// kindsChances are the widths of samples of one normal level, sorted, by the number of their
// values: a report asks for the same number many times.
var kindsChances sync.Map

func chanceOfKinds(n int) []float64 {
	if known, ok := kindsChances.Load(n); ok {
		return known.([]float64)
	}
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	list, values := make([]float64, kindsDraws), make([]float64, n)
	for i := range list {
		for j := range values {
			values[j] = rng.NormFloat64()
		}
		slices.Sort(values)
		_, list[i] = furthestApart(values)
	}
	slices.Sort(list)
	kindsChances.Store(n, list)
	return list
}

// furthestApart finds where sorted values fall apart, and how far, in standard deviations within
// the two groups together.
func furthestApart(sorted []float64) (at int, width float64) {
	n := len(sorted)
	at = 2
	for i := 2; i <= n-2; i++ {
		nLow, _, low := moments(sorted[:i])
		nHigh, _, high := moments(sorted[i:])
		within := math.Sqrt(((nLow-1)*low + (nHigh-1)*high) / (nLow + nHigh - 2))
		if w := (sorted[i] - sorted[i-1]) / within; w > width { // equal values are infinitely far apart
			at, width = i, w
		}
	}
	return at, width
}
