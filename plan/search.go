package plan

import (
	"fmt"
	"math"

	"assay/spec"
	"assay/unit"
)

// A Search is how the points of a launch follow each other when the load itself
// is what is looked for. The plan holds every point that any path could visit,
// each with its index and so with its seeds and its schedule; what a launch
// decides is only which of them come next. Point number level·Rounds + round is
// probe number round of a level.
type Search struct {
	Levels     []float64     `json:"levels"` // loads in rising order: requests per second or users
	Start      int           `json:"start"`  // the level that comes first
	Step       int           `json:"step"`   // levels between two tries while no end is known: a factor of two
	Rounds     int           `json:"rounds"` // the most probes of a level
	Probes     int           `json:"probes"` // the most probes of a launch
	Time       unit.Duration `json:"time,omitempty"`
	Confidence float64       `json:"confidence"` // of each verdict
	Objectives []Objective   `json:"objectives"` // all must hold

	// Need is the fewest requests that can show a level to hold, if none of them
	// misses.
	Need int `json:"need"`
}

// mostSearchPoints bounds the plan of a search: each of its points is some 250
// bytes of plan.json.
const mostSearchPoints = 4000

// leastAllowed is the smallest share of misses worth a search: to show it takes
// tens of millions of requests.
const leastAllowed = 1e-7

// PointOf is the index of probe number round at a level.
func (s *Search) PointOf(level, round int) int { return level*s.Rounds + round }

// Alpha is the chance of a wrong verdict that one look at a level may take: the
// rounds share what the confidence leaves.
func (s *Search) Alpha() float64 { return (1 - s.Confidence) / float64(s.Rounds) }

// search decides the levels, the rules and all points of a search.
func search(run spec.Run, base Point) (*Search, []Point, error) {
	asked, open := run.Spec.Load.Search, run.Spec.Workload.ConcurrencyModel == spec.OpenLoop
	s := &Search{
		Levels: levels(asked, open), Rounds: asked.Rounds, Probes: asked.Probes, Time: asked.Time,
		Confidence: asked.Confidence, Objectives: objectives(run),
	}
	if n := len(s.Levels) * s.Rounds; n > mostSearchPoints {
		return nil, nil, fmt.Errorf("spec.load.search has %d possible points, want at most %d: raise resolution or bring min and max closer", n, mostSearchPoints)
	}
	s.Step = max(1, int(math.Round(math.Ln2/math.Log1p(asked.Resolution))))
	for i, level := range s.Levels {
		if level <= asked.Start {
			s.Start = i
		}
	}
	for _, o := range s.Objectives {
		if o.Allowed < leastAllowed {
			return nil, nil, fmt.Errorf("spec.slo: %s allows less than one request in %g to miss, which no sample can show", o.Name, 1/leastAllowed)
		}
		s.Need = max(s.Need, int(math.Ceil(math.Log(s.Alpha())/math.Log1p(-o.Allowed))))
	}
	var points []Point
	for _, level := range s.Levels {
		for round := range s.Rounds {
			points = append(points, searchPoint(base, level, round, open))
			points[len(points)-1].Index = len(points) - 1
		}
	}
	return s, points, s.decidable(points)
}

// levels are the loads that a search may visit: equal factors apart, from min to
// max, to four digits or whole users.
func levels(asked *spec.Search, open bool) []float64 {
	var list []float64
	for k := 0; ; k++ {
		level := asked.Min * math.Pow(1+asked.Resolution, float64(k))
		if level > asked.Max*(1-asked.Resolution/2) || len(list) > mostSearchPoints {
			return append(list, asked.Max)
		}
		if open {
			digits := math.Pow(10, 3-math.Floor(math.Log10(level)))
			level = math.Round(level*digits) / digits
		} else {
			level = math.Round(level)
		}
		if len(list) == 0 || level > list[len(list)-1] && level < asked.Max {
			list = append(list, level)
		}
	}
}

// searchPoint is one probe: the second is as long as the first, every further
// one as long as all before it.
func searchPoint(base Point, level float64, round int, open bool) Point {
	p := base
	if open {
		p.Rate, p.Name = level, fmt.Sprintf("rate=%g/s", level)
	} else {
		p.Concurrency, p.Name = int(level), fmt.Sprintf("concurrency=%g", level)
	}
	if round > 0 {
		p.Duration *= unit.Duration(1) << (round - 1)
		p.Requests <<= round - 1
		p.Name += fmt.Sprintf(" (round %d)", round+1)
	}
	return p
}

// decidable refuses a search none of whose probes could show anything.
func (s *Search) decidable(points []Point) error {
	most := 0.0
	for _, p := range points[len(points)-s.Rounds:] {
		calls := p.Rate * p.Duration.Seconds()
		if !p.Open() {
			calls = math.Inf(1) // who knows how fast the target answers
		}
		if p.Requests > 0 {
			calls = min(calls, float64(p.Requests))
		}
		most += calls
	}
	if most < float64(s.Need) {
		return fmt.Errorf("spec.load.search: to show that a level holds takes at least %d requests, and all %d probes of the highest level have about %.0f: lengthen load.duration", s.Need, s.Rounds, most)
	}
	return nil
}

// splittable refuses points whose calls follow from the answers to all of them. A search
// and the end of a saturated point are the leader's to decide.
func (p Plan) splittable() error {
	for _, point := range p.Points {
		if point.Query != nil {
			return fmt.Errorf("%s cannot be split: one load generator knows when a query has ended", point.Name)
		}
	}
	return nil
}
