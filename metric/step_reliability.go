package metric

import (
	"assay/bundle"
	"assay/plan"
	"assay/stats"
	"assay/unit"
)

// TrainingReliability is how often training gets to its end at the first attempt.
var TrainingReliability = Metric{
	ID: "training_reliability.v1", Name: "training reliability", Unit: unit.Share, Better: Higher, Scope: Scope{Kinds: ofSteps},
	Doc: "Launches that completed without any world of ranks failing on the way, divided by launches that completed or failed. A launch that somebody stopped counts on neither side. Unlike every other metric it looks at failed launches too.",
	Of:  Together{Launches: true},
}

// ScalingEfficiency is what is left of the workers that were added.
var ScalingEfficiency = Metric{
	ID: "scaling_efficiency.v1", Name: "scaling efficiency", Unit: unit.Share, Better: Higher, Scope: Scope{Kinds: ofSteps},
	Doc: "Throughput of the point over that of the base, divided by how many times its workers the point has: the efficiency of the run's scaling study, with its base and its interval (scaling.json). Only in a run of several world sizes; the base itself has none.",
	Of:  Together{},
}

// reliability adds the row of TrainingReliability.
func (e *Estimates) reliability(b *bundle.Bundle, p plan.Plan, side string, completed []judgedLaunch) error {
	if !p.Has(plan.KindSteps) {
		return nil
	}
	place := 0
	for i, m := range All {
		if m.ID == WorldFailures.ID {
			place = i
		}
	}
	failures := map[int]float64{}
	for _, l := range completed {
		failures[l.index] = l.once[place].value
	}
	row := Row{Metric: TrainingReliability.ID, Name: TrainingReliability.Name, Statistic: "value", Unit: TrainingReliability.Unit, Better: Higher, Point: LaunchPoint, Side: side}
	var hits, trials []int
	for _, info := range b.Launches() {
		if info.Side != side || info.Outcome != bundle.LaunchCompleted && info.Outcome != bundle.LaunchFailed {
			continue
		}
		hit := 0
		if info.Outcome == bundle.LaunchCompleted && failures[info.Index] == 0 {
			hit = 1
		}
		hits, trials = append(hits, hit), append(trials, 1)
		row.PerLaunch = append(row.PerLaunch, LaunchValue{info.Index, float64(hit), 1})
	}
	if len(hits) == 0 {
		return nil
	}
	var err error
	if row.Estimate, err = stats.ShareOverLaunches(hits, trials, e.Confidence); err == nil {
		e.Rows = append(e.Rows, row)
	}
	return err
}
