package metric

import (
	"slices"

	"assay/metric/exchange"
	"assay/plan"
	"assay/record"
	"assay/unit"
)

var ofSteps = []plan.Kind{plan.KindSteps}

// training lists the metrics of training steps in the order of reports.
var training = []Metric{
	StepTime, SamplesPerSecond, TokensPerSecond,
	ExposedCommunication, Communication, CommunicationOverlap, ExposedWait, PeerWait, GradientTransfer, Interference,
	DataWait,
	StepTimeLoaded, StepHost, StepData, StepH2D, StepForward, StepBackward, StepExposed, StepOptimizer, StepOther,
	TrainingMFU, TrainingHFU,
	TrainingPeakMemory, TrainingReservedMemory, TrainingResidentMemory,
	ParameterMemory, GradientMemory, OptimizerMemory, ActivationMemory,
	TrainingEnergyPerToken, TrainingEnergyPerSample, TrainingHostEnergyPerToken, TrainingHostEnergyPerSample,
	TimeToTrain, StepsToTrain, ScalingEfficiency, TrainingReliability, TrainingGoodput, JobTime, WorldFailures, WorldRestarts,
	CostPerMillionTrained, CostPerSample, CostPerStep, CostToTrain, TrainingCarbonPerMillion,
}

// StepTime is how long a training step takes.
var StepTime = Metric{
	ID: "step_time.v1", Name: "step time", Unit: unit.Second, Better: Lower, Scope: Scope{Kinds: ofSteps}, Spread: true,
	Doc: "From the begin to the end of a training step on its slowest rank, by that rank's own clock. Steps without gradient exchange and steps of the warm-up are left out.",
	Of: Many(func(p *Point) (list []float64) {
		for _, s := range p.counted() {
			list = append(list, seconds(s.Slowest()))
		}
		return list
	}),
}

// SamplesPerSecond is how fast samples go through.
var SamplesPerSecond = Metric{
	ID: "training_samples.v1", Name: "training samples", Unit: unit.ItemPerSecond, Better: Higher, Scope: Scope{Kinds: ofSteps},
	Doc: "Samples of all ranks in the measured steps with gradient exchange, divided by the sum of step_time.v1 over the same steps. The time between steps, in which ranks meet and records are written, is left out.",
	Of: Whole(func(p *Point) (float64, bool) {
		return p.perStepSecond(func(s record.Step) int64 { return s.Samples })
	}),
}

// TokensPerSecond is how fast tokens go through.
var TokensPerSecond = Metric{
	ID: "training_tokens.v1", Name: "training tokens", Unit: unit.TokenPerSecond, Better: Higher, Scope: Scope{Kinds: ofSteps},
	Doc: "Tokens of all ranks in the measured steps with gradient exchange, divided by the sum of step_time.v1 over the same steps: the global figure, not that of one rank.",
	Of: Whole(func(p *Point) (float64, bool) {
		return p.perStepSecond(func(s record.Step) int64 { return s.Tokens })
	}),
}

// counted are the measured steps with gradient exchange.
func (p *Point) counted() []exchange.Step {
	if p.Ranked == nil {
		return nil
	}
	all := p.Ranked.ByStep()
	return slices.DeleteFunc(slices.Clone(all), func(s exchange.Step) bool { return !s.Counted() })
}

// perStepSecond divides what all ranks did in the counted steps by the time that
// these took.
func (p *Point) perStepSecond(work func(record.Step) int64) (float64, bool) {
	var done, took int64
	for _, s := range p.counted() {
		took += s.Slowest()
		for _, row := range s.Rows {
			done += work(row)
		}
	}
	return float64(done) / seconds(took), took > 0 && done > 0
}
