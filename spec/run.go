package spec

// The names a document declares itself by.
const (
	// APIVersion is the version assay writes.
	APIVersion = "assay.dev/v1alpha1"

	// ReferenceAPIVersion is the version of the published contract assay
	// follows. Its documents are read strictly: nothing is defaulted before the
	// contract's rules are applied.
	ReferenceAPIVersion = "benchmarking.aisp.dev/v1alpha1"

	KindBenchmarkRun = "BenchmarkRun"
	KindWorkloadSpec = "WorkloadSpec"
)

// A Run is one BenchmarkRun document: a declared question about a distributed
// AI system, complete enough that two people who run it ask the same thing.
type Run struct {
	// The version of this document's format.
	APIVersion string `json:"apiVersion" required:"true" enum:"apiVersions" rule:"A1"`

	// The kind of document: BenchmarkRun.
	Kind string `json:"kind" required:"true" enum:"runKinds" use:"checked"`

	// What the document is called.
	Metadata Metadata `json:"metadata" required:"true"`

	// The question itself.
	Spec RunSpec `json:"spec" required:"true"`
}

// Metadata names a document.
type Metadata struct {
	// The name of the run. It becomes part of run ids and so of file names: no
	// slash, no leading dot or space, at most 200 characters.
	Name string `json:"name" required:"true" pattern:"^[^\\s./\\\\][^/\\\\]{0,199}$" form:"a name of at most 200 characters without slashes, and no dot or space first" example:"publication-inference-stack-b200"`

	// Where the object lives on Kubernetes; ignored elsewhere.
	Namespace string `json:"namespace,omitzero" use:"recorded"`

	// Free labels, copied to every artifact.
	Labels map[string]string `json:"labels,omitzero"`

	// Free annotations; assay keeps them and reads none.
	Annotations map[string]string `json:"annotations,omitzero" use:"recorded"`
}

// A RunSpec is the question: what is measured, under which load, how often,
// against what, and what must be kept as evidence.
type RunSpec struct {
	// Why the run is made and how strict it must be.
	Intent Intent `json:"intent,omitzero"`

	// The methodology layers: micro, component and end_to_end, each named once.
	// By default the layer that the workload exercises is enabled.
	Layers []Layer `json:"layers,omitzero"`

	// What is asked of the system. It is frozen: equal on both sides of a
	// comparison.
	Workload Workload `json:"workload,omitzero"`

	// The system under test, for inference.
	Target *Target `json:"target,omitzero"`

	// Other systems, measured in turn with spec.target in randomised blocks: each
	// block holds one launch of every side, and trials.minReplicates is the number
	// of blocks.
	Candidates []Candidate `json:"candidates,omitzero" items:"1"`

	// How requests are offered, for inference.
	Load *Load `json:"load,omitzero"`

	// The training steps to measure, for training.
	Train *Train `json:"train,omitzero"`

	// The collective operations to measure by themselves.
	Collectives *Collectives `json:"collectives,omitzero"`

	// The hardware probes of the micro layer.
	Probe *Probe `json:"probe,omitzero"`

	// The tasks whose answers are graded. The target is then asked their questions, and
	// not prompts of workload; what it answers is kept in the bundle.
	Evaluation *Evaluation `json:"evaluation,omitzero"`

	// The objectives a request must meet to count as good.
	SLO []Objective `json:"slo,omitzero"`

	// Prices and power, for cost and energy per result.
	Cost *Cost `json:"cost,omitzero"`

	// What hardware and model can do at most, for the share of it that was used.
	Bounds *Bounds `json:"bounds,omitzero"`

	// The seed of every random choice: prompts, arrivals, order of points. A run that
	// asks a server draws its own where none is stated, so that no cache knows its prompts.
	Seed int64 `json:"seed,omitzero" default:"20260313" min:"1" max:"9007199254740991"`

	// Whether the seed was drawn for this run and not chosen: runs that differ in such
	// a seed alone ask the same question.
	SeedDrawn bool `json:"seedDrawn,omitzero"`

	// What differs between baseline and candidate.
	Comparison Comparison `json:"comparison,omitzero"`

	// The metrics that are reported, by workload type.
	Metrics Metrics `json:"metrics,omitzero"`

	// How often the run is repeated and how its spread is judged.
	Trials Trials `json:"trials,omitzero"`

	// The bottleneck classes and the probes that tell them apart.
	BottleneckAnalysis BottleneckAnalysis `json:"bottleneckAnalysis,omitzero"`

	// What is watched per rank and per node.
	Distributed Distributed `json:"distributed,omitzero"`

	// How telemetry is joined and which sources are read.
	Observability Observability `json:"observability,omitzero"`

	// What is captured and signed as evidence.
	Provenance Provenance `json:"provenance,omitzero"`

	// The isolation the run demands.
	ExecutionPolicy ExecutionPolicy `json:"executionPolicy,omitzero"`

	// How assay operator places the run on a Kubernetes cluster.
	Kubernetes *Kubernetes `json:"kubernetes,omitzero"`

	// Where raw artifacts, hot metrics and curated facts go.
	Sinks Sinks `json:"sinks,omitzero"`

	// Which schedules repeat the run.
	Automation Automation `json:"automation,omitzero" use:"recorded"`
}

// Intent says why a run is made.
type Intent struct {
	// How strict the run is: publication_grade declares everything and demands
	// isolation and a signature; realism_grade takes defaults and tolerates,
	// and records, a shared cluster.
	BenchmarkClass string `json:"benchmarkClass,omitzero" default:"realism_grade" enum:"classes"`

	// The kind of work: training, inference or both.
	WorkloadType string `json:"workloadType,omitzero" default:"inference" enum:"workloadTypes"`

	// The path by which work is placed. A path that names kueue or slinky also
	// needs that telemetry source.
	SchedulerPath string `json:"schedulerPath,omitzero" default:"local" example:"slinky-kueue-topology-aware"`

	// The result that the run is made for, chosen before it is known: throughput, which
	// wants an objective on a latency beside it, or latency. Reports lead with it.
	Headline string `json:"headline,omitzero" enum:"headlines"`

	// The schedule the run belongs to.
	Cadence string `json:"cadence,omitzero" default:"canary" enum:"cadences" rule:"A2"`
}

// A Layer is one of the three methodology layers.
type Layer struct {
	// The layer's name.
	Name string `json:"name" required:"true" enum:"layers" rule:"A14"`

	// Whether the layer's suites run.
	Enabled bool `json:"enabled" required:"true"`

	// The question this layer answers.
	Objective string `json:"objective,omitzero" use:"recorded"`

	// The suites of the layer; a disabled layer may have none.
	Suites []Suite `json:"suites" required:"true" rule:"A15"`
}

// A Suite is a named set of benchmarks.
type Suite struct {
	// The suite's name: of something that assay measures, such as serving-load,
	// train-step, collectives or probes, or of a preset of assay suite. assay plan says
	// what carries each out. A run is refused where nothing does and no command is given.
	Name string `json:"name" required:"true" example:"nccl-allreduce"`

	// The command that runs the suite elsewhere, with placeholders such as
	// ${RUN_ID}.
	RepoCommand string `json:"repoCommand,omitzero"`
}
