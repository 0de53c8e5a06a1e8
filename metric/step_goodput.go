package metric

import (
	"assay/plan"
	"assay/unit"
)

// TimeToTrain is how long training takes until it is good enough.
var TimeToTrain = Metric{
	ID: "time_to_train.v1", Name: "time to train", Unit: unit.Second, Better: Lower, Scope: Scope{Kinds: ofSteps, Only: []Condition{Declarations}},
	Doc: "Sum of the slowest rank's times over all steps with gradient exchange, those of the warm-up too, up to and with the first whose loss, mean over ranks, is at most spec.train.targetLoss. No figure when no step got there. It mixes speed and convergence: compare steps_to_train.v1 beside it.",
	Of: Whole(func(p *Point) (float64, bool) {
		took, _, ok := p.toTarget()
		return seconds(took), ok
	}),
}

// StepsToTrain is how many steps training takes until it is good enough.
var StepsToTrain = Metric{
	ID: "steps_to_train.v1", Name: "steps to train", Unit: unit.Ratio, Better: Lower, Scope: Scope{Kinds: ofSteps, Only: []Condition{Declarations}}, Detail: true,
	Doc: "Steps with gradient exchange up to and with the first that time_to_train.v1 ends with.",
	Of: Whole(func(p *Point) (float64, bool) {
		_, steps, ok := p.toTarget()
		return float64(steps), ok
	}),
}

// toTarget is what training took until its loss was at most the target.
func (p *Point) toTarget() (took int64, steps int, ok bool) {
	if p.Ranked == nil || p.Ranked.Plan.Steps == nil || p.Ranked.Plan.Steps.TargetLoss <= 0 {
		return 0, 0, false
	}
	for _, s := range p.Ranked.ByStep() {
		if !s.Trained() {
			continue
		}
		took, steps = took+s.Slowest(), steps+1
		sum, n := 0.0, 0
		for _, row := range s.Rows {
			if row.Loss != nil {
				sum, n = sum+*row.Loss, n+1
			}
		}
		if n > 0 && n == len(s.Rows) && sum/float64(n) <= p.Ranked.Plan.Steps.TargetLoss {
			return took, steps, true
		}
	}
	return 0, 0, false
}

// TrainingGoodput is how much of the time went into training.
var TrainingGoodput = Metric{
	ID: "training_goodput.v1", Name: "training goodput", Unit: unit.Share, Better: Higher, Scope: Scope{Kinds: ofSteps, Only: []Condition{Telemetry}}, Detail: true,
	Doc: "Sum of the slowest rank's times over the steps that trained and were kept, those of the warm-up too, divided by the time from when the first of the point's processes was started, before any failure, to the end of the measured window. Starting, joining, compiling, checking, steps without exchange and whatever failed and was made again count against it.",
	Of: Whole(func(p *Point) (float64, bool) {
		if p.Ranked == nil {
			return 0, false
		}
		var began, trained int64
		known := false
		for _, row := range p.Ranked.World {
			if row.Started != nil && (!known || *row.Started < began) {
				began, known = *row.Started, true
			}
		}
		for _, s := range p.Ranked.ByStep() {
			if s.Trained() {
				trained += s.Slowest()
			}
		}
		elapsed := p.End - began
		return float64(trained) / float64(elapsed), known && elapsed > 0 && trained > 0
	}),
}

// WorldFailures is how often ranks failed.
var WorldFailures = Metric{
	ID: "world_failures.v1", Name: "failed worlds", Unit: unit.Ratio, Better: Lower,
	Doc: "How often in a launch a world of ranks could not go on, because one of them died, hung or was cut off. Launches that could not be completed are no part of any figure; a report names them.",
	Of:  Once(func(l *Launch) (float64, bool) { return float64(l.Failures), l.ranked() }),
}

// WorldRestarts is how often ranks were started again.
var WorldRestarts = Metric{
	ID: "world_restarts.v1", Name: "restarted worlds", Unit: unit.Ratio, Better: Lower, Detail: true,
	Doc: "How often in a launch a world of ranks was started again after a failure.",
	Of:  Once(func(l *Launch) (float64, bool) { return float64(l.Restarts), l.ranked() }),
}

// ranked says that ranks measured a point of the launch.
func (l *Launch) ranked() bool {
	for _, p := range l.Points {
		if p.Kind == plan.KindSteps {
			return true
		}
	}
	return false
}
