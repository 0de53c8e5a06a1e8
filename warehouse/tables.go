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

// A fileTable is one that is kept as Parquet too. A table of facts has a file for each day and
// workload, any other one file.
type fileTable struct {
	name    string
	columns []Column
	from    string // what is read; of facts it has the columns day and workload_spec_digest
	whole   bool   // one file
}

func outcomesAs(name, kinds string, list []outcome) fileTable {
	columns := slices.Clone(outcomeColumns)
	for _, o := range list {
		columns = append(columns, Column{o.column, Real, true})
	}
	return fileTable{name: name, columns: columns, from: "(" + outcomesOfPartition(kinds, list) + ")"}
}

// wider are tables that have more columns as Parquet than in the catalogue, since not
// everybody who reads files joins them.
var wider = map[string]struct{ columns, from string }{
	"metric_fact": {
		"run_id text, workload_spec_digest text, query_spec_digest text, day text, created_ns integer",
		`metric_fact JOIN benchmark_run_fact USING (artifact_manifest_digest)`,
	},
	"launch_metric_fact": {
		"artifact_manifest_digest text, run_id text, workload_spec_digest text, day text, point_name text, side text, " +
			"metric text, statistic text, unit text, estimator text, launch_value real, launch_n integer",
		`(SELECT l.*, r.artifact_manifest_digest, r.run_id, r.workload_spec_digest, r.day, f.point_name, f.side, f.metric, f.statistic, f.unit, f.estimator,
		l.value AS launch_value, l.n AS launch_n
		FROM launch_metric_fact l JOIN metric_fact f USING (fact) JOIN benchmark_run_fact r USING (artifact_manifest_digest))`,
	},
}

// fileTables are all of them: what every engine has, and the outcomes, which are views
// elsewhere.
var fileTables = func() (list []fileTable) {
	for _, t := range Tables {
		f := fileTable{name: t.Name, columns: t.Columns, from: t.Name, whole: t.Shared || !t.OfRuns() || t.Name == "artifact_lineage_dim"}
		more, has := wider[t.Name]
		switch {
		case has:
			f.columns, f.from = append(slices.Clone(t.Columns), columnsOf(more.columns)...), more.from
		case !f.whole && t.Name != "benchmark_run_fact":
			f.from = fmt.Sprintf(`(SELECT t.*, r.day, r.workload_spec_digest FROM %s t JOIN benchmark_run_fact r USING (artifact_manifest_digest))`, t.Name)
		}
		list = append(list, f)
	}
	return append(list, outcomesAs("serving_outcome_fact", servingKinds, servingOutcomes),
		outcomesAs("training_outcome_fact", trainingKinds, trainingOutcomes), outcomesAs("telemetry_slice_fact", everyKind, telemetryOutcomes))
}()

// partSuffix ends the name of a table that is being written.
const partSuffix = ".part"

// A FileTable is one that lies as Parquet below TablesDir, in NAME/all where it is Whole,
// else in NAME/day=…/workload=….
type FileTable struct {
	Name    string
	Columns []Column // those of the catalogue, of which the files may have more
	Whole   bool
}

// FileTables lists all of them.
func FileTables() (list []FileTable) {
	for i, f := range fileTables {
		one := FileTable{f.name, f.columns, f.whole}
		if i < len(Tables) {
			one.Columns = Tables[i].Columns
		}
		list = append(list, one)
	}
	return list
}

// TablesDir is the folder of the Parquet tables.
func (w *Warehouse) TablesDir() string { return filepath.Join(w.dir, tablesDir) }

// BundlesDir is the folder of the bundles, each in one named by the first two digits of its
// digest.
func (w *Warehouse) BundlesDir() string { return filepath.Join(w.dir, bundlesDir) }

// everyPartition stands in stale where nothing but the tables of one file is older.
const everyPartition = ""

// Refresh looks through the series of new runs for changes, which raise alerts, and writes the
// Parquet tables of every partition that has new rows. A partition is
// forgotten as stale only after its files are on the disk, so a killed process leaves it
// to the next.
func (w *Warehouse) Refresh(ctx context.Context) error {
	if err := w.look(ctx); err != nil {
		return fmt.Errorf("look for changes: %w", err)
	}
	rows, err := w.db.QueryContext(ctx, `SELECT day, workload FROM stale`)
	if err != nil {
		return err
	}
	stale, err := gather(rows, func(rows *sql.Rows) (p [2]string, err error) { return p, rows.Scan(&p[0], &p[1]) })
	if err != nil || len(stale) == 0 {
		return err
	}
	for _, t := range fileTables {
		if !t.whole {
			continue
		}
		if err := w.export(ctx, t, filepath.Join(t.name, "all"), "1"); err != nil {
			return fmt.Errorf("table %s: %w", t.name, err)
		}
	}
	for _, p := range stale {
		if err := w.refresh(ctx, p[0], p[1]); err != nil {
			return err
		}
	}
	return nil
}

func (w *Warehouse) refresh(ctx context.Context, day, workload string) error {
	for _, t := range fileTables {
		if t.whole || day == everyPartition {
			continue
		}
		if err := w.export(ctx, t, filepath.Join(t.name, "day="+day, "workload="+short(workload)), "day = ?1 AND workload_spec_digest = ?2", day, workload); err != nil {
			return fmt.Errorf("table %s of %s: %w", t.name, day, err)
		}
	}
	_, err := w.db.ExecContext(ctx, `DELETE FROM stale WHERE day = ? AND workload = ?`, day, workload)
	return err
}

// Stale is how many parts of the Parquet tables are older than the catalogue.
func (w *Warehouse) Stale(ctx context.Context) (n int, err error) {
	return n, w.db.QueryRowContext(ctx, `SELECT count(*) FROM stale`).Scan(&n)
}

// export writes one file with the rows that fit; without any there is no file.
func (w *Warehouse) export(ctx context.Context, t fileTable, dir, where string, args ...any) error {
	columns := slices.Clone(t.columns)
	slices.SortFunc(columns, func(a, b Column) int { return strings.Compare(a.Name, b.Name) }) // as a Parquet group is
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	rows, err := w.db.QueryContext(ctx, fmt.Sprintf(`SELECT %s FROM %s WHERE %s`, strings.Join(names, ", "), t.from, where), args...)
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

func parquetRow(rows *sql.Rows, columns []Column) (parquet.Row, error) {
	row := make(parquet.Row, len(columns))
	cells := cellsOf(columns)
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
func writeParquet(path, name string, columns []Column, rows []parquet.Row) (err error) {
	defer func() { // the library panics where it cannot go on
		if p := recover(); p != nil {
			err = fmt.Errorf("parquet: %v", p)
		}
	}()
	group := parquet.Group{}
	for _, c := range columns {
		node := map[Kind]parquet.Node{Text: parquet.String(), Integer: parquet.Leaf(parquet.Int64Type), Real: parquet.Leaf(parquet.DoubleType)}[c.Kind]
		group[c.Name] = parquet.Optional(node)
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
