package spec

// Sinks says where results go: raw evidence, hot metrics and curated facts are
// kept apart.
type Sinks struct {
	// The immutable raw evidence.
	RawArtifacts RawArtifacts `json:"rawArtifacts,omitzero"`

	// The short-lived metrics for alerts.
	HotMetrics HotMetrics `json:"hotMetrics,omitzero"`

	// The curated facts for analysis.
	CuratedWarehouse Warehouse `json:"curatedWarehouse,omitzero" use:"recorded"`
}

// RawArtifacts says where raw evidence goes.
type RawArtifacts struct {
	// The kind of store: local, a folder. A run whose document names another is
	// refused.
	Store string `json:"store,omitzero" default:"local"`

	// The folder that a run's artifacts go to, as a path or a file URI; ${RUN_ID} is
	// replaced by the run's id, and must be there. Where it is written and is not the
	// bundle's own folder, the sealed bundle is copied there, read-only, and verified.
	PathTemplate string `json:"pathTemplate,omitzero" default:"runs/${RUN_ID}/" example:"/mnt/archive/raw/${RUN_ID}/"`

	// How long and how safely they are kept.
	RetentionClass string `json:"retentionClass,omitzero" default:"cold_immutable" use:"recorded"`

	// The classes of artifacts; a bundle holds all of them.
	Artifacts []string `json:"artifacts,omitzero" default:"[logs, traces, profiler_reports, manifests, exported_metrics]" use:"checked"`
}

// A Warehouse says where curated facts go.
type Warehouse struct {
	// The kind of store.
	Store string `json:"store,omitzero" default:"parquet_duckdb" enum:"warehouseStores"`

	// The tables.
	Layout Layout `json:"layout,omitzero"`

	// Days in each tier; hotDays <= warmDays <= coldDays.
	Retention Retention `json:"retention,omitzero"`

	// What ties a row to its raw evidence.
	Lineage Lineage `json:"lineage,omitzero"`
}

// A Layout names the tables of a warehouse.
type Layout struct {
	// The fact tables. By default the contract's for the workload type.
	Facts []string `json:"facts,omitzero"`

	// The dimension tables.
	Dimensions []string `json:"dimensions,omitzero" default:"[software_version_dim, hardware_topology_dim, cluster_region_dim, workload_dim, artifact_lineage_dim]"`
}

// Retention holds the days facts are kept in each tier.
type Retention struct {
	// Days in the hot tier. By default hotMetrics.retentionDays.
	HotDays int `json:"hotDays,omitzero" min:"1" max:"36500"`

	// Days in the warm tier. By default 180, or hotDays where that is more.
	WarmDays int `json:"warmDays,omitzero" min:"1" max:"36500"`

	// Days in the cold tier. By default 730, or warmDays where that is more.
	ColdDays int `json:"coldDays,omitzero" min:"1" max:"36500"`
}

// Lineage ties a warehouse row to its raw evidence; the first three must be
// true.
type Lineage struct {
	// Every published number leads back to raw files.
	PublishedNumbersTraceableToRaw *bool `json:"publishedNumbersTraceableToRaw,omitzero" default:"true"`

	// Rows carry the manifest's digest.
	ManifestDigestColumn *bool `json:"manifestDigestColumn,omitzero" default:"true"`

	// Rows carry the workload's digest.
	WorkloadSpecDigestColumn *bool `json:"workloadSpecDigestColumn,omitzero" default:"true"`

	// Rows carry the root of the run's artifacts.
	ArtifactRootColumn bool `json:"artifactRootColumn,omitzero"`
}
