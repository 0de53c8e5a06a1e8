package warehouse

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"
)

// migrations bring a catalogue from one version to the next. One that was released is
// never changed: a correction is a new one.
var migrations = []string{`
CREATE TABLE benchmark_run_fact (
	artifact_manifest_digest TEXT PRIMARY KEY, run_id TEXT NOT NULL, name TEXT NOT NULL,
	status TEXT NOT NULL, created_ns INTEGER NOT NULL, sealed_ns INTEGER NOT NULL, kept_ns INTEGER NOT NULL, day TEXT NOT NULL,
	benchmark_case_id TEXT NOT NULL, workload_spec_digest TEXT NOT NULL, plan_digest TEXT NOT NULL, spec_digest TEXT NOT NULL,
	query_spec_digest TEXT NOT NULL, code_version TEXT NOT NULL,
	environment_digest TEXT NOT NULL, topology_digest TEXT NOT NULL, software_digest TEXT NOT NULL, cluster_digest TEXT NOT NULL,
	scheduler_run_id TEXT, job_uid TEXT, pod_uid TEXT, node_name TEXT, gpu_uuid TEXT,
	benchmark_class TEXT NOT NULL, workload_type TEXT NOT NULL, cadence TEXT NOT NULL, scheduler_path TEXT NOT NULL,
	grade TEXT NOT NULL, worst_finding TEXT, quick INTEGER NOT NULL,
	system TEXT NOT NULL, testbed TEXT NOT NULL, model TEXT NOT NULL, source TEXT NOT NULL,
	signature TEXT NOT NULL, signer TEXT NOT NULL, bytes INTEGER NOT NULL);
CREATE INDEX run_by_time ON benchmark_run_fact (workload_spec_digest, created_ns);
CREATE INDEX run_by_name ON benchmark_run_fact (name, created_ns);
CREATE INDEX run_by_id ON benchmark_run_fact (run_id);

CREATE TABLE launch_fact (
	artifact_manifest_digest TEXT NOT NULL REFERENCES benchmark_run_fact, launch INTEGER NOT NULL, side TEXT NOT NULL,
	outcome TEXT NOT NULL, reason TEXT NOT NULL, started_ns INTEGER NOT NULL, ended_ns INTEGER NOT NULL, nodes TEXT NOT NULL,
	PRIMARY KEY (artifact_manifest_digest, launch)) WITHOUT ROWID;

CREATE TABLE metric_fact (
	fact INTEGER PRIMARY KEY, artifact_manifest_digest TEXT NOT NULL REFERENCES benchmark_run_fact,
	point INTEGER NOT NULL, point_name TEXT NOT NULL, kind TEXT NOT NULL, concurrency INTEGER NOT NULL, rate REAL NOT NULL, ranks INTEGER NOT NULL, side TEXT NOT NULL,
	metric TEXT NOT NULL, statistic TEXT NOT NULL, unit TEXT NOT NULL, better TEXT NOT NULL,
	value REAL, low REAL, high REAL, confidence REAL NOT NULL, n INTEGER NOT NULL, effective_n REAL NOT NULL,
	estimator TEXT NOT NULL, cv REAL, warnings TEXT NOT NULL,
	UNIQUE (artifact_manifest_digest, point, side, metric, statistic));
CREATE INDEX metric_by_name ON metric_fact (metric, statistic, artifact_manifest_digest);
CREATE INDEX metric_by_value ON metric_fact (value);

CREATE TABLE launch_metric_fact (
	fact INTEGER NOT NULL REFERENCES metric_fact, launch INTEGER NOT NULL, value REAL, n INTEGER NOT NULL,
	PRIMARY KEY (fact, launch)) WITHOUT ROWID;

CREATE TABLE finding_fact (
	artifact_manifest_digest TEXT NOT NULL REFERENCES benchmark_run_fact, number INTEGER NOT NULL,
	check_id TEXT NOT NULL, severity TEXT NOT NULL, message TEXT NOT NULL, fix TEXT NOT NULL,
	PRIMARY KEY (artifact_manifest_digest, number)) WITHOUT ROWID;

CREATE TABLE claim_fact (
	artifact_manifest_digest TEXT NOT NULL REFERENCES benchmark_run_fact, number INTEGER NOT NULL,
	sentence TEXT NOT NULL, metric TEXT NOT NULL, statistic TEXT NOT NULL, point_name TEXT NOT NULL, side TEXT NOT NULL,
	value REAL, low REAL, high REAL, headline INTEGER NOT NULL,
	PRIMARY KEY (artifact_manifest_digest, number)) WITHOUT ROWID;

CREATE TABLE file_fact (
	artifact_manifest_digest TEXT NOT NULL REFERENCES benchmark_run_fact, path TEXT NOT NULL, role TEXT NOT NULL, sha256 TEXT NOT NULL,
	bytes INTEGER NOT NULL, table_name TEXT NOT NULL, launch INTEGER, rows INTEGER,
	PRIMARY KEY (artifact_manifest_digest, path)) WITHOUT ROWID;
CREATE INDEX file_by_content ON file_fact (sha256);

CREATE TABLE dimension (digest TEXT PRIMARY KEY, kind TEXT NOT NULL, content TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE artifact_lineage_dim (
	artifact_manifest_digest TEXT PRIMARY KEY REFERENCES benchmark_run_fact, run_id TEXT NOT NULL, raw_uri TEXT NOT NULL,
	signature TEXT NOT NULL, signer TEXT NOT NULL, report TEXT NOT NULL, baseline_digest TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE act_fact (
	number INTEGER PRIMARY KEY, at_ns INTEGER NOT NULL, act TEXT NOT NULL, artifact_manifest_digest TEXT NOT NULL,
	why TEXT NOT NULL, by_whom TEXT NOT NULL, instead TEXT NOT NULL);

CREATE TABLE dropped_fact (
	artifact_manifest_digest TEXT NOT NULL REFERENCES benchmark_run_fact, what TEXT NOT NULL, at_ns INTEGER NOT NULL,
	PRIMARY KEY (artifact_manifest_digest, what)) WITHOUT ROWID;

-- partitions whose Parquet files are older than the rows above
CREATE TABLE stale (day TEXT NOT NULL, workload TEXT NOT NULL, PRIMARY KEY (day, workload)) WITHOUT ROWID;

CREATE VIEW current_run AS SELECT r.* FROM benchmark_run_fact r
	WHERE coalesce((SELECT a.act FROM act_fact a WHERE a.artifact_manifest_digest = r.artifact_manifest_digest
		AND a.act IN ('retracted', 'superseded', 'restored') ORDER BY a.number DESC LIMIT 1), 'restored') = 'restored';

CREATE VIEW software_version_dim AS SELECT digest AS software_digest,
	json_extract(content, '$.image_digest') AS image_digest, json_extract(content, '$.driver_version') AS driver_version,
	json_extract(content, '$.cuda_version') AS cuda_version, json_extract(content, '$.nccl_version') AS nccl_version,
	json_extract(content, '$.framework_version') AS framework_version, json_extract(content, '$.runtime_version') AS runtime_version,
	json_extract(content, '$.server_engine') AS server_engine, json_extract(content, '$.server_version') AS server_version
	FROM dimension WHERE kind = 'software';
CREATE VIEW hardware_topology_dim AS SELECT digest AS topology_digest,
	json_extract(content, '$.gpu_model') AS gpu_model, json_extract(content, '$.gpu_count') AS gpu_count,
	json_extract(content, '$.pcie_layout') AS pcie_layout, json_extract(content, '$.nvlink_topology') AS nvlink_topology,
	json_extract(content, '$.gpu_nic_affinity') AS gpu_nic_affinity, json_extract(content, '$.numa_layout') AS numa_layout,
	json_extract(content, '$.nic') AS nic, json_extract(content, '$.storage') AS storage, json_extract(content, '$.cpu_model') AS cpu_model
	FROM dimension WHERE kind = 'topology';
CREATE VIEW cluster_region_dim AS SELECT digest AS cluster_digest,
	json_extract(content, '$.cluster') AS cluster, json_extract(content, '$.region') AS region,
	json_extract(content, '$.availability_zone') AS availability_zone, json_extract(content, '$.node_pool') AS node_pool,
	json_extract(content, '$.scheduler_path') AS scheduler_path, json_extract(content, '$.queue') AS queue
	FROM dimension WHERE kind = 'cluster';
CREATE VIEW workload_dim AS SELECT digest AS workload_spec_digest,
	json_extract(content, '$.model') AS model, json_extract(content, '$.precision') AS precision, json_extract(content, '$.protocol') AS protocol,
	json_extract(content, '$.deployment_model') AS deployment_model, json_extract(content, '$.batching_policy') AS batching_policy,
	json_extract(content, '$.concurrency_points') AS concurrency_point, json_extract(content, '$.prompt_distribution') AS prompt_distribution,
	json_extract(content, '$.completion_distribution') AS completion_distribution
	FROM dimension WHERE kind = 'workload';
` + outcomeViews, `
-- acts about alerts name a series; what acts.jsonl says is read again
ALTER TABLE act_fact ADD COLUMN subject TEXT NOT NULL DEFAULT '';
DELETE FROM act_fact;
CREATE INDEX act_by_run ON act_fact (artifact_manifest_digest, act);
CREATE INDEX run_by_creation ON benchmark_run_fact (created_ns);
CREATE INDEX run_by_series ON benchmark_run_fact (workload_spec_digest, system, testbed, created_ns);
CREATE INDEX run_by_system ON benchmark_run_fact (system);
CREATE INDEX run_by_testbed ON benchmark_run_fact (testbed, status, worst_finding, created_ns);
CREATE INDEX run_by_model ON benchmark_run_fact (model);
CREATE INDEX run_by_status ON benchmark_run_fact (status);
`, `
-- dimensions are texts, as they are in Parquet and in every other engine
DROP VIEW software_version_dim; DROP VIEW hardware_topology_dim; DROP VIEW cluster_region_dim; DROP VIEW workload_dim;
` + dimensionView("software", "software_version_dim", nil) + dimensionView("topology", "hardware_topology_dim", nil) +
	dimensionView("cluster", "cluster_region_dim", nil) + dimensionView("workload", "workload_dim", map[string]string{"concurrency_point": "concurrency_points"}) + `
-- the Parquet tables have every table and column
INSERT OR IGNORE INTO stale SELECT DISTINCT day, workload_spec_digest FROM benchmark_run_fact;

-- lists of runs are filtered without reading the runs themselves
DROP INDEX run_by_creation;
CREATE INDEX run_by_creation ON benchmark_run_fact (created_ns, artifact_manifest_digest, name, system, testbed, model, status, worst_finding, run_id);
DROP INDEX run_by_series;
CREATE INDEX run_by_series ON benchmark_run_fact (workload_spec_digest, system, testbed, created_ns, status, worst_finding);
`, `
-- the values of a series are read from the index alone, those of its points and no others
DROP INDEX metric_by_name;
CREATE INDEX metric_by_name ON metric_fact (metric, statistic, artifact_manifest_digest, point_name, side, value, low, high, n, cv, unit, better);
CREATE INDEX run_by_partition ON benchmark_run_fact (day, workload_spec_digest);
`, `
-- changes that were found, by the digest of the values; what is not here is searched for again
CREATE TABLE found_change (number INTEGER PRIMARY KEY, search BLOB NOT NULL UNIQUE, answer TEXT NOT NULL, seal BLOB NOT NULL);
`, `
-- what was seen when it was seen, and what became of it
CREATE TABLE alert (
	series TEXT NOT NULL, artifact_manifest_digest TEXT NOT NULL, before_digest TEXT NOT NULL, at_ns INTEGER NOT NULL, opened_ns INTEGER NOT NULL,
	metric TEXT NOT NULL, statistic TEXT NOT NULL, unit TEXT NOT NULL, better TEXT NOT NULL, name TEXT NOT NULL,
	workload_spec_digest TEXT NOT NULL, system TEXT NOT NULL, testbed TEXT NOT NULL, point_name TEXT NOT NULL, side TEXT NOT NULL,
	kind TEXT NOT NULL, direction TEXT NOT NULL, level_centre REAL, level_spread REAL, level_n INTEGER NOT NULL, after_value REAL,
	p REAL, method TEXT NOT NULL, change_json TEXT NOT NULL, evidence TEXT NOT NULL, state TEXT NOT NULL, why TEXT NOT NULL, by_whom TEXT NOT NULL,
	PRIMARY KEY (series, artifact_manifest_digest)) WITHOUT ROWID;

-- runs whose series were not looked through since they were kept or decided about
CREATE TABLE unlooked (artifact_manifest_digest TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT INTO unlooked SELECT artifact_manifest_digest FROM benchmark_run_fact;
`}

// dimensionView is the statement that makes the columns of a dimension from its content,
// in which some have other names.
func dimensionView(kind, name string, inside map[string]string) string {
	t := Tables[slices.IndexFunc(Tables, func(t Table) bool { return t.Name == name })]
	columns := []string{"digest AS " + t.Key[0]}
	for _, c := range t.Columns[1:] {
		columns = append(columns, fmt.Sprintf("CAST(json_extract(content, '$.%s') AS TEXT) AS %s", cmp.Or(inside[c.Name], c.Name), c.Name))
	}
	return fmt.Sprintf("CREATE VIEW %s AS SELECT %s FROM dimension WHERE kind = '%s';\n", name, strings.Join(columns, ", "), kind)
}

// version is that of the catalogue's tables.
func version() int { return len(migrations) }

// migrate brings the catalogue to this version, one migration at a time, each whole or
// not at all.
func (w *Warehouse) migrate(ctx context.Context) error {
	if _, err := w.db.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, applied_ns INTEGER NOT NULL)`); err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	at, err := w.at(ctx)
	if err != nil {
		return err
	}
	for ; at < version(); at++ {
		err := w.inside(ctx, func(tx *sql.Tx) error {
			if _, err := tx.ExecContext(ctx, migrations[at]); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, `INSERT INTO schema_version VALUES (?, ?)`, at+1, time.Now().UnixNano())
			return err
		})
		if err != nil {
			return fmt.Errorf("bring the catalogue to version %d: %w", at+1, err)
		}
	}
	return nil
}

// at is the version that the catalogue has.
func (w *Warehouse) at(ctx context.Context) (int, error) {
	var at int
	err := w.db.QueryRowContext(ctx, `SELECT coalesce(max(version), 0) FROM schema_version`).Scan(&at)
	if err != nil {
		return 0, fmt.Errorf("catalogue: %w", err)
	}
	if at > version() {
		return 0, fmt.Errorf("the catalogue has version %d and this program knows %d: use a newer assay", at, version())
	}
	return at, nil
}

// known refuses a catalogue that this version cannot read.
func (w *Warehouse) known(ctx context.Context) error {
	at, err := w.at(ctx)
	if err == nil && at < version() {
		err = fmt.Errorf("the catalogue has version %d and this program wants %d: the next assay keep brings it there", at, version())
	}
	return err
}

// inside runs f in one transaction, which counts whole or not at all.
func (w *Warehouse) inside(ctx context.Context, f func(tx *sql.Tx) error) error {
	tx, err := w.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // of what was committed nothing is taken back
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}
