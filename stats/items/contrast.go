package items

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/stats"
)

// A Contrast is a mean over items with what a t test needs of it: mostly that of the
// differences between two systems.
type Contrast struct {
	Value float64 `json:"value"`
	SE    float64 `json:"se"`
	DF    float64 `json:"df"`
}

// contrastOf is the mean of values with its standard error over clusters, C/(C−1)
// times the plain one and t with C − 1 degrees of freedom where they are of one size.
// For items on their own that is sd/√n.
func contrastOf(values []float64, c clusters) Contrast {
	n, k := float64(len(values)), float64(c.count())
	mean := 0.0
	for _, v := range values {
		mean += v // the sum first: of ones alone it is exact
	}
	mean /= n
	if k < 2 {
		return Contrast{Value: mean, SE: math.Inf(1)}
	}
	return Contrast{mean, math.Sqrt(k/(k-1)*c.squares(values, mean)) / n, c.freedom()}
}

// Interval is Student's t interval.
func (c Contrast) Interval(confidence float64) stats.Interval {
	if !(c.DF > 0) {
		return stats.Unbounded
	}
	half := c.quantile(1-(1-confidence)/2) * c.SE
	return stats.Interval{Lo: c.Value - half, Hi: c.Value + half}
}

// Above is P of the hypothesis that the true value is bound or less.
func (c Contrast) Above(bound float64) float64 { return c.tail(c.Value - bound) }

// Below is P of the hypothesis that the true value is bound or more.
func (c Contrast) Below(bound float64) float64 { return c.tail(bound - c.Value) }

// Equivalent is P of the hypothesis that the true value is margin or more away from
// zero: the larger of two one-sided P (Schuirmann 1987). It is alpha or less when the
// interval of confidence 1 − 2·alpha lies between the margins. The intervals of Guard
// keep that promise in small samples too; this one does not.
func (c Contrast) Equivalent(margin float64) float64 {
	return math.Max(c.Above(-margin), c.Below(margin))
}

// Differs is the two-sided P of the hypothesis that the true value is zero.
func (c Contrast) Differs() float64 { return math.Min(1, 2*c.tail(math.Abs(c.Value))) }

// tail is the chance of exceeding zero by so much when there is nothing to exceed.
func (c Contrast) tail(by float64) float64 {
	switch {
	case !(c.DF > 0):
		return 1
	case c.SE == 0 && by > 0:
		return 0
	case c.SE == 0:
		return 1
	}
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: c.DF}.Survival(by / c.SE)
}

func (c Contrast) quantile(p float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: c.DF}.Quantile(p)
}

// z is the quantile of the normal distribution.
func z(p float64) float64 { return distuv.UnitNormal.Quantile(p) }
