package spec

// Comparison says what differs between baseline and candidate: one thing.
type Comparison struct {
	// The one variable that differs. A run in which more than one moved is
	// exploratory and is refused the publication grade.
	VariableUnderTest string `json:"variableUnderTest,omitzero" default:"runtime_version" enum:"variables" rule:"A16"`

	// The relative difference that matters, declared before anything is measured:
	// 0.02 is two per cent. By default assay compare takes that.
	Margin float64 `json:"margin,omitzero" above:"0" max:"1"`

	// How it is tested whether baseline and candidate differ, of which the candidate's
	// document decides: t_test on logarithms (Welch's, or that of pairs), rank_test
	// (Mann and Whitney's, or Wilcoxon's) or permutation_test. By default t_test. The
	// last two can show nothing at the 5 % level with fewer than four launches a side,
	// or six blocks.
	Test string `json:"test,omitzero" enum:"differenceTests"`

	// What is compared against.
	Baseline *Artifact `json:"baseline,omitzero"`

	// What is judged.
	Candidate *Artifact `json:"candidate,omitzero"`

	// What is held equal.
	Controls Controls `json:"controls,omitzero" use:"checked"`
}

// An Artifact is one side of a comparison.
type Artifact struct {
	// Where the evidence is: self (the run made from this document), a digest
	// as NAME@sha256:HEX or sha256:HEX, run:RUN_ID, a URI, or a file path.
	ArtifactRef string `json:"artifactRef,omitzero"`

	// What it is, in words.
	Description string `json:"description,omitzero" use:"recorded"`
}

// Controls says what is held equal in a comparison.
type Controls struct {
	// The frozen workload: seven items that must equal the workload's own. By
	// default they are taken from it.
	Fixed *Fixed `json:"fixed,omitzero"`

	// Must be true: a comparison moves one variable.
	CompareOneVariableAtATime *bool `json:"compareOneVariableAtATime,omitzero" default:"true"`
}

// Fixed holds the seven frozen items of a workload.
type Fixed struct {
	// As workload.model.
	Model string `json:"model,omitzero"`

	// As workload.sequenceLengthMix.
	SequenceLengthMix []SequenceLength `json:"sequenceLengthMix,omitzero"`

	// As workload.precision.
	Precision string `json:"precision,omitzero" enum:"precisions"`

	// As workload.batchingPolicy.
	BatchingPolicy string `json:"batchingPolicy,omitzero" enum:"batchingPolicies"`

	// As workload.concurrencyModel.
	ConcurrencyModel string `json:"concurrencyModel,omitzero" enum:"concurrencyModels"`

	// As workload.datasetRef.
	DatasetRef string `json:"datasetRef,omitzero"`

	// As workload.correctness.
	Correctness *Correctness `json:"correctness,omitzero"`
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
	Enabled *bool `json:"enabled,omitzero"`

	// The metrics a claim rests on. By default the contract's for that kind of
	// work.
	Primary []string `json:"primary,omitzero"`

	// The metrics shown beside them, which never replace them.
	Secondary []string `json:"secondary,omitzero"`
}
