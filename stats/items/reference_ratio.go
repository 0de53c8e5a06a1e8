package items

import (
	"fmt"
	"math"

	"assay/stats"
)

// RatioMethod names the interval of ReferenceRatio.
const RatioMethod = "ratio-to-reference/guarded-fieller"

// Reached says whether a system scores a required share of a reference.
type Reached string

// The answers of a policy such as MLPerf's "99 % of the reference".
const (
	IsReached   Reached = "reached"   // shown
	IsMissed    Reached = "missed"    // shown to be below
	MayBeMissed Reached = "undecided" // these items cannot say
)

// A Ratio is the score of a system over that of a reference.
type Ratio struct {
	stats.Estimate

	Target  float64 `json:"target"`
	Verdict Reached `json:"verdict"`

	// Above says on which side of the target the score itself lies: the answer of a
	// policy without an error bar.
	Above bool `json:"above"`
}

// ReferenceRatio holds the second system to a share of the first one's score, such as
// 0.99 or 0.999. The interval is Fieller's (1954), which needs no approximation of the
// ratio, of confidence 1 − 2·alpha and guarded against unseen losses as Guard does.
func ReferenceRatio(pairs []Pair, target float64, demand Demand) (Ratio, error) {
	demand = demand.withDefaults()
	if !(target > 0) || math.IsInf(target, 1) {
		return Ratio{}, fmt.Errorf("target %v: want a share of the reference, such as 0.99", target)
	}
	s, err := sampleOf(pairs)
	if err != nil {
		return Ratio{}, err
	}
	reference, other := contrastOf(s.a, s.clusters).Value, contrastOf(s.b, s.clusters).Value
	if !(reference > 0) {
		return Ratio{}, fmt.Errorf("the reference scores %v: a share of it needs a score above zero", reference)
	}
	r := Ratio{Target: target, Verdict: MayBeMissed, Above: other >= target*reference}
	r.Estimate = stats.Estimate{
		Value: other / reference, Confidence: 1 - 2*demand.Alpha, N: len(pairs), Method: RatioMethod,
		Interval: stats.Interval{
			Lo: s.fieller(demand, Pair{A: []float64{demand.Span}, B: []float64{0}}).Lo,
			Hi: s.fieller(demand, Pair{A: []float64{0}, B: []float64{demand.Span}}).Hi,
		},
	}
	switch {
	case r.Interval.Lo >= target:
		r.Verdict = IsReached
	case r.Interval.Hi < target:
		r.Verdict = IsMissed
	}
	return r, nil
}

// fieller is the set of ratios r for which b − r·a may well be zero on average, when
// the unseen items are like the imagined pair.
func (s sample) fieller(demand Demand, imagined Pair) stats.Interval {
	at := func(r float64) Contrast {
		values := make([]float64, len(s.a))
		for i := range values {
			values[i] = s.b[i] - r*s.a[i]
		}
		return s.unseen(demand.Alpha, demand.Span).contrast(values, imagined.B[0]-r*imagined.A[0])
	}
	// The variance of b − r·a is a parabola in r, known from three of its points.
	zero, one, minus := at(0), at(1), at(-1)
	if !(zero.DF > 0) {
		return stats.Unbounded
	}
	t := zero.quantile(1 - demand.Alpha)
	vb := t * t * zero.SE * zero.SE
	va := t*t*(one.SE*one.SE+minus.SE*minus.SE)/2 - vb
	vab := t * t * (minus.SE*minus.SE - one.SE*one.SE) / 4
	a, b := (minus.Value-one.Value)/2, zero.Value
	leading, half := a*a-va, a*b-vab
	root := half*half - leading*(b*b-vb)
	if !(leading > 0) || root < 0 {
		return stats.Unbounded // the reference itself may score nothing
	}
	return stats.Interval{Lo: (half - math.Sqrt(root)) / leading, Hi: (half + math.Sqrt(root)) / leading}
}
