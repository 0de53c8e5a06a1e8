package spec

// A Status is what a controller reports on a BenchmarkRun object. It is no part
// of the document people write.
type Status struct {
	// Where the run stands.
	Phase string `json:"phase,omitzero" enum:"phases"`

	// The generation of the object the status speaks of.
	ObservedGeneration int64 `json:"observedGeneration,omitzero"`

	// The id of the run.
	RunID string `json:"runId,omitzero"`

	// Where the run's bundle is.
	RunDirectory string `json:"runDirectory,omitzero"`

	// The digest of the spec with every default filled in.
	SpecDigest string `json:"specDigest,omitzero"`

	// The digest of what is asked, by which runs of one question are found.
	WorkloadDigest string `json:"workloadDigest,omitzero"`

	// The digest of the sealed bundle's manifest.
	BundleDigest string `json:"bundleDigest,omitzero"`

	// What the scheduler did, as far as it is known.
	Scheduling Scheduling `json:"scheduling,omitzero"`

	// The launches that nothing may be said about, and why.
	VoidLaunches []string `json:"voidLaunches,omitzero"`

	// The path by which work was placed.
	SelectedSchedulerPath string `json:"selectedSchedulerPath,omitzero"`

	// Where the hot metrics are.
	HotMetricsRef string `json:"hotMetricsRef,omitzero"`

	// Where the curated facts are.
	WarehouseRef string `json:"warehouseRef,omitzero"`

	// Where the attestation is; empty means unsigned.
	ProvenanceRef string `json:"provenanceRef,omitzero"`

	// Unusual launches, ranks and nodes, in words.
	OutlierSummary string `json:"outlierSummary,omitzero"`

	// Nodes that held others up.
	StragglerNodes []string `json:"stragglerNodes,omitzero"`

	// What is true of the run at the moment, one entry per type.
	Conditions []Condition `json:"conditions,omitzero"`
}

// Scheduling is what a scheduler did with a run: the evidence that its bundle holds too.
type Scheduling struct {
	// The JobSet that carries the run out.
	JobSet string `json:"jobSet,omitzero"`

	// The Workload of Kueue.
	Workload string `json:"workload,omitzero"`

	// The LocalQueue that it waited in.
	Queue string `json:"queue,omitzero"`

	// The ClusterQueue that gave it its quota.
	ClusterQueue string `json:"clusterQueue,omitzero"`

	// When it was queued, as RFC 3339.
	QueuedAt string `json:"queuedAt,omitzero"`

	// When it was admitted, as RFC 3339.
	AdmittedAt string `json:"admittedAt,omitzero"`

	// The seconds between the two.
	QueueWaitSeconds float64 `json:"queueWaitSeconds,omitzero" min:"0" max:"1000000000"`

	// Why it waited, as Kueue said.
	PendingReasons []string `json:"pendingReasons,omitzero"`

	// The topology that Kueue assigned, each domain as LEVEL=VALUE; empty means that none
	// was.
	Topology []string `json:"topology,omitzero"`

	// The nodes of its pods.
	Nodes []string `json:"nodes,omitzero"`

	// Pods of others on those nodes, as NAMESPACE/NAME.
	Neighbours []string `json:"neighbours,omitzero"`

	// Restarts of the JobSet.
	Restarts int64 `json:"restarts,omitzero" min:"0" max:"1000000"`
}

// A Condition is one thing that is true, false or unknown of a run.
type Condition struct {
	// What it is about: Validated, Admitted, Running, Complete, Failed, Void.
	Type string `json:"type" required:"true"`

	// True, False or Unknown.
	Status string `json:"status" required:"true" enum:"conditionStatuses"`

	// Why, in one CamelCase word.
	Reason string `json:"reason" required:"true"`

	// Why, in words.
	Message string `json:"message,omitzero"`

	// When the status last changed, as RFC 3339.
	LastTransitionTime string `json:"lastTransitionTime" required:"true"`

	// The generation of the object the condition speaks of.
	ObservedGeneration int64 `json:"observedGeneration,omitzero"`
}
