package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// A columnType is what a column of a Parquet table holds. All may be null.
type columnType int

const (
	text columnType = iota + 1
	integer
	real
)

type column struct {
	name string
	kind columnType
}

// A table is one that is kept as Parquet too. A table of facts has a file for each day and
// workload, a dimension one file.
type table struct {
	name    string
	columns []column
	from    string // what is read, where it is not a table or view of that name
	shared  bool   // a dimension
}

func outcomesAs(list []outcome) []column {
	columns := slices.Clone(outcomeColumns)
	for _, o := range list {
		columns = append(columns, column{o.column, real})
	}
	return columns
}

// parquetTables are the facts and dimensions of the contract, by its names.
var parquetTables = []table{
	{name: "benchmark_run_fact", columns: []column{
		{"artifact_manifest_digest", text}, {"run_id", text}, {"name", text}, {"status", text}, {"created_ns", integer}, {"sealed_ns", integer}, {"day", text},
		{"benchmark_case_id", text}, {"workload_spec_digest", text}, {"plan_digest", text}, {"query_spec_digest", text}, {"code_version", text},
		{"environment_digest", text}, {"topology_digest", text}, {"software_digest", text}, {"cluster_digest", text},
		{"scheduler_run_id", text}, {"job_uid", text}, {"pod_uid", text}, {"node_name", text}, {"gpu_uuid", text},
		{"benchmark_class", text}, {"workload_type", text}, {"cadence", text}, {"scheduler_path", text}, {"grade", text}, {"worst_finding", text},
		{"system", text}, {"testbed", text}, {"model", text},
	}},
	{name: "serving_outcome_fact", columns: outcomesAs(servingOutcomes)},
	{name: "training_outcome_fact", columns: outcomesAs(trainingOutcomes)},
	{name: "telemetry_slice_fact", columns: outcomesAs(telemetryOutcomes)},
	{name: "metric_fact", columns: []column{
		{"artifact_manifest_digest", text}, {"run_id", text}, {"workload_spec_digest", text}, {"query_spec_digest", text}, {"day", text}, {"created_ns", integer},
		{"point_name", text}, {"side", text}, {"metric", text}, {"statistic", text}, {"unit", text},
		{"value", real}, {"low", real}, {"high", real}, {"confidence", real}, {"n", integer}, {"effective_n", real}, {"estimator", text}, {"cv", real},
	}, from: `metric_fact JOIN benchmark_run_fact USING (artifact_manifest_digest)`},
	{name: "launch_metric_fact", columns: []column{
		{"artifact_manifest_digest", text}, {"run_id", text}, {"workload_spec_digest", text}, {"day", text}, {"point_name", text}, {"side", text},
		{"metric", text}, {"statistic", text}, {"unit", text}, {"estimator", text}, {"launch", integer}, {"launch_value", real}, {"launch_n", integer},
	}, from: `(SELECT r.artifact_manifest_digest, r.run_id, r.workload_spec_digest, r.day, f.point_name, f.side, f.metric, f.statistic, f.unit, f.estimator,
		l.launch, l.value AS launch_value, l.n AS launch_n
		FROM launch_metric_fact l JOIN metric_fact f USING (fact) JOIN benchmark_run_fact r USING (artifact_manifest_digest))`},
	{name: "software_version_dim", shared: true, columns: texts("software_digest", "image_digest", "driver_version", "cuda_version", "nccl_version", "framework_version", "runtime_version", "server_engine", "server_version")},
	{name: "hardware_topology_dim", shared: true, columns: texts("topology_digest", "gpu_model", "gpu_count", "pcie_layout", "nvlink_topology", "gpu_nic_affinity", "numa_layout", "nic", "storage", "cpu_model")},
	{name: "cluster_region_dim", shared: true, columns: texts("cluster_digest", "cluster", "region", "availability_zone", "node_pool", "scheduler_path", "queue")},
	{name: "workload_dim", shared: true, columns: texts("workload_spec_digest", "model", "precision", "protocol", "deployment_model", "batching_policy", "concurrency_point", "prompt_distribution", "completion_distribution")},
	{name: "artifact_lineage_dim", shared: true, columns: texts("artifact_manifest_digest", "run_id", "raw_uri", "signature", "signer", "report", "baseline_digest")},
}

func texts(names ...string) (list []column) {
	for _, name := range names {
		list = append(list, column{name, text})
	}
	return list
}

// partSuffix ends the name of a table that is being written.
const partSuffix = ".part"

// Refresh writes the Parquet tables of every partition that has new rows. A partition is
// forgotten as stale only after its files are on the disk, so a killed process leaves it
// to the next.
func (w *Warehouse) Refresh(ctx context.Context) error {
	rows, err := w.db.QueryContext(ctx, `SELECT day, workload FROM stale`)
	if err != nil {
		return err
	}
	stale, err := gather(rows, func(rows *sql.Rows) (p [2]string, err error) { return p, rows.Scan(&p[0], &p[1]) })
	if err != nil || len(stale) == 0 {
		return err
	}
	for _, p := range stale {
		if err := w.refresh(ctx, p[0], p[1]); err != nil {
			return err
		}
	}
	return nil
}

func (w *Warehouse) refresh(ctx context.Context, day, workload string) error {
	for _, t := range parquetTables {
		var err error
		if t.shared {
			err = w.export(ctx, t, filepath.Join(t.name, "all"), "1")
		} else {
			err = w.export(ctx, t, filepath.Join(t.name, "day="+day, "workload="+short(workload)), "day = ? AND workload_spec_digest = ?", day, workload)
		}
		if err != nil {
			return fmt.Errorf("table %s of %s: %w", t.name, day, err)
		}
	}
	_, err := w.db.ExecContext(ctx, `DELETE FROM stale WHERE day = ? AND workload = ?`, day, workload)
	return err
}

// export writes one file with the rows that fit; without any there is no file.
func (w *Warehouse) export(ctx context.Context, t table, dir, where string, args ...any) error {
	columns := slices.Clone(t.columns)
	slices.SortFunc(columns, func(a, b column) int { return strings.Compare(a.name, b.name) }) // as a Parquet group is
	from := t.from
	if from == "" {
		from = t.name
	}
	var names []string
	for _, c := range columns {
		names = append(names, c.name)
	}
	rows, err := w.db.QueryContext(ctx, fmt.Sprintf(`SELECT %s FROM %s WHERE %s`, strings.Join(names, ", "), from, where), args...)
	if err != nil {
		return err
	}
	list, err := gather(rows, func(rows *sql.Rows) (parquet.Row, error) { return parquetRow(rows, columns) })
	if err != nil {
		return err
	}
	path := filepath.Join(w.dir, tablesDir, dir, "part.parquet")
	if len(list) == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	return writeParquet(path, t.name, columns, list)
}

func parquetRow(rows *sql.Rows, columns []column) (parquet.Row, error) {
	row := make(parquet.Row, len(columns))
	cells := make([]any, len(columns))
	for i, c := range columns {
		switch c.kind {
		case text:
			cells[i] = new(sql.NullString)
		case integer:
			cells[i] = new(sql.NullInt64)
		case real:
			cells[i] = new(sql.NullFloat64)
		}
	}
	if err := rows.Scan(cells...); err != nil {
		return nil, err
	}
	for i, cell := range cells {
		value, there := parquet.NullValue(), false
		switch v := cell.(type) {
		case *sql.NullString:
			value, there = parquet.ByteArrayValue([]byte(v.String)), v.Valid
		case *sql.NullInt64:
			value, there = parquet.Int64Value(v.Int64), v.Valid
		case *sql.NullFloat64:
			value, there = parquet.DoubleValue(v.Float64), v.Valid
		}
		if !there {
			row[i] = parquet.NullValue().Level(0, 0, i)
			continue
		}
		row[i] = value.Level(0, 1, i)
	}
	return row, nil
}

// writeParquet puts a table at path, whole or not at all.
func writeParquet(path, name string, columns []column, rows []parquet.Row) (err error) {
	defer func() { // the library panics where it cannot go on
		if p := recover(); p != nil {
			err = fmt.Errorf("parquet: %v", p)
		}
	}()
	group := parquet.Group{}
	for _, c := range columns {
		node := map[columnType]parquet.Node{text: parquet.String(), integer: parquet.Leaf(parquet.Int64Type), real: parquet.Leaf(parquet.DoubleType)}[c.kind]
		group[c.name] = parquet.Optional(node)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path+partSuffix, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	defer os.Remove(path + partSuffix) // nothing is left of it where it got its name
	out := parquet.NewGenericWriter[any](f, parquet.NewSchema(name, group), parquet.Compression(&zstd.Codec{}))
	_, err = out.WriteRows(rows)
	if err := errors.Join(err, out.Close(), f.Sync(), f.Close()); err != nil {
		return err
	}
	return errors.Join(os.Rename(path+partSuffix, path), syncDir(filepath.Dir(path)))
}
