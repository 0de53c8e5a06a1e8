package plot

import (
	"fmt"
	"slices"

	"assay/metric"
	"assay/spec"
	"assay/unit"
)

// objectiveMetrics are the metrics of objectives whose name is not that of
// the definition.
var objectiveMetrics = map[string]string{"itl": "itl_chunk.v2", "tokens_per_second": "output_throughput.v1"}

// limits are the objectives about any of the fields, of every run.
func (page plotPage) limits(fields []plotField) []Limit {
	var list []Limit
	for _, s := range page.sources() {
		for _, o := range s.report.Plan.Objectives() {
			id := objectiveMetrics[o.Metric]
			if m, ok := metric.Called(o.Metric); ok {
				id = m.ID
			}
			l := plotLimit(o)
			if slices.ContainsFunc(fields, func(f plotField) bool { return f.metric == id }) && !slices.Contains(list, l) {
				list = append(list, l)
			}
		}
	}
	return list
}

func plotLimit(o spec.Objective) Limit {
	switch {
	case o.Max > 0:
		return Limit{fmt.Sprintf("objective: p%g ≤ %s", o.Percentile, unit.Format(o.Max.Seconds(), unit.Second)), o.Max.Seconds()}
	case o.MaxRatio > 0:
		return Limit{fmt.Sprintf("objective: ≤ %g %%", 100*o.MaxRatio), o.MaxRatio}
	}
	return Limit{fmt.Sprintf("objective: ≥ %g", o.Min), o.Min}
}
