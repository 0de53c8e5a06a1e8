package engine

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"assay/warehouse"
)

var clickHouseTypes = map[warehouse.Kind]string{warehouse.Text: "String", warehouse.Integer: "Int64", warehouse.Real: "Float64"}

// unnumbered is the last version whose tables of rows have no number in their names.
const unnumbered = 3

// rowsOf is the table with the rows that a view shows. Every version has its own, so that
// they can be filled while people still read older ones.
func rowsOf(t warehouse.Table) string {
	return fmt.Sprintf("rows_v%d_%s", warehouse.Version(), t.Name)
}

// wholeRun says which attempts to copy a run are whole.
var wholeRun = fmt.Sprintf("whole_run_v%d", warehouse.Version())

// Prepare makes what is missing. Each statement is whole by itself, and the version comes
// last.
func (c *clickHouse) Prepare(ctx context.Context) (older map[string]bool, err error) {
	if err := c.send(ctx, "CREATE DATABASE IF NOT EXISTS "+c.database, nil, ""); err != nil {
		return nil, err
	}
	if err := c.each(ctx, "CREATE TABLE IF NOT EXISTS schema_version (version Int64) ENGINE = MergeTree ORDER BY version"); err != nil {
		return nil, err
	}
	at, err := c.version(ctx)
	if err == nil {
		err = notNewer(at)
	}
	if err != nil {
		return nil, err
	}
	if at == warehouse.Version() {
		return nil, c.sweep(ctx)
	}
	script := []string{"CREATE TABLE IF NOT EXISTS " + wholeRun + " (of_run String, attempt String) ENGINE = MergeTree ORDER BY (of_run, attempt)" + c.durable()}
	for _, t := range warehouse.Tables {
		script = append(script, c.tableOf(t))
	}
	if err := c.each(ctx, script...); err != nil {
		return nil, err
	}
	if at == 0 {
		return nil, c.show(ctx)
	}
	a, err := c.ask(ctx, "SELECT DISTINCT artifact_manifest_digest FROM "+c.database+".benchmark_run_fact", nil)
	c.beside = err == nil
	return runsIn(a), err
}

// version is that of the views; 0 where there are none.
func (c *clickHouse) version(ctx context.Context) (int, error) {
	a, err := c.ask(ctx, "SELECT version FROM "+c.database+".schema_version ORDER BY version DESC LIMIT 1", nil)
	if err != nil || len(a.Rows) == 0 {
		return 0, err
	}
	at, _ := a.Rows[0][0].(int64)
	return int(at), nil
}

// each has the server do one statement after the other.
func (c *clickHouse) each(ctx context.Context, script ...string) error {
	for _, statement := range script {
		if err := c.send(ctx, statement, nil, c.database); err != nil {
			return err
		}
	}
	return nil
}

// show makes the views of this version, and then says that they are there. In place of older
// ones each is made at once, but for servers that cannot: there it is gone for a moment.
// Whoever is killed meanwhile has them made again by the next.
func (c *clickHouse) show(ctx context.Context) error {
	var script []string
	add := func(name, query string) {
		switch {
		case !c.beside:
			script = append(script, "CREATE VIEW IF NOT EXISTS "+name+" AS "+query)
		case c.old():
			script = append(script, "DROP TABLE IF EXISTS "+name, "CREATE VIEW "+name+" AS "+query)
		default:
			script = append(script, "CREATE OR REPLACE VIEW "+name+" AS "+query)
		}
	}
	for _, t := range warehouse.Tables {
		add(t.Name, viewOf(t))
	}
	for _, v := range warehouse.Views {
		if !c.old() || !strings.Contains(v.Text, " JOIN ") {
			add(v.Name, v.Text)
		}
	}
	return c.each(ctx, append(script, fmt.Sprintf("INSERT INTO schema_version VALUES (%d)", warehouse.Version()))...)
}

// Replace has the views show what was filled: one after the other, each of them all runs.
func (c *clickHouse) Replace(ctx context.Context) error {
	if !c.beside {
		return nil
	}
	if err := c.show(ctx); err != nil {
		return err
	}
	c.beside = false
	return c.sweep(ctx)
}

// sweep removes the tables of older versions.
func (c *clickHouse) sweep(ctx context.Context) error {
	a, err := c.ask(ctx, "SELECT name FROM system.tables WHERE database = '"+c.database+"'", nil)
	if err != nil {
		return err
	}
	for _, row := range a.Rows {
		if at := versionOf(fmt.Sprint(row[0])); at > 0 && at < warehouse.Version() {
			if err := c.each(ctx, fmt.Sprintf("DROP TABLE IF EXISTS %s", row[0])); err != nil {
				return err
			}
		}
	}
	return nil
}

// versionOf is that of a table of ours by its name, and 0 for any other.
func versionOf(table string) int {
	if table == "whole_run" {
		return unnumbered
	}
	for _, t := range warehouse.Tables {
		if table == "rows_"+t.Name {
			return unnumbered
		}
	}
	number, ours := strings.CutPrefix(table, "whole_run_v")
	if !ours {
		if number, ours = strings.CutPrefix(table, "rows_v"); ours {
			number, _, _ = strings.Cut(number, "_")
		}
	}
	at, err := strconv.Atoi(number)
	if !ours || err != nil {
		return 0
	}
	return at
}

// old reports whether the server is one of before 2020, in which joined tables have no names:
// it has the tables, and not the views that join them.
func (c *clickHouse) old() bool { return !c.known["union_default_mode"] }

// durable has the server sync what is inserted, where it can.
func (c *clickHouse) durable() string {
	if !c.known["fsync_after_insert"] {
		return ""
	}
	return " SETTINGS fsync_after_insert = 1, fsync_part_directory = 1"
}

func (c *clickHouse) tableOf(t warehouse.Table) string {
	columns := []string{"of_run String", "attempt String"}
	for _, column := range t.Columns {
		kind := clickHouseTypes[column.Kind]
		if column.Null {
			kind = "Nullable(" + kind + ")"
		}
		columns = append(columns, column.Name+" "+kind)
	}
	return fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s (%s) ENGINE = MergeTree ORDER BY (of_run, attempt)", rowsOf(t), strings.Join(columns, ", ")) + c.durable()
}

// viewOf shows each row once.
func viewOf(t warehouse.Table) string {
	where := "(of_run, attempt) IN (SELECT of_run, min(attempt) FROM " + wholeRun + " GROUP BY of_run)"
	switch {
	case !t.OfRuns():
		where = "1"
	case t.Name == "launch_metric_fact":
		where += fmt.Sprintf(" AND of_run NOT IN (SELECT artifact_manifest_digest FROM rows_v%d_dropped_fact)", warehouse.Version())
	}
	once := ""
	if t.Shared || !t.OfRuns() {
		once = " LIMIT 1 BY " + strings.Join(t.Key, ", ")
	}
	return fmt.Sprintf("SELECT %s FROM %s WHERE %s%s", strings.Join(t.Names(), ", "), rowsOf(t), where, once)
}
