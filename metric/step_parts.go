package metric

import (
	"gonum.org/v1/gonum/stat"

	"assay/metric/exchange"
	"assay/record"
	"assay/unit"
)

// The parts of a step. Every step is taken apart on its own slowest rank, so that the
// means of the parts add up to the mean of step_time.v1.
var (
	StepHost      = stepPart("step_host.v1", "step: host", "the host, before it asks for the first batch", false, hostPart)
	StepData      = stepPart("step_data.v1", "step: data", "waiting for the next batch", false, dataPart)
	StepH2D       = stepPart("step_h2d.v1", "step: copy to device", "copying the batch to the device", false, copyPart)
	StepForward   = stepPart("step_forward.v1", "step: forward", "the forward pass", false, forwardPart)
	StepBackward  = stepPart("step_backward.v1", "step: backward", "the backward pass without the exposed communication at its end", false, backwardPart)
	StepExposed   = stepPart("step_exposed.v1", "step: exposed communication", "from the last gradient to the end of the backward pass, as exposed_communication.v1 counts it", false, exposedPart)
	StepOptimizer = stepPart("step_optimizer.v1", "step: optimizer", "the optimizer", false, optimizerPart)
	StepOther     = stepPart("step_other.v1", "step: other", "what is left of the step; below zero where phases overlap", true, otherPart)
)

// stepParts lists them in the order of a step.
var stepParts = []Metric{StepHost, StepData, StepH2D, StepForward, StepBackward, StepExposed, StepOptimizer, StepOther}

// StepTimeLoaded is how long a step takes whose input is there.
var StepTimeLoaded = Metric{
	ID: "step_time_loaded.v1", Name: "step time without input", Unit: unit.Second, Better: Lower, Scope: Scope{Kinds: ofSteps, Only: []Condition{Telemetry}}, Detail: true, Spread: true,
	Doc: "step_time.v1 less what the slowest rank of the step spent on its input, step_data.v1 and step_h2d.v1. The other ranks' waiting for input is in it, as communication that it exposed.",
	Of: Many(func(p *Point) (list []float64) {
		for _, s := range p.counted() {
			row := s.Rows[s.SlowestRow()]
			if row.Data != nil {
				list = append(list, seconds(row.End-row.Start-*row.Data-orZero(row.H2D)))
			}
		}
		return list
	}),
}

func stepPart(id, name, what string, signed bool, of func(exchange.Step, int) (int64, bool)) Metric {
	return Metric{
		ID: id, Name: name, Unit: unit.Second, Better: Lower, Scope: Scope{Kinds: ofSteps, Only: []Condition{Telemetry}}, Signed: signed, Detail: true, Spread: true,
		Doc: "Part of a step on the slowest rank of that step: " + what + ". The means of all parts add up to that of step_time.v1.",
		Of:  Many(func(p *Point) []float64 { return p.partOf(of) }),
	}
}

// partOf yields a part of every counted step. In a point where some steps have the
// part, one without it has zero of it: nothing else would let parts add up.
func (p *Point) partOf(of func(exchange.Step, int) (int64, bool)) []float64 {
	var list []float64
	any := false
	for _, s := range p.counted() {
		v, known := of(s, s.SlowestRow())
		list, any = append(list, seconds(v)), any || known
	}
	if !any {
		return nil
	}
	return list
}

// MeanStepParts is the mean of each of the parts of steps at p, by the metric's id; a
// part of which nothing was recorded is not there.
func MeanStepParts(p *Point) map[string]float64 {
	parts := map[string]float64{}
	for _, m := range stepParts {
		if list := m.Of.(Many)(p); len(list) > 0 {
			parts[m.ID] = stat.Mean(list, nil)
		}
	}
	return parts
}

// StepParts lists the metrics of the parts of a step in their order.
func StepParts() []Metric { return append([]Metric(nil), stepParts...) }

func recorded(of func(record.Step) *int64) func(exchange.Step, int) (int64, bool) {
	return func(s exchange.Step, i int) (int64, bool) {
		v := of(s.Rows[i])
		return orZero(v), v != nil
	}
}

var (
	hostPart      = recorded(func(r record.Step) *int64 { return r.Host })
	dataPart      = recorded(func(r record.Step) *int64 { return r.Data })
	copyPart      = recorded(func(r record.Step) *int64 { return r.H2D })
	forwardPart   = recorded(func(r record.Step) *int64 { return r.Forward })
	optimizerPart = recorded(func(r record.Step) *int64 { return r.Optimizer })
)

func exposedPart(s exchange.Step, i int) (int64, bool) {
	f, ok := s.Figures(i)
	return f.Exposed, ok && len(s.Rows) > 1 // a rank by itself exchanges nothing
}

func backwardPart(s exchange.Step, i int) (int64, bool) {
	exposed, _ := exposedPart(s, i)
	return max(0, orZero(s.Rows[i].Backward)-exposed), s.Rows[i].Backward != nil
}

func otherPart(s exchange.Step, i int) (int64, bool) {
	rest := s.Rows[i].End - s.Rows[i].Start
	for _, part := range []func(exchange.Step, int) (int64, bool){hostPart, dataPart, copyPart, forwardPart, backwardPart, exposedPart, optimizerPart} {
		v, _ := part(s, i)
		rest -= v
	}
	return rest, true
}

func orZero(ns *int64) int64 {
	if ns == nil {
		return 0
	}
	return *ns
}
