package spec

import "assay/unit"

// BottleneckAnalysis says how a bottleneck is found.
type BottleneckAnalysis struct {
	// The classes a bottleneck can have. assay diagnose names no other as the limit.
	Taxonomy []string `json:"taxonomy,omitzero" default:"[compute_bound, comm_bound, input_bound, control_plane_bound]"`

	// The parts a step or request is divided into, as assay diagnose shows them.
	DecomposeOverheads []string `json:"decomposeOverheads,omitzero" default:"[compute, communication, storage, orchestration]"`

	// The probes that tell each class, by class. assay diagnose says of each what the
	// bundle holds, and what to run where it holds nothing.
	Instrumentation map[string][]string `json:"instrumentation,omitzero" default:"{compute_bound: [model_server_metrics, gpu_counters, ncu], comm_bound: [nccl_traces, rdma_probes, nvlink_exporter], input_bound: [storage_probes, dataloader_metrics, network_probes], control_plane_bound: [scheduler_timing, queue_depth, job_startup_trace]}"`
}

// Distributed says what is watched per rank and per node.
type Distributed struct {
	// Must be true: every rank is recorded by itself.
	RequireRankLevelVisibility *bool `json:"requireRankLevelVisibility,omitzero" default:"true" use:"checked"`

	// What is recorded of every collective.
	Collectives []string `json:"collectives,omitzero" default:"[latency, bandwidth, outliers]" use:"recorded"`

	// How a bad node is found and what is done about it.
	NodeDiagnosis NodeDiagnosis `json:"nodeDiagnosis,omitzero" use:"recorded"`
}

// NodeDiagnosis says how a bad node is found.
type NodeDiagnosis struct {
	// The checks of every node.
	Validate []string `json:"validate,omitzero" default:"[rdma_pathing, gpu_nic_affinity, pcie_link_health, nvlink_health, thermal_throttling]"`

	// What may be done about a bad node.
	Remediation []string `json:"remediation,omitzero" default:"[isolate_bad_node, cordon_problematic_node]"`

	// The exporters that feed the checks.
	Exporters []string `json:"exporters,omitzero" default:"[node-pci-exporter, nvlink-exporter, gpu-thermal-exporter]"`
}

// Observability says how telemetry is joined and which sources are read.
type Observability struct {
	// What ties telemetry to the run.
	Correlation Correlation `json:"correlation,omitzero"`

	// The sources that are read where they exist.
	TelemetrySources TelemetrySources `json:"telemetrySources,omitzero" use:"recorded"`

	// The playbooks that assay diagnose walks, in this order.
	ScenarioPlaybooks []string `json:"scenarioPlaybooks,omitzero" default:"[tail_latency_regression, low_gpu_utilization, distributed_straggler, scheduler_backpressure]"`

	// How deep the run is profiled. minimal reads the host and its devices once a
	// second; deep_dive reads them ten times a second and the server's page every
	// 250 ms, and records a profiler's trace of training steps (train.profile).
	ProfileDepth string `json:"profileDepth,omitzero" default:"minimal" enum:"profileDepths"`
}

// Correlation ties telemetry to the run.
type Correlation struct {
	// The keys every record carries. By default the contract's for the workload
	// type.
	StableJoinKeys []string `json:"stableJoinKeys,omitzero"`

	// What every published number can be traced to.
	PublishedNumberLineage PublishedNumberLineage `json:"publishedNumberLineage,omitzero"`
}

// PublishedNumberLineage says what a published number can be traced to; each
// must be true.
type PublishedNumberLineage struct {
	// To the digest of the raw artifacts' manifest.
	RawArtifactManifestDigest *bool `json:"rawArtifactManifestDigest,omitzero" default:"true" use:"checked"`

	// To the warehouse rows it came from.
	WarehouseRowLineage *bool `json:"warehouseRowLineage,omitzero" default:"true" use:"recorded"`

	// To the query that made it.
	QuerySpecCaptured *bool `json:"querySpecCaptured,omitzero" default:"true" use:"recorded"`
}

// TelemetrySources names the sources by what they watch.
type TelemetrySources struct {
	// The service itself.
	Service []string `json:"service,omitzero" default:"[model_server_metrics, request_traces, queue_time]"`

	// Nodes, devices and links.
	Infrastructure []string `json:"infrastructure,omitzero" default:"[dcgm-exporter, nvlink-exporter, node-pci-exporter, ping-exporter, node-problem-detector, hpc-verification]"`

	// Placement. By default kubernetes_events, and kueue and slinky where
	// schedulerPath names them.
	Scheduler []string `json:"scheduler,omitzero"`
}

// Provenance says what is captured and signed as evidence.
type Provenance struct {
	// What is captured; each must be true.
	Capture Capture `json:"capture,omitzero"`

	// Whether and how the bundle is signed.
	Signing Signing `json:"signing,omitzero"`

	// Which of the files that the run was made from are copied into the bundle. All are
	// listed there by digest, whatever is copied.
	Inputs PackedInputs `json:"inputs,omitzero"`
}

// PackedInputs says which of the files that a run was made from are copied into its
// bundle, so that another team can make it again from the bundle alone.
type PackedInputs struct {
	// Copy prompts, traces, questions and the tokenizer, which may be other people's. By
	// default they are named by digest alone.
	Data bool `json:"data,omitzero"`

	// Copy the scripts of commands; false names them by digest alone. By default true. One
	// that seems to hold a secret is never copied.
	Code *bool `json:"code,omitzero"`

	// The most bytes that all copies together may have; what does not fit is named by
	// digest alone. By default 16 MiB.
	Most unit.Bytes `json:"most,omitzero" max:"1TiB"`
}

// Capture says what is captured; each must be true.
type Capture struct {
	// The workload as frozen, by digest.
	PinnedWorkloadSpec *bool `json:"pinnedWorkloadSpec,omitzero" default:"true" use:"checked"`

	// The digest of every image.
	ImageDigest *bool `json:"imageDigest,omitzero" default:"true" use:"recorded"`

	// Versions of driver, CUDA, NCCL and runtime.
	DriverCUDANCCLRuntimeVersions *bool `json:"driverCudaNcclRuntimeVersions,omitzero" default:"true" use:"recorded"`

	// Devices, links and their layout.
	HardwareTopology *bool `json:"hardwareTopology,omitzero" default:"true" use:"recorded"`

	// Raw artifacts that never change after sealing.
	ImmutableRawArtifacts *bool `json:"immutableRawArtifacts,omitzero" default:"true" use:"checked"`

	// Who did what, and when.
	AuditTrail *bool `json:"auditTrail,omitzero" default:"true" use:"checked"`
}

// Signing says whether and how the bundle is signed.
type Signing struct {
	// Whether an unsigned bundle is refused. By default true for publication
	// grade only.
	Required *bool `json:"required,omitzero"`

	// What signs: ed25519, a key of one's own. Others, such as sigstore, are refused.
	// By default ed25519 where signing is required.
	Backend string `json:"backend,omitzero"`

	// The form of the statement: in_toto. By default that, where signing is required.
	AttestationFormat string `json:"attestationFormat,omitzero"`
}

// ExecutionPolicy is the isolation the run demands.
type ExecutionPolicy struct {
	// The guarantees of publication grade.
	PublicationGrade PublicationPolicy `json:"publicationGrade,omitzero"`

	// The freedoms of realism grade.
	RealismGrade RealismPolicy `json:"realismGrade,omitzero"`
}

// PublicationPolicy holds the guarantees of publication grade; there each must
// be true. By default they are true for that class and false otherwise.
type PublicationPolicy struct {
	// Nobody else on the nodes.
	DedicatedNodes *bool `json:"dedicatedNodes,omitzero"`

	// A background load that does not change.
	StableBackgroundLoad *bool `json:"stableBackgroundLoad,omitzero"`

	// The same devices and links in every launch.
	FixedTopology *bool `json:"fixedTopology,omitzero"`

	// Nobody else on the links.
	TopologyExclusiveScheduling *bool `json:"topologyExclusiveScheduling,omitzero"`
}

// RealismPolicy holds the freedoms of realism grade; there each must be true.
type RealismPolicy struct {
	// Other tenants are allowed. By default true for realism grade only.
	MultiTenantScenarios *bool `json:"multiTenantScenarios,omitzero" use:"recorded"`

	// What else the cluster did is recorded.
	CaptureClusterContext *bool `json:"captureClusterContext,omitzero" default:"true" use:"recorded"`
}

// Automation says which schedules repeat the run.
type Automation struct {
	// The schedules.
	CI CI `json:"ci,omitzero"`
}

// CI holds one switch per schedule. The switch of intent.cadence must be on;
// by default it alone is.
type CI struct {
	// After a merge.
	Canary *bool `json:"canary,omitzero"`

	// Every night.
	Nightly *bool `json:"nightly,omitzero"`

	// Before a release.
	PreRelease *bool `json:"preRelease,omitzero"`
}
