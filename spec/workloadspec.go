package spec

// A WorkloadSpec is the freeze contract people edit: everything about a
// workload and its measurement that both sides of a comparison must share.
type WorkloadSpec struct {
	// The version of this document's format.
	APIVersion string `json:"apiVersion" required:"true" enum:"apiVersions" rule:"A1" use:"checked"`

	// The kind of document: WorkloadSpec.
	Kind string `json:"kind" required:"true" enum:"workloadKinds" use:"checked"`

	// Why and for whom the run is made.
	RunMetadata RunMetadata `json:"run_metadata,omitzero"`

	// What differs and what does not.
	ComparisonAxis ComparisonAxis `json:"comparison_axis,omitzero"`

	// What is asked of the system.
	Workload FrozenWorkload `json:"workload" required:"true"`

	// What it runs on.
	Execution Execution `json:"execution,omitzero" use:"recorded"`

	// How it is repeated and judged.
	MeasurementPolicy MeasurementPolicy `json:"measurement_policy,omitzero"`

	// What is reported.
	Metrics FrozenMetrics `json:"metrics" required:"true"`

	// How a bottleneck is found.
	DiagnosisPolicy DiagnosisPolicy `json:"diagnosis_policy,omitzero"`

	// What is kept as evidence.
	Artifacts ArtifactPolicy `json:"artifacts,omitzero"`
}

// RunMetadata says why and for whom a run is made.
type RunMetadata struct {
	// The methodology layer.
	BenchmarkLayer string `json:"benchmark_layer,omitzero" default:"component" enum:"layers" use:"recorded"`

	// How strict the run is.
	BenchmarkGrade string `json:"benchmark_grade,omitzero" default:"publication" enum:"grades"`

	// What the result is for.
	UseCase string `json:"use_case,omitzero" default:"release_gate" enum:"useCases" use:"recorded"`

	// Who answers for the run.
	Owner string `json:"owner,omitzero" use:"recorded"`

	// The ticket the run belongs to.
	TicketOrEpic string `json:"ticket_or_epic,omitzero" use:"recorded"`
}

// A ComparisonAxis says what differs and what does not.
type ComparisonAxis struct {
	// The one variable that differs; the same list as in a BenchmarkRun.
	VariableUnderTest string `json:"variable_under_test,omitzero" default:"runtime_version" enum:"variables"`

	// The side compared against.
	Control string `json:"control,omitzero" use:"recorded"`

	// The side that is judged.
	Candidate string `json:"candidate,omitzero" use:"recorded"`

	// What is held equal.
	ConstantsLocked []string `json:"constants_locked,omitzero" default:"[model, sequence_length_mix, precision, batching_policy, concurrency_model]" use:"checked"`
}

// A FrozenWorkload is what is asked of the system.
type FrozenWorkload struct {
	// The kind of work.
	Type string `json:"type" required:"true" enum:"frozenTypes"`

	// The workload's name.
	Name string `json:"name" required:"true" example:"chat-short"`

	// The model.
	Model FrozenModel `json:"model" required:"true"`

	// The lengths of requests.
	InputDistribution InputDistribution `json:"input_distribution,omitzero"`

	// How the server forms batches.
	BatchingPolicy FrozenBatching `json:"batching_policy,omitzero"`

	// How load is offered.
	ConcurrencyModel FrozenConcurrency `json:"concurrency_model,omitzero"`

	// What serves the model.
	ServingContract *ServingContract `json:"serving_contract,omitzero"`

	// When an answer is still right.
	QualityConstraints QualityConstraints `json:"quality_constraints,omitzero"`
}

// A FrozenModel names a model exactly.
type FrozenModel struct {
	// The model's name.
	Name string `json:"name" required:"true"`

	// Its parameters, in billions.
	ParameterCountB float64 `json:"parameter_count_b,omitzero" min:"0" max:"10000000"`

	// The numeric precision it runs in.
	Precision string `json:"precision,omitzero" default:"bf16" enum:"precisions"`

	// Where its weights come from.
	WeightsSource string `json:"weights_source,omitzero" use:"recorded"`
}

// An InputDistribution holds the lengths of requests, in tokens.
type InputDistribution struct {
	// Prompt and answer together.
	SequenceLengthMix *Lengths `json:"sequence_length_mix,omitzero"`

	// The prompt.
	PromptTokens *Lengths `json:"prompt_tokens,omitzero"`

	// The answer.
	CompletionTokens *Lengths `json:"completion_tokens,omitzero"`
}

// Lengths are three points of a distribution; p50 <= p95 <= max.
type Lengths struct {
	// The median.
	P50 int `json:"p50" required:"true" min:"1" max:"10000000"`

	// The 95th percentile.
	P95 int `json:"p95" required:"true" min:"1" max:"10000000"`

	// The largest.
	Max int `json:"max" required:"true" min:"1" max:"10000000"`
}

// FrozenBatching says how the server forms batches.
type FrozenBatching struct {
	// The policy.
	Mode string `json:"mode,omitzero" default:"continuous" enum:"batchingPolicies"`

	// The most requests in a batch; 0 means the server's own limit.
	MaxBatchSize int `json:"max_batch_size,omitzero" min:"0" max:"100000000" use:"recorded"`

	// The most sequences at a time; 0 means the server's own limit.
	MaxNumSeqs int `json:"max_num_seqs,omitzero" min:"0" max:"100000000" use:"recorded"`

	// The most tokens in a batch; 0 means the server's own limit.
	MaxTokensInBatch int `json:"max_tokens_in_batch,omitzero" min:"0" max:"1000000000" use:"recorded"`
}

// FrozenConcurrency says how load is offered.
type FrozenConcurrency struct {
	// Closed or open loop.
	Mode string `json:"mode,omitzero" default:"closed_loop" enum:"concurrencyModels"`

	// The points: requests in flight (closed loop) or requests per second (open
	// loop).
	Values []float64 `json:"values,omitzero" above:"0" max:"1e15"`
}

// A ServingContract says what serves the model.
type ServingContract struct {
	// The serving stack. A run that declares another engine is refused; llm-d, kserve and
	// custom stand above any engine.
	StackUnderTest string `json:"stack_under_test" required:"true" enum:"stacks"`

	// The protocol it speaks.
	Protocol string `json:"protocol,omitzero" default:"openai_compatible_http" enum:"protocols"`

	// How it is deployed. A run that declares another way is refused; custom is any.
	DeploymentModel string `json:"deployment_model,omitzero" default:"custom" enum:"deploymentModels"`

	// What is equal for every candidate.
	FairnessConstraints FairnessConstraints `json:"fairness_constraints,omitzero" use:"checked"`
}

// FairnessConstraints say what is equal for every candidate.
type FairnessConstraints struct {
	// The protocol.
	ProtocolFixed *bool `json:"protocol_fixed_across_candidates,omitzero" default:"true"`

	// The deployment model.
	DeploymentModelFixed *bool `json:"deployment_model_fixed_across_candidates,omitzero" default:"true"`

	// The behaviour of the API.
	APIBehaviorFixed *bool `json:"api_behavior_fixed_across_candidates,omitzero" default:"true"`
}

// QualityConstraints say when an answer is still right.
type QualityConstraints struct {
	// The quality tasks that must hold.
	CorrectnessSuite []string `json:"correctness_suite,omitzero"`

	// The largest accepted drop in accuracy, in percent. A run whose evaluation.margin is
	// larger is refused.
	MaxAccuracyDeltaPct float64 `json:"max_accuracy_delta_pct,omitzero" min:"0" max:"100"`

	// Named exceptions with their reason.
	AllowedQualityExceptions []string `json:"allowed_quality_exceptions,omitzero" use:"recorded"`
}

// FrozenMetrics says what is reported.
type FrozenMetrics struct {
	// The one metric a claim rests on.
	Primary string `json:"primary" required:"true" enum:"headlineMetrics"`

	// The metrics shown beside it.
	Secondary []string `json:"secondary,omitzero" use:"recorded"`
}
