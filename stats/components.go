package stats

import (
	"fmt"

	"gonum.org/v1/gonum/stat"
)

// ComponentsMethod names the interval of VarianceComponents: that of the mean over
// the launches.
const ComponentsMethod = "nested-mean/student-t"

// Components says where the spread of nested measurements comes from (Kalibera and
// Jones: Rigorous Benchmarking in Reasonable Time, ISMM 2013, with the estimators
// of its corrected version).
type Components struct {
	// Mean has launches − 1 degrees of freedom.
	Mean Estimate `json:"mean"`

	// Levels are the requests and then the launches.
	Levels []Level `json:"levels"`

	// ICC is the share of the variance that is not between requests of one launch:
	// how alike two requests of one launch are.
	ICC float64 `json:"icc"`
}

// A Level is one source of spread.
type Level struct {
	Units       float64 `json:"units"`       // requests in a launch, the harmonic mean where they differ; or launches
	Variance    float64 `json:"variance"`    // S², of the units' means
	Component   float64 `json:"component"`   // T², without what the levels below bring; zero where that is more
	Share       float64 `json:"share"`       // of the sum of the components
	Unexplained bool    `json:"unexplained"` // T² came out negative: the level shows no spread of its own
}

// VarianceComponents divides the spread of launches of requests into that between
// requests and that between launches.
func VarianceComponents(launches [][]float64, confidence float64) (Components, error) {
	return MomentComponents(momentsOf(launches), confidence)
}

// Moments are what a decomposition needs of the requests of one launch.
type Moments struct {
	N        int
	Mean     float64
	Variance float64 // n − 1
}

// MomentComponents is VarianceComponents where the values themselves are gone.
func MomentComponents(launches []Moments, confidence float64) (Components, error) {
	var c Components
	if len(launches) < 2 {
		return c, fmt.Errorf("%d launches: want two at least", len(launches))
	}
	var within average
	var requests harmonic
	var means []float64
	for i, one := range launches {
		if one.N < 2 {
			return c, fmt.Errorf("launch %d of %d requests: want two at least", i, one.N)
		}
		means = append(means, one.Mean)
		within.add(one.Variance)
		requests.add(one.N)
	}
	c.Levels = []Level{
		{Units: requests.mean(), Variance: within.mean()},
		{Units: float64(len(means)), Variance: stat.Variance(means, nil)},
	}
	var err error
	if c.Mean, err = Mean(means, confidence); err != nil {
		return c, err
	}
	c.Mean.Method = ComponentsMethod
	c.divide()
	return c, nil
}

func momentsOf(launches [][]float64) []Moments {
	list := make([]Moments, len(launches))
	for i, xs := range launches {
		mean, variance := stat.MeanVariance(xs, nil)
		list[i] = Moments{len(xs), mean, variance}
	}
	return list
}

// divide fills in what follows from the variances.
func (c *Components) divide() {
	sum := 0.0
	for i := range c.Levels {
		l := &c.Levels[i]
		l.Component = l.Variance
		if i > 0 {
			below := c.Levels[i-1]
			l.Component -= below.Variance / below.Units
			l.Unexplained = l.Component < 0
		}
		l.Component = max(0, l.Component)
		sum += l.Component
	}
	if sum == 0 {
		return // nothing varies
	}
	for i := range c.Levels {
		c.Levels[i].Share = c.Levels[i].Component / sum
	}
	c.ICC = 1 - c.Levels[0].Share
}

type average struct{ sum, n float64 }

func (a *average) add(v float64) { a.sum, a.n = a.sum+v, a.n+1 }
func (a average) mean() float64  { return a.sum / a.n }

// harmonic is the mean that belongs to counts which variances are divided by.
type harmonic struct{ inverse, n float64 }

func (h *harmonic) add(count int) { h.inverse, h.n = h.inverse+1/float64(count), h.n+1 }
func (h harmonic) mean() float64  { return h.n / h.inverse }
