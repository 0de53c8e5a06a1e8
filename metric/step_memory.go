package metric

import (
	"assay/record"
	"assay/unit"
)

// Memory of training, on the rank that needs most.
var (
	TrainingPeakMemory = memoryMetric("training_peak_memory.v1", "peak memory", false,
		"Most memory that the allocator had handed out during the measured steps, on the rank that needed most.",
		func(m record.Memory) *int64 { return m.PeakAllocated })
	TrainingReservedMemory = memoryMetric("training_reserved_memory.v1", "reserved memory", true,
		"Most memory that the allocator held, handed out or not, on the rank that held most. What it holds beyond the peak is fragmented or cached.",
		func(m record.Memory) *int64 { return m.PeakReserved })
	TrainingResidentMemory = memoryMetric("training_resident_memory.v1", "resident memory", true,
		"Highest resident memory of a rank's process on its host, on the rank that needed most.",
		func(m record.Memory) *int64 { return m.Resident })
	ParameterMemory = memoryMetric("parameter_memory.v1", "parameters", true,
		"Bytes of the model's parameters on one rank, on the rank that has most.",
		func(m record.Memory) *int64 { return m.Parameters })
	GradientMemory = memoryMetric("gradient_memory.v1", "gradients", true,
		"Bytes of the gradients on one rank after a backward pass, on the rank that has most.",
		func(m record.Memory) *int64 { return m.Gradients })
	OptimizerMemory = memoryMetric("optimizer_memory.v1", "optimizer state", true,
		"Bytes of the optimizer's state on one rank after a step, on the rank that has most.",
		func(m record.Memory) *int64 { return m.Optimizer })
	ActivationMemory = memoryMetric("activation_memory.v1", "activations", true,
		"Bytes that the forward pass kept for the backward pass on one rank, each storage once and parameters left out, on the rank that kept most.",
		func(m record.Memory) *int64 { return m.Activations })
)

func memoryMetric(id, name string, detail bool, doc string, part func(record.Memory) *int64) Metric {
	return Metric{
		ID: id, Name: name, Unit: unit.Byte, Better: Lower, Scope: Scope{Kinds: ofSteps, Only: []Condition{Telemetry}}, Detail: detail, Doc: doc,
		Of: Whole(func(p *Point) (most float64, known bool) {
			if p.Ranked == nil {
				return 0, false
			}
			for _, m := range p.Ranked.Memory {
				if v := part(m); v != nil && m.Outcome == "ok" {
					most, known = max(most, float64(*v)), true
				}
			}
			return most, known
		}),
	}
}
