package spec

// Execution says what a frozen workload runs on.
type Execution struct {
	// The container image, by digest: NAME@sha256:HEX or sha256:HEX.
	Image string `json:"image,omitzero"`

	// The versions of the software.
	RuntimeVersions RuntimeVersions `json:"runtime_versions,omitzero"`

	// The hardware.
	HardwareTier HardwareTier `json:"hardware_tier,omitzero"`

	// How it is connected.
	Topology Topology `json:"topology,omitzero"`

	// How work is placed.
	SchedulerPath Scheduler `json:"scheduler_path,omitzero"`
}

// RuntimeVersions are the versions of the software.
type RuntimeVersions struct {
	// The GPU driver.
	Driver string `json:"driver,omitzero"`

	// CUDA.
	CUDA string `json:"cuda,omitzero"`

	// NCCL.
	NCCL string `json:"nccl,omitzero"`

	// PyTorch.
	PyTorch string `json:"pytorch,omitzero"`

	// The runtime or server.
	RuntimeOrServer string `json:"runtime_or_server,omitzero"`
}

// A HardwareTier is the hardware of one node.
type HardwareTier struct {
	// The GPU.
	GPUModel string `json:"gpu_model,omitzero"`

	// How many GPUs.
	GPUCount int `json:"gpu_count,omitzero" min:"0" max:"1000000"`

	// The CPU.
	CPUModel string `json:"cpu_model,omitzero"`

	// Memory in GB.
	RAMGB float64 `json:"ram_gb,omitzero" min:"0" max:"1000000000"`

	// The network.
	NetworkFabric string `json:"network_fabric,omitzero"`

	// The storage.
	StorageTier string `json:"storage_tier,omitzero"`
}

// A Topology says how the hardware is connected.
type Topology struct {
	// Between GPUs.
	GPUToGPU string `json:"gpu_to_gpu,omitzero"`

	// Between GPUs and network cards.
	GPUToNICAffinity string `json:"gpu_to_nic_affinity,omitzero"`

	// Memory nodes.
	NUMALayout string `json:"numa_layout,omitzero"`

	// PCIe.
	PCIeLayout string `json:"pcie_layout,omitzero"`
}

// A Scheduler says how work is placed.
type Scheduler struct {
	// The platform.
	Platform string `json:"platform,omitzero" default:"kubernetes" enum:"platforms"`

	// The queue or scheduler.
	QueueOrScheduler string `json:"queue_or_scheduler,omitzero"`

	// How ranks are placed.
	PlacementPolicy string `json:"placement_policy,omitzero" default:"normal" enum:"placements"`

	// The control plane's path.
	ControlPlanePath string `json:"control_plane_path,omitzero"`
}

// A MeasurementPolicy says how a frozen workload is repeated and judged.
type MeasurementPolicy struct {
	// The launches.
	Trials int `json:"trials,omitzero" default:"5" min:"1" max:"10000"`

	// The launches before measuring.
	WarmupTrials *int `json:"warmup_trials,omitzero" default:"1" min:"0" max:"10000" use:"recorded"`

	// The statistics of every report.
	ReportStatistics []string `json:"report_statistics,omitzero" default:"[median, mean, stddev, p95, p99, cv_pct]" use:"recorded"`

	// How unusual values are found and treated.
	OutlierPolicy FrozenOutliers `json:"outlier_policy,omitzero"`

	// How intervals are made.
	ConfidencePolicy ConfidencePolicy `json:"confidence_policy,omitzero"`

	// What is held still, or at least recorded.
	EnvironmentControls EnvironmentControls `json:"environment_controls,omitzero" use:"recorded"`
}

// FrozenOutliers says how unusual values are found and treated.
type FrozenOutliers struct {
	// How they are found.
	Method string `json:"method,omitzero" default:"tukey_iqr_and_mad" enum:"outlierMethods"`

	// Keep every raw sample.
	KeepRawSamples *bool `json:"keep_raw_samples,omitzero" default:"true" use:"checked"`

	// Flag only.
	AutoFlagOnly *bool `json:"auto_flag_only,omitzero" default:"true" use:"checked"`

	// No value is left out without a written reason.
	DiscardRequiresWrittenReason *bool `json:"discard_requires_written_reason,omitzero" default:"true" use:"checked"`
}

// A ConfidencePolicy says how intervals are made.
type ConfidencePolicy struct {
	// The method.
	Method string `json:"method,omitzero" default:"bootstrap_95_ci" enum:"confidenceMethods"`

	// The smallest effect that matters, in percent.
	MinEffectSizePct float64 `json:"min_effect_size_pct,omitzero" default:"5" above:"0" max:"100"`
}

// EnvironmentControls say what is held still, or at least recorded.
type EnvironmentControls struct {
	// GPU clocks do not move.
	GPUClocksLocked *bool `json:"gpu_clocks_locked,omitzero" default:"true"`

	// Application clocks are recorded.
	AppClocksRecorded *bool `json:"app_clocks_recorded,omitzero" default:"true"`

	// The topology is recorded.
	TopologyRecorded *bool `json:"topology_recorded,omitzero" default:"true"`

	// Other load is recorded.
	BackgroundLoadRecorded *bool `json:"background_load_recorded,omitzero" default:"true"`
}

// A DiagnosisPolicy says how a bottleneck is found.
type DiagnosisPolicy struct {
	// The classes a bottleneck can have.
	BottleneckClasses []string `json:"bottleneck_classes,omitzero" default:"[compute_bound, comm_bound, input_bound, control_plane_bound]" use:"checked"`

	// The signals that tell them apart.
	RequiredSignals []string `json:"required_signals,omitzero" default:"[model_server_metrics, gpu_counters, nccl_traces, storage_or_network_probes, scheduler_timing]" use:"recorded"`

	// What is done about a slow node.
	Distributed FrozenDistributed `json:"distributed,omitzero"`
}

// FrozenDistributed says what is done about a slow node.
type FrozenDistributed struct {
	// Every rank is recorded by itself.
	RankLevelVisibility *bool `json:"rank_level_visibility,omitzero" default:"true" use:"checked"`

	// A suspected straggler is taken out and the run repeated.
	IsolateSuspectedStragglerNode *bool `json:"isolate_suspected_straggler_node,omitzero" default:"true" use:"recorded"`

	// A node that fails again is cordoned.
	CordonOnRepeatedFailure bool `json:"cordon_on_repeated_failure,omitzero" use:"recorded"`
}

// An ArtifactPolicy says what is kept as evidence.
type ArtifactPolicy struct {
	// Where artifacts go.
	ArtifactRoot string `json:"artifact_root,omitzero" default:"runs/" use:"recorded"`

	// Raw artifacts never change after sealing.
	RawArtifactsImmutable *bool `json:"raw_artifacts_immutable,omitzero" default:"true" use:"checked"`

	// A run without a manifest does not count.
	RequireManifest *bool `json:"require_manifest,omitzero" default:"true" use:"checked"`

	// A run without profiler artifacts does not count.
	RequireProfilerArtifacts *bool `json:"require_profiler_artifacts,omitzero" default:"true" use:"recorded"`

	// Every artifact has a SHA-256.
	RequireSHA256 *bool `json:"require_sha256,omitzero" default:"true" use:"checked"`

	// The signature.
	ProvenanceSigning ProvenanceSigning `json:"provenance_signing,omitzero"`

	// What a publication includes.
	PublicationPacket PublicationPacket `json:"publication_packet,omitzero" use:"recorded"`
}

// ProvenanceSigning says whether a signature is needed and where it stands.
type ProvenanceSigning struct {
	// Whether an unsigned result is refused.
	Required *bool `json:"required,omitzero" default:"true"`

	// Where the signature stands, in words; never evidence by itself.
	Status string `json:"status,omitzero" use:"recorded"`
}

// A PublicationPacket says what a publication includes.
type PublicationPacket struct {
	// How it was measured.
	IncludeMethodologyWriteup *bool `json:"include_methodology_writeup,omitzero" default:"true"`

	// What was compared with what.
	IncludeComparisonReport *bool `json:"include_comparison_report,omitzero" default:"true"`

	// Who did what, and when.
	IncludeAuditLedger *bool `json:"include_audit_ledger,omitzero" default:"true"`
}
