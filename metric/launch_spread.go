package metric

import (
	"slices"

	"assay/stats"
)

// A LaunchSpread is what launches gave, without any assumption about how they are
// distributed: the middle one and the two farthest from each other.
type LaunchSpread struct {
	Median   float64 `json:"median"`
	Min      float64 `json:"min"`
	Max      float64 `json:"max"`
	Launches int     `json:"launches"`
}

// Spread is the spread of the row over its launches; nil for fewer than two.
func (r Row) Spread() *LaunchSpread {
	var values []float64
	for _, one := range r.PerLaunch {
		values = append(values, one.Value)
	}
	if len(values) < 2 {
		return nil
	}
	return &LaunchSpread{Median: stats.Middle(values), Min: slices.Min(values), Max: slices.Max(values), Launches: len(values)}
}
