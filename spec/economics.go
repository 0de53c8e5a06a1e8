package spec

import "assay/unit"

// Bounds declares what the hardware can do at most and how large the model is:
// the figures that MFU, MBU and the share of memory in use are shares of. assay
// measures none of it; the GPUs are counted in spec.cost.gpuCount.
type Bounds struct {
	// Floating-point operations per second of one GPU, dense, at the precision
	// of the workload, as its maker states them.
	PeakFLOPS float64 `json:"peakFLOPS,omitzero" above:"0" max:"1e21" example:"9.89e14"`

	// Bytes that one GPU can move to or from its memory in a second, as its maker
	// states them.
	MemoryPerSecond unit.Bytes `json:"memoryPerSecond,omitzero" above:"0B" max:"1000TB" example:"3.35TB"`

	// The memory of one GPU, used where the environment of the run does not tell.
	GPUMemory unit.Bytes `json:"gpuMemory,omitzero" above:"0B" max:"1000TB" example:"80GB"`

	// The parameters of the model.
	Parameters float64 `json:"parameters,omitzero" above:"0" max:"1e16" example:"7e9"`

	// The parameters that take part in one token, where that is not all of them,
	// as in a mixture of experts.
	ActiveParameters float64 `json:"activeParameters,omitzero" above:"0" max:"1e16"`

	// The bytes of one parameter as it is held in memory.
	BytesPerParameter float64 `json:"bytesPerParameter,omitzero" above:"0" max:"64" example:"2"`

	// The bytes that one token takes in the KV cache. Without it MBU counts the
	// reading of weights alone.
	KVBytesPerToken unit.Bytes `json:"kvBytesPerToken,omitzero" above:"0B" max:"1GiB" example:"128KiB"`
}

// Active is how many parameters take part in one token.
func (b Bounds) Active() float64 {
	if b.ActiveParameters > 0 {
		return b.ActiveParameters
	}
	return b.Parameters
}

// boundsAgree wants the parts of each quotient together: a peak without a model,
// or without the number of GPUs that have it, would give a figure that is wrong by
// a factor.
func boundsAgree(c *checker) {
	b := c.run.Spec.Bounds
	const path = "spec.bounds"
	if b == nil || c.anyUnread(path) {
		return
	}
	if c.source.at("spec.cost.gpuCount") == nil {
		c.failGot("spec.cost.gpuCount", "nothing", "bounds are those of one GPU: write how many the system occupies")
	}
	if b.PeakFLOPS > 0 && b.Parameters == 0 {
		c.failGot(path, "no parameters", "peakFLOPS needs parameters: MFU counts two operations for each of them")
	}
	if b.MemoryPerSecond > 0 && (b.Parameters == 0 || b.BytesPerParameter == 0) {
		c.failGot(path, "no size of the weights", "memoryPerSecond needs parameters and bytesPerParameter: MBU counts the weights that each step reads")
	}
	if b.ActiveParameters > b.Parameters {
		c.fail(path+".activeParameters", "must not be above parameters")
	}
}
