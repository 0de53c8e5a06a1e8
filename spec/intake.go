package spec

import "reflect"

// KindPerformanceIntake is the kind of document that a request for performance work
// fills in.
const KindPerformanceIntake = "PerformanceIntake"

// A PerformanceIntake is what must be known before performance work begins: the goal,
// the workload, the limits, the environment and where things stand. It asks for
// nothing to be measured; a BenchmarkRun does.
type PerformanceIntake struct {
	// The version of this document's format.
	APIVersion string `json:"apiVersion" required:"true" enum:"policyVersions" rule:"A1"`

	// The kind of document: PerformanceIntake.
	Kind string `json:"kind" required:"true" enum:"intakeKinds"`

	// What the request is called.
	Metadata Metadata `json:"metadata" required:"true"`

	// The answers.
	Spec IntakeAnswers `json:"spec" required:"true" use:"recorded"`
}

// IntakeAnswers are what the form asks.
type IntakeAnswers struct {
	// What is to become better.
	Objective IntakeObjective `json:"objective" required:"true"`

	// How it would be measured.
	Benchmark IntakeBenchmark `json:"benchmark" required:"true"`

	// What the system does.
	Workload IntakeWorkload `json:"workload" required:"true"`

	// What must be kept whatever becomes faster.
	SLOs IntakeLimits `json:"slos,omitzero"`

	// Where it runs.
	Environment IntakeEnvironment `json:"environment" required:"true"`

	// Where things stand, as far as it is known.
	CurrentBaseline IntakeBaseline `json:"currentBaseline,omitzero"`

	// What is known to be wrong, or suspected.
	KnownIssues []string `json:"knownIssues,omitzero"`

	// What must not be broken.
	RiskGuardrails IntakeGuardrails `json:"riskGuardrails,omitzero"`
}

// An IntakeObjective is what is to become better.
type IntakeObjective struct {
	// The one number that counts.
	PrimaryKPI string `json:"primaryKPI" required:"true" example:"tokens_per_second"`

	// Others that are watched.
	SecondaryKPIs []string `json:"secondaryKPIs,omitzero"`
}

// An IntakeBenchmark is how the change would be measured.
type IntakeBenchmark struct {
	// The layer that is measured.
	Layer string `json:"layer" required:"true" enum:"layers"`

	// How far the result is to be trusted.
	Grade string `json:"grade" required:"true" enum:"grades"`

	// The one variable that will differ.
	VariableUnderTest string `json:"variableUnderTest" required:"true" enum:"variables"`
}

// An IntakeWorkload is what the system does.
type IntakeWorkload struct {
	// Training or inference.
	Type string `json:"type" required:"true" enum:"workloadTypes"`

	// The model.
	Model string `json:"model" required:"true" example:"llama-3.1-8b"`

	// Tokens of a prompt or sample.
	SequenceLength IntakeSpan `json:"sequenceLength,omitzero"`

	// Requests or samples at once.
	BatchShape IntakeSpan `json:"batchShape,omitzero"`

	// What may not be changed.
	Constraints []string `json:"constraints,omitzero"`
}

// An IntakeSpan is how a size is spread; 0 is not known.
type IntakeSpan struct {
	// The median.
	P50 float64 `json:"p50,omitzero" min:"0" max:"1e15"`

	// The 95th percentile.
	P95 float64 `json:"p95,omitzero" min:"0" max:"1e15"`

	// The largest.
	Max float64 `json:"max,omitzero" min:"0" max:"1e15"`
}

// IntakeLimits are the service's limits; 0 is none.
type IntakeLimits struct {
	// Latency in milliseconds: the median.
	LatencyP50MS float64 `json:"latencyP50Ms,omitzero" min:"0" max:"1e9"`

	// The 95th percentile.
	LatencyP95MS float64 `json:"latencyP95Ms,omitzero" min:"0" max:"1e9"`

	// The 99th percentile.
	LatencyP99MS float64 `json:"latencyP99Ms,omitzero" min:"0" max:"1e9"`

	// The share of time in which the service must answer, from 0 to 1.
	Availability float64 `json:"availability,omitzero" min:"0" max:"1"`

	// What it may cost, in words.
	CostBudget string `json:"costBudget,omitzero"`
}

// An IntakeEnvironment is where the system runs.
type IntakeEnvironment struct {
	// Accelerators, processors, memory, storage and links, in words.
	Hardware IntakeHardware `json:"hardware" required:"true"`

	// System, driver and frameworks with their versions, such as driver: 575.57.
	Software map[string]string `json:"software,omitzero"`

	// The steps that data goes through before it is computed on.
	DataPipeline []string `json:"dataPipeline,omitzero"`
}

// IntakeHardware is what the system runs on.
type IntakeHardware struct {
	// Accelerators, and how many.
	GPU string `json:"gpu" required:"true" example:"8 × H200, or none"`

	// Processors.
	CPU string `json:"cpu,omitzero"`

	// Memory in gigabytes.
	RAMGB float64 `json:"ramGB,omitzero" min:"0" max:"1e9"`

	// Storage.
	Storage string `json:"storage,omitzero"`

	// Links between accelerators and between hosts.
	Interconnect string `json:"interconnect,omitzero"`

	// How they are arranged.
	Topology string `json:"topology,omitzero"`
}

// An IntakeBaseline is where things stand; 0 is not known.
type IntakeBaseline struct {
	// Hours until the model is trained.
	TimeToTrainHours float64 `json:"timeToTrainHours,omitzero" min:"0" max:"1e9"`

	// Model FLOP utilisation in percent.
	MFUPercent float64 `json:"mfuPercent,omitzero" min:"0" max:"100"`

	// Efficiency of scaling in percent.
	ScalingEfficiencyPercent float64 `json:"scalingEfficiencyPercent,omitzero" min:"0" max:"1000"`

	// Tokens per second.
	TokensPerSecond float64 `json:"tokensPerSecond,omitzero" min:"0" max:"1e15"`

	// Time to the first token in milliseconds.
	TTFTMS float64 `json:"ttftMs,omitzero" min:"0" max:"1e9"`

	// Latency in milliseconds: the median.
	P50MS float64 `json:"p50Ms,omitzero" min:"0" max:"1e9"`

	// The 99th percentile.
	P99MS float64 `json:"p99Ms,omitzero" min:"0" max:"1e9"`

	// How much repeats differ, in percent.
	JitterCVPercent float64 `json:"jitterCVPercent,omitzero" min:"0" max:"1e6"`

	// How busy accelerators are, in percent.
	GPUUtilPercent float64 `json:"gpuUtilPercent,omitzero" min:"0" max:"100"`

	// How busy their memory is, in percent.
	MemoryBandwidthPercent float64 `json:"memoryBandwidthPercent,omitzero" min:"0" max:"100"`

	// What goes over the network, in gigabits per second.
	NICGbps float64 `json:"nicGbps,omitzero" min:"0" max:"1e9"`

	// The share of requests within their limits, in percent.
	GoodputPercent float64 `json:"goodputPercent,omitzero" min:"0" max:"100"`

	// What a token costs in US dollars.
	CostPerTokenUSD float64 `json:"costPerTokenUSD,omitzero" min:"0" max:"1e9"`

	// What a request costs in US dollars.
	CostPerRequestUSD float64 `json:"costPerRequestUSD,omitzero" min:"0" max:"1e9"`
}

// IntakeGuardrails are what must not be broken.
type IntakeGuardrails struct {
	// The tests that must stay green.
	CorrectnessTests []string `json:"correctnessTests,omitzero"`

	// When the system may be changed.
	ChangeWindows []string `json:"changeWindows,omitzero"`
}

func parseIntake(root *node) (*PerformanceIntake, []Fault) {
	d := &decoder{}
	intake := new(PerformanceIntake)
	d.value(root, reflect.ValueOf(intake).Elem(), member{}, "")
	return intake, merge(d.faults, newChecker(root, d.faults))
}
