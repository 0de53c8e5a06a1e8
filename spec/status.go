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

// A Condition is one thing that is true, false or unknown of a run.
type Condition struct {
	// What it is about: Validated, Admitted, Running, Sealed, Signed.
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
