package spec

// Comparison says what differs between baseline and candidate: one thing.
type Comparison struct {
	// The one variable that differs. A run in which more than one moved is
	// exploratory and is refused the publication grade.
	VariableUnderTest string `json:"variableUnderTest,omitempty" default:"runtime_version" enum:"variables"`

	// What is compared against.
	Baseline *Artifact `json:"baseline,omitempty"`

	// What is judged.
	Candidate *Artifact `json:"candidate,omitempty"`

	// What is held equal.
	Controls Controls `json:"controls,omitzero"`
}

// An Artifact is one side of a comparison.
type Artifact struct {
	// Where the evidence is: self (the run made from this document), a digest
	// as NAME@sha256:HEX or sha256:HEX, run:RUN_ID, a URI, or a file path.
	ArtifactRef string `json:"artifactRef,omitempty"`

	// What it is, in words.
	Description string `json:"description,omitempty"`
}

// Controls says what is held equal in a comparison.
type Controls struct {
	// The frozen workload: seven items that must equal the workload's own. By
	// default they are taken from it.
	Fixed *Fixed `json:"fixed,omitempty"`

	// Must be true: a comparison moves one variable.
	CompareOneVariableAtATime *bool `json:"compareOneVariableAtATime,omitempty" default:"true"`
}

// Fixed holds the seven frozen items of a workload.
type Fixed struct {
	// As workload.model.
	Model string `json:"model,omitempty"`

	// As workload.sequenceLengthMix.
	SequenceLengthMix []SequenceLength `json:"sequenceLengthMix,omitempty"`

	// As workload.precision.
	Precision string `json:"precision,omitempty" enum:"precisions"`

	// As workload.batchingPolicy.
	BatchingPolicy string `json:"batchingPolicy,omitempty" enum:"batchingPolicies"`

	// As workload.concurrencyModel.
	ConcurrencyModel string `json:"concurrencyModel,omitempty" enum:"concurrencyModels"`

	// As workload.datasetRef.
	DatasetRef string `json:"datasetRef,omitempty"`

	// As workload.correctness.
	Correctness *Correctness `json:"correctness,omitempty"`
}

// Metrics names the reported metrics by workload type.
type Metrics struct {
	// The metrics of training.
	Training MetricSet `json:"training,omitzero"`

	// The metrics of inference.
	Inference MetricSet `json:"inference,omitzero"`
}

// A MetricSet is the reported metrics of one workload type.
type MetricSet struct {
	// Whether they are reported. By default true where workloadType has that
	// kind of work.
	Enabled *bool `json:"enabled,omitempty"`

	// The metrics a claim rests on. By default the contract's for that kind of
	// work.
	Primary []string `json:"primary,omitempty"`

	// The metrics shown beside them, which never replace them.
	Secondary []string `json:"secondary,omitempty"`
}
