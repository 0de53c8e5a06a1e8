package items

import (
	"fmt"

	"assay/stats"
)

// A Verdict is what an evaluation says about the second of two systems.
type Verdict string

// The verdicts.
const (
	Equivalent  Verdict = "equivalent"   // shown to be less than the margin apart
	Better      Verdict = "better"       // shown to differ, upwards, and not shown to be within the margin
	NotInferior Verdict = "not inferior" // shown to be worse by less than the margin, if at all
	Worse       Verdict = "worse"        // shown to differ, downwards, and not shown to be within the margin
	Undecided   Verdict = "undecided"    // these items cannot say
)

// A Demand is what is asked of the second system, declared before anything is graded.
type Demand struct {
	Margin float64 // the largest difference in score that does not matter
	Alpha  float64 // the chance of a wrong verdict, either way; zero means 0.05

	// Span is the largest difference that one item can make; zero means 1, for scores
	// from 0 to 1.
	Span float64

	// Power is the chance of a verdict that Needed plans for; zero means 0.8.
	Power float64
}

func (d Demand) withDefaults() Demand {
	if d.Alpha == 0 {
		d.Alpha = .05
	}
	if d.Span == 0 {
		d.Span = 1
	}
	if d.Power == 0 {
		d.Power = .8
	}
	return d
}

func (d Demand) check() error {
	if !(d.Margin > 0) || !(d.Alpha > 0 && d.Alpha < .5) || !(d.Span > 0) || !(d.Power > 0 && d.Power < 1) {
		return fmt.Errorf("margin %v at level %v with power %v: want a margin above 0, such as 0.01 for one point, a level between 0 and 0.5, and a power between 0 and 1", d.Margin, d.Alpha, d.Power)
	}
	return nil
}

// A Judgement is a difference held to a demand.
type Judgement struct {
	Difference

	Margin float64 `json:"margin"`
	Alpha  float64 `json:"alpha"`

	// Bounds are what decides: each end holds with confidence 1 − alpha, so that the
	// systems are equivalent when both lie within the margin.
	Bounds stats.Interval `json:"bounds"`

	Equivalence    float64 `json:"pEquivalent"`  // P of the hypothesis that the margin is reached, either way
	NonInferiority float64 `json:"pNotInferior"` // P of the hypothesis that the second is worse by the margin

	Verdict Verdict `json:"verdict"`
}

// Judge compares the pairs and holds the difference to a demand. Several tasks are one
// family: whoever judges them corrects P of their tests and asks Decide again.
func Judge(pairs []Pair, demand Demand) (Judgement, error) {
	demand = demand.withDefaults()
	if err := demand.check(); err != nil {
		return Judgement{}, err
	}
	d, err := Compare(pairs)
	if err != nil {
		return Judgement{}, err
	}
	g := d.Guard(demand.Alpha, demand.Span)
	j := Judgement{
		Difference: d, Margin: demand.Margin, Alpha: demand.Alpha, Bounds: g.Interval(),
		Equivalence: g.Equivalent(demand.Margin), NonInferiority: g.NotInferior(demand.Margin),
	}
	j.Verdict = demand.Decide(j.Value, j.Bounds, d.Test.P)
	return j, nil
}

// MoreItems is how many more items like these would decide, were the true difference the
// one seen; zero where no number worth naming would.
func (j Judgement) MoreItems(demand Demand) int {
	n, ok := j.needed(demand.withDefaults())
	if !ok {
		return 0
	}
	return max(1, n-j.Items)
}

// Decide is the verdict about a difference whose bounds hold with confidence 1 − alpha
// each, given P of the test that there is none.
func (d Demand) Decide(difference float64, bounds stats.Interval, p float64) Verdict {
	differs := p <= d.withDefaults().Alpha
	switch {
	case bounds.Lo > -d.Margin && bounds.Hi < d.Margin:
		return Equivalent
	case differs && difference > 0:
		return Better
	case bounds.Lo > -d.Margin:
		return NotInferior
	case differs && difference < 0:
		return Worse
	}
	return Undecided
}

// needed is how many items would decide. Clusters count as so many fewer items.
func (j Judgement) needed(demand Demand) (int, bool) {
	effect := j.sample.clusters.effect(j.sample.d)
	s := j.Spread
	s.Between, s.WithinA, s.WithinB = s.Between*effect, s.WithinA*effect, s.WithinB*effect
	demand.Span *= j.sample.unseen(demand.Alpha, demand.Span).size
	if j.Value <= -demand.Margin {
		return demand.ItemsToDetect(s, j.Value)
	}
	return demand.ItemsNotInferior(s, min(0, j.Value))
}
