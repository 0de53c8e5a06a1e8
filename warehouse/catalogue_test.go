package warehouse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
)

// The list of tables is what the catalogue has, column by column: other engines and Parquet
// follow the list.
func TestTablesAreTheCatalogues(t *testing.T) {
	w := writer(t, t.TempDir())
	types := map[string]Kind{"TEXT": Text, "INTEGER": Integer, "REAL": Real}
	own := []string{"schema_version", "stale", "dimension", "found_change", "alert", "unlooked"} // of the catalogue alone
	for _, table := range Tables {
		rows, err := w.db.Query(`SELECT name, type, "notnull" OR pk FROM pragma_table_info(?)`, table.Name)
		must(t, err)
		var got []string
		for rows.Next() {
			var name, kind string
			var needed bool
			must(t, rows.Scan(&name, &kind, &needed))
			if table.Shared { // a view, which does not say what may be null
				needed = len(got) == 0
			}
			got = append(got, fmt.Sprint(Column{name, types[kind], !needed}))
		}
		must(t, rows.Err())
		var want []string
		for _, c := range table.Columns {
			want = append(want, fmt.Sprint(c))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s has the columns\n%v\nand is listed with\n%v", table.Name, got, want)
		}
	}
	a, err := w.Query(t.Context(), `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`, Limit{})
	must(t, err)
	for _, row := range a.Rows {
		name := fmt.Sprint(row[0])
		if !slices.Contains(own, name) && !slices.ContainsFunc(Tables, func(t Table) bool { return t.Name == name }) {
			t.Errorf("the catalogue has the table %s, which is not listed", name)
		}
	}
}

// Views that other engines have say what those of the catalogue say.
func TestViewsAreTheCatalogues(t *testing.T) {
	w := writer(t, t.TempDir())
	keep(t, w, sealed(t, "one", 1, machine("570")))
	keep(t, w, sealed(t, "two", 1.1, machine("580")))
	for _, mark := range []string{"retracted", "restored", "retracted"} {
		_, err := w.Decide(t.Context(), Decision{Mark: mark, Run: "one", Why: "x", At: time.Now()})
		must(t, err)
	}
	for _, v := range Views {
		want, err := w.Query(t.Context(), `SELECT * FROM `+v.Name+` ORDER BY 1, 2, 7, 8`, Limit{})
		must(t, err)
		got, err := w.Query(t.Context(), `SELECT * FROM (`+v.Text+`) ORDER BY 1, 2, 7, 8`, Limit{})
		must(t, err)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s is\n%v\nin other engines, and here\n%v", v.Name, got, want)
		}
	}
	if got := ask(t, w, `SELECT run_id FROM current_run`); got != "two" {
		t.Errorf("the current run is %s, want two", got)
	}
}

// The number of a fact follows from its run, whatever the catalogue calls it.
func TestSheetsAreStable(t *testing.T) {
	from := sealed(t, "one", 1, machine("570"))
	facts := func(others ...string) []any {
		w := writer(t, t.TempDir())
		for _, other := range others {
			keep(t, w, sealed(t, other, 2, machine("580")))
		}
		kept := keep(t, w, from)
		sheets, err := w.SheetsOf(t.Context(), []string{kept.Digest})
		must(t, err)
		var list []any
		for _, s := range sheets {
			if s.Table.Name == "metric_fact" || s.Table.Name == "launch_metric_fact" {
				for i, row := range s.Rows {
					if s.Of[i] != kept.Digest {
						t.Fatalf("row %d of %s belongs to %s", i, s.Table.Name, s.Of[i])
					}
					list = append(list, row[0])
				}
			}
		}
		return list
	}
	alone, later := facts(), facts("another")
	if len(alone) < 100 || !slices.Equal(alone, later) {
		t.Errorf("%d facts alone, %d after another run: their numbers differ", len(alone), len(later))
	}
}

// Who waits for the lock gives up with the context.
func TestOpenWriterGivesUp(t *testing.T) {
	dir := t.TempDir()
	holder := writer(t, dir)
	because := errors.New("nobody waits any more")
	ctx, stop := context.WithCancelCause(t.Context())
	time.AfterFunc(50*time.Millisecond, func() { stop(because) })
	if _, err := OpenWriter(ctx, dir); !errors.Is(err, because) {
		t.Errorf("%v, want that nobody waits any more", err)
	}
	// The one who holds it is not disturbed, and the next who waits gets it.
	keep(t, holder, sealed(t, "one", 1, machine("570")))
	got := make(chan error, 1)
	go func() {
		w, err := OpenWriter(t.Context(), dir)
		if err == nil {
			err = w.Close()
		}
		got <- err
	}()
	must(t, holder.lock.Close())
	holder.lock = nil
	must(t, <-got)
}
