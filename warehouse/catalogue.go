package warehouse

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// A Kind is what a column holds.
type Kind int

// The kinds, which every engine has a type for.
const (
	Text Kind = iota + 1
	Integer
	Real
)

// A Column is one of a table.
type Column struct {
	Name string
	Kind Kind
	Null bool // a row may have nothing in it
}

// A Table is one that every engine has under the same name, with the same columns in the
// same order.
type Table struct {
	Name    string
	Columns []Column
	Key     []string // no two rows are equal in all of these
	Shared  bool     // its rows belong to no run alone: a dimension

	of string // condition on the rows of the run with the digest ?1; empty where rows belong to no run
}

// columnsOf reads "name kind, name kind?"; a question mark means that it may be null.
func columnsOf(text string) (list []Column) {
	kinds := map[string]Kind{"text": Text, "integer": Integer, "real": Real}
	for entry := range strings.SplitSeq(text, ",") {
		name, kind, _ := strings.Cut(strings.TrimSpace(entry), " ")
		kind, null := strings.CutSuffix(kind, "?")
		if kinds[kind] == 0 {
			panic("no kind of column: " + entry) // of the lists below
		}
		list = append(list, Column{name, kinds[kind], null})
	}
	return list
}

// dimensionColumns are a digest, and texts that may be unknown.
func dimensionColumns(digest string, names ...string) []Column {
	return columnsOf(digest + " text, " + strings.Join(names, " text?, ") + " text?")
}

const ofRun = `artifact_manifest_digest = ?1`

// ofDimension is the condition on the dimension that a run names in a column.
func ofDimension(key, column string) string {
	return fmt.Sprintf(`%s IN (SELECT %s FROM benchmark_run_fact WHERE artifact_manifest_digest = ?1)`, key, column)
}

var runKey = []string{"artifact_manifest_digest"}

// Tables lists what every engine holds, by the names and columns of the catalogue. The
// catalogue itself is made by migrations, since it outlives versions of this list; a test
// holds the two together.
var Tables = []Table{
	{Name: "benchmark_run_fact", Key: runKey, of: ofRun, Columns: columnsOf(`artifact_manifest_digest text, run_id text, name text,
		status text, created_ns integer, sealed_ns integer, kept_ns integer, day text,
		benchmark_case_id text, workload_spec_digest text, plan_digest text, spec_digest text, query_spec_digest text, code_version text,
		environment_digest text, topology_digest text, software_digest text, cluster_digest text,
		scheduler_run_id text?, job_uid text?, pod_uid text?, node_name text?, gpu_uuid text?,
		benchmark_class text, workload_type text, cadence text, scheduler_path text, grade text, worst_finding text?, quick integer,
		system text, testbed text, model text, source text, signature text, signer text, bytes integer`)},
	{Name: "launch_fact", Key: []string{"artifact_manifest_digest", "launch"}, of: ofRun, Columns: columnsOf(`artifact_manifest_digest text, launch integer,
		side text, outcome text, reason text, started_ns integer, ended_ns integer, nodes text`)},
	{Name: "metric_fact", Key: []string{"fact"}, of: ofRun, Columns: columnsOf(`fact integer, artifact_manifest_digest text,
		point integer, point_name text, kind text, concurrency integer, rate real, ranks integer, side text, metric text, statistic text, unit text, better text,
		value real?, low real?, high real?, confidence real, n integer, effective_n real, estimator text, cv real?, warnings text`)},
	{
		Name: "launch_metric_fact", Key: []string{"fact", "launch"}, Columns: columnsOf(`fact integer, launch integer, value real?, n integer`),
		of: `fact IN (SELECT fact FROM metric_fact WHERE artifact_manifest_digest = ?1)`,
	},
	{Name: "finding_fact", Key: []string{"artifact_manifest_digest", "number"}, of: ofRun, Columns: columnsOf(`artifact_manifest_digest text, number integer,
		check_id text, severity text, message text, fix text`)},
	{Name: "claim_fact", Key: []string{"artifact_manifest_digest", "number"}, of: ofRun, Columns: columnsOf(`artifact_manifest_digest text, number integer,
		sentence text, metric text, statistic text, point_name text, side text, value real?, low real?, high real?, headline integer`)},
	{Name: "file_fact", Key: []string{"artifact_manifest_digest", "path"}, of: ofRun, Columns: columnsOf(`artifact_manifest_digest text, path text,
		role text, sha256 text, bytes integer, table_name text, launch integer?, rows integer?`)},
	{Name: "artifact_lineage_dim", Key: runKey, of: ofRun, Columns: columnsOf(`artifact_manifest_digest text, run_id text, raw_uri text,
		signature text, signer text, report text, baseline_digest text`)},

	{Name: "software_version_dim", Key: []string{"software_digest"}, Shared: true, of: ofDimension("software_digest", "software_digest"),
		Columns: dimensionColumns("software_digest", "image_digest", "driver_version", "cuda_version", "nccl_version", "framework_version", "runtime_version", "server_engine", "server_version")},
	{Name: "hardware_topology_dim", Key: []string{"topology_digest"}, Shared: true, of: ofDimension("topology_digest", "topology_digest"),
		Columns: dimensionColumns("topology_digest", "gpu_model", "gpu_count", "pcie_layout", "nvlink_topology", "gpu_nic_affinity", "numa_layout", "nic", "storage", "cpu_model")},
	{Name: "cluster_region_dim", Key: []string{"cluster_digest"}, Shared: true, of: ofDimension("cluster_digest", "cluster_digest"),
		Columns: dimensionColumns("cluster_digest", "cluster", "region", "availability_zone", "node_pool", "scheduler_path", "queue")},
	{Name: "workload_dim", Key: []string{"workload_spec_digest"}, Shared: true, of: ofDimension("workload_spec_digest", "workload_spec_digest"),
		Columns: dimensionColumns("workload_spec_digest", "model", "precision", "protocol", "deployment_model", "batching_policy", "concurrency_point", "prompt_distribution", "completion_distribution")},

	{Name: "act_fact", Key: []string{"number"}, Columns: columnsOf(`number integer, at_ns integer, act text, artifact_manifest_digest text,
		why text, by_whom text, instead text, subject text`)},
	{Name: "dropped_fact", Key: []string{"artifact_manifest_digest", "what"}, Columns: columnsOf(`artifact_manifest_digest text, what text, at_ns integer`)},
}

// OfRuns reports whether the rows of a table come with runs. Those of the others say what
// people or retention decided later.
func (t Table) OfRuns() bool { return t.of != "" }

// Names are those of the columns.
func (t Table) Names() (list []string) {
	for _, c := range t.Columns {
		list = append(list, c.Name)
	}
	return list
}

// A View is a SELECT over Tables that every engine understands.
type View struct{ Name, Text string }

// Views lists those that engines have beside the tables.
var Views = []View{
	{"current_run", `SELECT * FROM benchmark_run_fact WHERE artifact_manifest_digest NOT IN (
	SELECT artifact_manifest_digest FROM act_fact WHERE act IN ('retracted', 'superseded') AND number IN (
		SELECT max(number) FROM act_fact WHERE act IN ('retracted', 'superseded', 'restored') GROUP BY artifact_manifest_digest))`},
	{"serving_outcome_fact", outcomeQuery(servingKinds, servingOutcomes)},
	{"training_outcome_fact", outcomeQuery(trainingKinds, trainingOutcomes)},
	{"telemetry_slice_fact", outcomeQuery(everyKind, telemetryOutcomes)},
}

// Version is that of the catalogue's tables.
func Version() int { return version() }

// A Sheet is rows of a table: null, whole numbers, numbers and texts.
type Sheet struct {
	Table Table
	Rows  [][]any
	Of    []string // the digest of each row's run, where rows come with runs
}

// Digests lists the runs of the catalogue, the oldest first.
func (w *Warehouse) Digests(ctx context.Context) ([]string, error) {
	rows, err := w.db.QueryContext(ctx, `SELECT artifact_manifest_digest FROM benchmark_run_fact ORDER BY created_ns, artifact_manifest_digest`)
	if err != nil {
		return nil, err
	}
	return gather(rows, func(rows *sql.Rows) (s string, err error) { return s, rows.Scan(&s) })
}

// SheetsOf is everything that the catalogue says about runs, a sheet for each table whose
// rows come with runs. The number of a fact is made from the run's digest, so that it
// stays what it is when a catalogue is lost and made again.
func (w *Warehouse) SheetsOf(ctx context.Context, digests []string) (list []Sheet, err error) {
	err = w.inside(ctx, func(tx *sql.Tx) error { // all of them from one state
		for _, t := range Tables {
			if !t.OfRuns() {
				continue
			}
			sheet := Sheet{Table: t}
			for _, digest := range digests {
				rows, err := tx.QueryContext(ctx, t.query(t.of), digest)
				if err != nil {
					return err
				}
				some, err := gather(rows, t.scan)
				if err != nil {
					return err
				}
				if err := t.renumber(some, digest); err != nil {
					return err
				}
				sheet.Rows = append(sheet.Rows, some...)
				sheet.Of = append(sheet.Of, slices.Repeat([]string{digest}, len(some))...)
			}
			list = append(list, sheet)
		}
		return nil
	})
	return list, err
}

// Later is what was decided about runs after they were kept, of every run.
func (w *Warehouse) Later(ctx context.Context) (list []Sheet, err error) {
	err = w.inside(ctx, func(tx *sql.Tx) error {
		for _, t := range Tables {
			if t.OfRuns() {
				continue
			}
			rows, err := tx.QueryContext(ctx, t.query("1 = 1"))
			if err != nil {
				return err
			}
			all, err := gather(rows, t.scan)
			if err != nil {
				return err
			}
			list = append(list, Sheet{Table: t, Rows: all})
		}
		return nil
	})
	return list, err
}

// query reads the rows that fit, in the order of the key. Facts of a run are counted from
// its first one, which is 0.
func (t Table) query(where string) string {
	names := strings.Join(t.Names(), ", ")
	if rest, counted := strings.CutPrefix(names, "fact, "); counted {
		names = `fact - (SELECT min(m.fact) FROM metric_fact m WHERE m.artifact_manifest_digest = ?1) AS fact, ` + rest
	}
	return fmt.Sprintf(`SELECT %s FROM %s WHERE %s ORDER BY %s`, names, t.Name, where, strings.Join(t.Key, ", "))
}

// scan reads a row, each cell as the kind of its column.
func (t Table) scan(rows *sql.Rows) ([]any, error) {
	row, cells := make([]any, len(t.Columns)), cellsOf(t.Columns)
	if err := rows.Scan(cells...); err != nil {
		return nil, err
	}
	for i, cell := range cells {
		switch v := cell.(type) {
		case *sql.NullString:
			if v.Valid {
				row[i] = v.String
			}
		case *sql.NullInt64:
			if v.Valid {
				row[i] = v.Int64
			}
		case *sql.NullFloat64:
			if v.Valid {
				row[i] = v.Float64
			}
		}
	}
	return row, nil
}

// cellsOf are the places that a row with these columns is scanned into.
func cellsOf(columns []Column) []any {
	cells := make([]any, len(columns))
	for i, c := range columns {
		cells[i] = map[Kind]any{Text: new(sql.NullString), Integer: new(sql.NullInt64), Real: new(sql.NullFloat64)}[c.Kind]
	}
	return cells
}

// renumber gives the facts of a run numbers that follow from its digest.
func (t Table) renumber(rows [][]any, digest string) error {
	if t.Columns[0].Name != "fact" {
		return nil
	}
	sum, err := hex.DecodeString(strings.TrimPrefix(digest, "sha256:"))
	if err != nil || len(sum) < 8 {
		return fmt.Errorf("%q is no digest", digest)
	}
	first := int64(binary.BigEndian.Uint64(sum) >> 17 << 16)
	for _, row := range rows {
		row[0] = first + row[0].(int64)
	}
	return nil
}
