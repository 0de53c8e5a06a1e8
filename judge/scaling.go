package judge

import (
	"gonum.org/v1/gonum/stat"

	"assay/analysis/scaling"
	"assay/metric"
)

// addScaling adds the efficiency of every size of the run's studies to the estimates,
// so that it can be compared and gated like any other metric. The value and the
// interval are the study's own; what a launch gives is its throughput over the geometric
// mean of the base's, which is what the study divides by.
func (j *Judgement) addScaling() {
	m := metric.ScalingEfficiency
	for _, s := range j.Scaling.Studies {
		if s.Result == nil {
			continue
		}
		base := s.Study.Single
		if s.Study.Baseline != scaling.BestSingle {
			base = s.Study.Points[0].Values
		}
		for i, row := range s.Result.Rows {
			point := s.Study.Points[i]
			if point.Plan == nil || row.Workers <= s.Result.BaseWorkers {
				continue
			}
			out := metric.Row{Metric: m.ID, Name: m.Name, Statistic: "value", Unit: m.Unit, Better: m.Better, Point: *point.Plan, Estimate: row.Efficiency}
			per := stat.GeometricMean(base, nil) * float64(row.Workers) / float64(s.Result.BaseWorkers)
			for k, v := range point.Values {
				out.PerLaunch = append(out.PerLaunch, metric.LaunchValue{Launch: point.Launches[k], Value: v / per, N: 1})
			}
			j.Estimates.Rows = append(j.Estimates.Rows, out)
		}
	}
}
