package plan

import (
	"fmt"
	"math"

	"assay/spec"
	"assay/unit"
)

// A Query says that the calls of a point are sent as the samples of queries, one
// query after the other: a query is all of its samples at once, and ends with
// the last of them.
type Query struct {
	Samples     int           `json:"samples"`
	MinQueries  int           `json:"minQueries"`  // the point goes on until there were so many
	MinDuration unit.Duration `json:"minDuration"` // and until so much time has passed
	MaxDuration unit.Duration `json:"maxDuration,omitempty"`
	InFlight    int           `json:"inFlight"` // the most samples under way at once
	Once        bool          `json:"once,omitempty"`
}

// mlperfPoints are the points of an MLPerf scenario.
func mlperfPoints(run spec.Run, base Point) []Point {
	load := run.Spec.Load
	m := load.MLPerf
	var list []Point
	if m.Arrives() {
		base.Arrival, base.MaxInFlight = spec.ArrivalPoisson, load.MaxInFlight
		for _, rate := range load.Rate {
			p := base
			p.Index, p.Rate, p.Name = len(list), rate, fmt.Sprintf("%s rate=%g/s", m.Scenario, rate)
			// LoadGen sends until both minima are met. How many calls a window
			// holds is random: four standard deviations more are enough.
			calls := float64(m.MinQueries) + 4*math.Sqrt(float64(m.MinQueries))
			p.Duration = max(m.MinDuration, unit.Duration(math.Ceil(calls/rate*1e9)))
			list = append(list, p)
		}
		return list
	}
	p := base
	p.Name, p.Duration = m.Scenario, m.MinDuration
	p.Concurrency = min(m.Samples, load.MaxInFlight)
	p.Query = &Query{
		Samples: m.Samples, MinQueries: m.MinQueries, MinDuration: m.MinDuration, MaxDuration: m.MaxDuration,
		InFlight: p.Concurrency, Once: m.Scenario == spec.Offline,
	}
	return []Point{p}
}
