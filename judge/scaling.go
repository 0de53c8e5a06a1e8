package judge

import "assay/metric"

// addScaling adds the efficiency of every size of the run's studies to the estimates,
// so that it can be compared and gated like any other metric. Value, interval and what
// each launch gives are the study's own.
func (j *Judgement) addScaling() {
	m := metric.ScalingEfficiency
	for _, s := range j.Scaling.Studies {
		if s.Result == nil {
			continue
		}
		for i, row := range s.Result.Rows {
			point := s.Study.Points[i]
			if point.Plan == nil || row.Workers <= s.Result.BaseWorkers {
				continue
			}
			out := metric.Row{Metric: m.ID, Name: m.Name, Statistic: "value", Unit: m.Unit, Better: m.Better, Point: *point.Plan, Estimate: row.Efficiency}
			for k, v := range row.PerLaunch {
				out.PerLaunch = append(out.PerLaunch, metric.LaunchValue{Launch: point.Launches[k], Value: v, N: 1})
			}
			j.Estimates.Rows = append(j.Estimates.Rows, out)
		}
	}
}
