package report

import (
	"fmt"
	"slices"

	"assay/spec"
	"assay/unit"
)

// plotObjectiveMetrics are the metrics of objectives whose name is not that of
// the definition.
var plotObjectiveMetrics = map[string]string{"itl": "itl_chunk.v1", "tokens_per_second": "output_throughput.v1"}

// limits are the objectives about any of the fields, of every run.
func (page plotPage) limits(fields []plotField) []PlotLimit {
	var list []PlotLimit
	for _, s := range page.sources() {
		for _, o := range s.report.Plan.Run.Spec.SLO {
			id := o.Metric + ".v1"
			if other, ok := plotObjectiveMetrics[o.Metric]; ok {
				id = other
			}
			l := plotLimit(o)
			if slices.ContainsFunc(fields, func(f plotField) bool { return f.metric == id }) && !slices.Contains(list, l) {
				list = append(list, l)
			}
		}
	}
	return list
}

func plotLimit(o spec.Objective) PlotLimit {
	switch {
	case o.Max > 0:
		return PlotLimit{fmt.Sprintf("objective: p%g ≤ %s", o.Percentile, unit.Format(o.Max.Seconds(), unit.Second)), o.Max.Seconds()}
	case o.MaxRatio > 0:
		return PlotLimit{fmt.Sprintf("objective: ≤ %g %%", 100*o.MaxRatio), o.MaxRatio}
	}
	return PlotLimit{fmt.Sprintf("objective: ≥ %g", o.Min), o.Min}
}
