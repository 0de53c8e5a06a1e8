package metric

import (
	"math"
	"slices"
	"sort"

	"assay/stats"
)

// A Curve is how the values of one metric in one point of a launch are spread: the
// share of them at or below some of them, rising.
type Curve struct {
	N     int
	Value []float64
	Share []float64

	// Whole says that every value is there, so that nothing lies between two.
	Whole bool
}

// A drawn curve keeps all of so few values, and of more the ranks of curveShares:
// an even grid for the body, and one that gets finer towards the slowest, down to
// one in a hundred thousand.
const (
	wholeCurve = 2048
	evenRanks  = 512
	tailRanks  = 256
	rarest     = 1e-5
)

// curveShares are the shares that a long curve is read at.
var curveShares = func() []float64 {
	var list []float64
	for i := range evenRanks + 1 {
		list = append(list, float64(i)/evenRanks)
	}
	for i := range tailRanks {
		list = append(list, 1-.1*math.Pow(rarest/.1, float64(i)/(tailRanks-1)))
	}
	slices.Sort(list)
	return list
}()

// curveOf is the curve of values in rising order.
func curveOf(sorted []float64) *Curve {
	c := &Curve{N: len(sorted), Whole: len(sorted) <= wholeCurve}
	if c.Whole {
		for i, v := range sorted {
			c.add(v, float64(i+1)/float64(len(sorted)))
		}
		return c
	}
	for _, q := range curveShares {
		rank := min(len(sorted), max(1, int(math.Ceil(q*float64(len(sorted))-1e-9))))
		c.add(sorted[rank-1], float64(rank)/float64(len(sorted)))
	}
	return c
}

// curveOfSketch is the curve of what was only counted.
func curveOfSketch(s *stats.Sketch) *Curve {
	n := float64(s.Count())
	c := &Curve{N: int(s.Count())}
	for _, q := range curveShares {
		c.add(s.Quantile(q), max(1, math.Ceil(q*n-1e-9))/n)
	}
	return c
}

// add goes on with a value; of equal ones the last share counts.
func (c *Curve) add(v, share float64) {
	if n := len(c.Value); n > 0 && c.Value[n-1] >= v {
		c.Share[n-1] = share
		return
	}
	c.Value, c.Share = append(c.Value, v), append(c.Share, share)
}

// At is the share of the values at or below x: between two that were kept, along
// a straight line where others were left out.
func (c *Curve) At(x float64) float64 {
	i := sort.Search(len(c.Value), func(i int) bool { return c.Value[i] > x }) // the first above
	switch {
	case i == 0:
		return 0
	case c.Whole || i == len(c.Value):
		return c.Share[i-1]
	}
	way := (x - c.Value[i-1]) / (c.Value[i] - c.Value[i-1])
	return c.Share[i-1] + way*(c.Share[i]-c.Share[i-1])
}
