package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
)

// ComponentsMethod names the interval of VarianceComponents: that of the mean over
// the units of the highest level.
const ComponentsMethod = "nested-mean/student-t"

// Components says where the spread of nested measurements comes from (Kalibera and
// Jones: Rigorous Benchmarking in Reasonable Time, ISMM 2013, with the estimators
// of its corrected version).
type Components struct {
	// Mean has degrees of freedom of the highest level: launches − 1, or groups − 1.
	Mean Estimate `json:"mean"`

	// Levels go from the requests up.
	Levels []Level `json:"levels"`

	// ICC is the share of the variance that is not between requests of one launch:
	// how alike two requests of one launch are.
	ICC float64 `json:"icc"`
}

// A Level is one source of spread.
type Level struct {
	Units       float64 `json:"units"`       // in each unit of the level above; the harmonic mean where they differ
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
	return components([][]Moments{launches}, 2, confidence)
}

// GroupedComponents does so for groups of launches, such as nodes or days: between
// requests, between launches of a group, and between groups.
func GroupedComponents(groups [][][]float64, confidence float64) (Components, error) {
	list := make([][]Moments, len(groups))
	for i, launches := range groups {
		list[i] = momentsOf(launches)
	}
	return components(list, 3, confidence)
}

func momentsOf(launches [][]float64) []Moments {
	list := make([]Moments, len(launches))
	for i, xs := range launches {
		mean, variance := stat.MeanVariance(xs, nil)
		list[i] = Moments{len(xs), mean, variance}
	}
	return list
}

func components(groups [][]Moments, levels int, confidence float64) (Components, error) {
	var c Components
	var requestVariance, launchVariance average
	var requestCount, launchCount harmonic
	var groupMeans, means []float64
	for g, launches := range groups {
		if len(launches) < 2 {
			return c, fmt.Errorf("group %d of %d launches: want two at least", g, len(launches))
		}
		means = nil
		for i, one := range launches {
			if one.N < 2 {
				return c, fmt.Errorf("launch %d of %d requests: want two at least", i, one.N)
			}
			means = append(means, one.Mean)
			requestVariance.add(one.Variance)
			requestCount.add(one.N)
		}
		mean, variance := stat.MeanVariance(means, nil)
		groupMeans = append(groupMeans, mean)
		launchVariance.add(variance)
		launchCount.add(len(means))
	}
	c.Levels = []Level{
		{Units: requestCount.mean(), Variance: requestVariance.mean()},
		{Units: launchCount.mean(), Variance: launchVariance.mean()},
	}
	top := means
	if levels == 3 {
		if len(groups) < 2 {
			return c, fmt.Errorf("%d groups: want two at least", len(groups))
		}
		top = groupMeans
		c.Levels = append(c.Levels, Level{Units: float64(len(groups)), Variance: stat.Variance(groupMeans, nil)})
	}
	var err error
	if c.Mean, err = Mean(top, confidence); err != nil {
		return c, err
	}
	c.Mean.Method = ComponentsMethod
	c.divide()
	return c, nil
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

// Advice is how many measurements to buy.
type Advice struct {
	Groups    int     `json:"groups,omitempty"` // of launches, where there are groups
	Launches  int     `json:"launches"`         // in each group
	Requests  int     `json:"requests"`         // in each launch
	HalfWidth float64 `json:"halfWidth"`        // to expect, relative to the mean
	Cost      float64 `json:"cost"`
	Sentence  string  `json:"sentence"`
}

// mostUnits bounds what is advised: nobody buys more.
const mostUnits = 1_000_000

// fewestTop is the least number of units of the highest level that is advised: a
// t interval over fewer is too wide to use.
const fewestTop = minMeanSamples

// Advise says what to buy for a relative half-width of wanted, taking c as a pilot.
// Costs are those of one more unit of each level, from the requests up, without
// what it holds: a launch costs its start and warm-up. The counts below the
// highest level are those that make the variance cheapest, r = √(c′/c · T²/T′²)
// with ′ for the level above; the highest is what the precision needs.
func (c Components) Advise(costs []float64, wanted, confidence float64) (Advice, error) {
	if len(costs) != len(c.Levels) {
		return Advice{}, fmt.Errorf("%d costs: want %d, one for each level from the requests up", len(costs), len(c.Levels))
	}
	for _, cost := range costs {
		if !(cost > 0) {
			return Advice{}, fmt.Errorf("cost %v: want above zero", cost)
		}
	}
	scale := math.Abs(c.Mean.Value)
	if !(wanted > 0) || scale == 0 || confidence <= 0 || confidence >= 1 {
		return Advice{}, fmt.Errorf("half-width %v of a mean of %v at confidence %v: want a half-width above zero, a mean that is not zero, and a confidence between 0 and 1", wanted, c.Mean.Value, confidence)
	}
	counts := make([]int, len(costs))
	variance, cost := 0.0, 0.0 // of one unit of the highest level
	for i, level := range c.Levels {
		if i > 0 {
			variance /= float64(counts[i-1])
			cost *= float64(counts[i-1])
		}
		variance += level.Component
		cost += costs[i]
		if i == len(c.Levels)-1 {
			counts[i] = unitsFor(variance, wanted*scale, confidence)
			break
		}
		counts[i] = c.countAt(i, costs)
		if counts[i] == 0 {
			// No level above adds anything, so the fewest of it hold all the rest.
			counts[i] = perUnit(variance, fewestTop, wanted*scale, confidence)
		}
	}
	top := counts[len(counts)-1]
	half := TQuantile(1-(1-confidence)/2, top-1) * math.Sqrt(variance/float64(top)) / scale
	advice := Advice{Requests: counts[0], Launches: counts[1], HalfWidth: half, Cost: cost * float64(top)}
	if len(counts) == 3 {
		advice.Groups = counts[2]
	}
	advice.Sentence = advice.say(c, wanted)
	return advice, nil
}

// countAt is how many units of level i each unit above should hold; levels that add
// nothing are passed over, and zero means that none is left above.
func (c Components) countAt(i int, costs []float64) int {
	above := 0.0
	for j := i + 1; j < len(c.Levels); j++ {
		above += costs[j]
		if c.Levels[j].Component > 0 {
			return cheapest(above/costs[i], c.Levels[i].Component, c.Levels[j].Component)
		}
	}
	return 0
}

// cheapest is Kalibera and Jones' optimal count of a level below the highest.
func cheapest(costRatio, component, above float64) int {
	// 1e-9 forgives the rounding of a root that is a whole number.
	return min(mostUnits, max(1, int(math.Ceil(math.Sqrt(costRatio*component/above)-1e-9))))
}

// unitsFor is the fewest units whose t interval has the half-width.
func unitsFor(variance, half, confidence float64) int {
	enough := func(k int) bool {
		return TQuantile(1-(1-confidence)/2, k-1)*math.Sqrt(variance/float64(k)) <= half
	}
	high := fewestTop
	for high < mostUnits && !enough(high) {
		high *= 2
	}
	low := max(fewestTop, high/2)
	for low < high {
		middle := (low + high) / 2
		if enough(middle) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return min(high, mostUnits)
}

// perUnit is how many values each of k units needs when only they vary.
func perUnit(variance float64, k int, half, confidence float64) int {
	t := TQuantile(1-(1-confidence)/2, k-1)
	return max(1, int(math.Ceil(min(mostUnits, t*t*variance/(float64(k)*half*half)))))
}

func (a Advice) say(c Components, wanted float64) string {
	buy := fmt.Sprintf("%d launches of %d requests", a.Launches, a.Requests)
	if a.Groups > 0 {
		buy = fmt.Sprintf("%d groups of %s", a.Groups, buy)
	}
	holders := "launches"
	if a.Groups > 0 {
		holders = "launches and groups"
	}
	why := fmt.Sprintf("%s hold %.0f %% of the variance", holders, 100*c.ICC)
	switch {
	case c.ICC == 0:
		why = "launches show no spread of their own, so requests decide"
	case c.ICC > .5:
		why += ", so more requests in each buy little"
	}
	reach := fmt.Sprintf("give ± %.2g %%", 100*a.HalfWidth)
	if a.HalfWidth > wanted {
		reach = fmt.Sprintf("give ± %.2g %% and no number that can be bought gives ± %.2g %%", 100*a.HalfWidth, 100*wanted)
	}
	return fmt.Sprintf("%s %s (%s)", buy, reach, why)
}
