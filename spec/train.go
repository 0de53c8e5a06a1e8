package spec

import "assay/unit"

// Train says which training steps and collectives are measured.
type Train struct {
	// The communication backend.
	Backend string `json:"backend,omitzero" default:"gloo" enum:"backends"`

	// The worker command, started once per rank. By default assay's own worker.
	Command []string `json:"command,omitzero"`

	// The rank counts to measure, one point each.
	Ranks []int `json:"ranks,omitzero" default:"[1, 2]" min:"1" max:"1000000" items:"1"`

	// What is held equal as ranks are added: the global batch (strong) or the
	// batch of each rank (weak).
	Scaling string `json:"scaling,omitzero" default:"strong" enum:"scalings"`

	// How the model is spread over ranks.
	Parallelism string `json:"parallelism,omitzero" default:"ddp" enum:"parallelisms"`

	// The shape of the model trained in the step.
	Shape ModelShape `json:"shape,omitzero"`

	// The samples of one optimizer step over all ranks (strong) or of each rank
	// (weak).
	BatchSize int `json:"batchSize,omitzero" default:"8" min:"1" max:"1000000000"`

	// Micro-batches gathered before each optimizer step.
	GradientAccumulation int `json:"gradientAccumulation,omitzero" default:"1" min:"1" max:"1000000"`

	// The measured steps.
	Steps int `json:"steps,omitzero" default:"30" min:"1" max:"1000000000"`

	// The steps before measuring, kept and marked.
	WarmupSteps int `json:"warmupSteps,omitzero" default:"5" min:"1" max:"1000000"`

	// The gradient bucket size of overlapped communication.
	BucketSize unit.Bytes `json:"bucketSize,omitzero" default:"25MiB" above:"0B"`

	// Gradient compression before it is sent.
	Compression string `json:"compression,omitzero" default:"none" enum:"compressions"`

	// Data-loader processes per rank; 0 loads in the step itself.
	LoaderWorkers int `json:"loaderWorkers,omitzero" min:"0" max:"1024"`

	// Batches each loader process prepares ahead.
	LoadAhead int `json:"loadAhead,omitzero" default:"2" min:"1" max:"1024"`

	// The peak rate of one device at the declared precision, in TFLOP/s; model
	// FLOP utilisation is reported only when it is given.
	PeakTFLOPS float64 `json:"peakTFLOPS,omitzero" min:"0"`

	// The collectives to measure by themselves.
	Collectives *Collectives `json:"collectives,omitzero"`
}

// A ModelShape is the transformer trained in a step.
type ModelShape struct {
	// Transformer layers.
	Layers int `json:"layers,omitzero" default:"4" min:"1" max:"10000"`

	// The width of the model.
	Hidden int `json:"hidden,omitzero" default:"256" min:"1" max:"1000000"`

	// Attention heads.
	Heads int `json:"heads,omitzero" default:"4" min:"1" max:"10000"`

	// Tokens per sample.
	SequenceLength int `json:"sequenceLength,omitzero" default:"128" min:"1" max:"100000000"`

	// Entries of the vocabulary.
	Vocabulary int `json:"vocabulary,omitzero" default:"4096" min:"1" max:"100000000"`
}

// Collectives says which collectives are measured and at which sizes.
type Collectives struct {
	// The operations.
	Operations []string `json:"operations,omitzero" default:"[all_reduce, all_gather, reduce_scatter, point_to_point]" enum:"collectives" items:"1"`

	// The message sizes.
	Sizes []unit.Bytes `json:"sizes,omitzero" default:"[1MB, 10MB, 100MB]" above:"0B" items:"1"`

	// Timed calls per operation and size.
	Iterations int `json:"iterations,omitzero" default:"20" min:"1" max:"100000000"`

	// Calls before measuring.
	Warmup int `json:"warmup,omitzero" default:"5" min:"1" max:"1000000"`
}
