package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"assay/warehouse"
)

// together is how many runs are copied at once: engines take few large inserts better
// than many small ones.
const together = 200

// A Filled is what a copy did.
type Filled struct {
	New    int // runs that were copied
	Before int // runs that were there
}

// ErrAnother says that a mirror belongs to another warehouse.
var ErrAnother = errors.New("the tables there are of another warehouse: name another database")

// Fill copies what a warehouse has and a mirror has not. It may be ended at any time and
// called again. A mirror of an older version is made again beside itself, from the
// warehouse, and replaced when it is whole.
func Fill(ctx context.Context, w *warehouse.Warehouse, m Mirror) (f Filled, err error) {
	older, err := m.Prepare(ctx)
	if err != nil {
		return f, err
	}
	later, err := w.Later(ctx)
	if err != nil {
		return f, err
	}
	if err := sameActs(ctx, m, later); err != nil {
		return f, err
	}
	there, err := m.Runs(ctx)
	if err != nil {
		return f, err
	}
	all, err := w.Digests(ctx)
	if err != nil {
		return f, err
	}
	if err := known(older, all); err != nil {
		return f, err
	}
	missing := slices.DeleteFunc(slices.Clone(all), func(digest string) bool { return there[digest] })
	f.Before = len(all) - len(missing)
	for batch := range slices.Chunk(missing, together) {
		sheets, err := w.SheetsOf(ctx, batch)
		if err != nil {
			return f, err
		}
		if err := m.Add(ctx, batch, sheets); err != nil {
			return f, fmt.Errorf("copy %d runs: %w", len(batch), err)
		}
		f.New += len(batch)
	}
	if err := m.Decide(ctx, later); err != nil {
		return f, err
	}
	return f, m.Replace(ctx)
}

// known refuses to make a mirror again that has runs which the warehouse has not: they would
// be lost.
func known(older map[string]bool, all []string) error {
	here := map[string]bool{}
	for _, digest := range all {
		here[digest] = true
	}
	for digest := range older {
		if !here[digest] {
			return fmt.Errorf("%w: they have an older version and the run %s, which this warehouse has not", ErrAnother, digest)
		}
	}
	return nil
}

// notNewer refuses tables of a newer version.
func notNewer(at int) error {
	if at <= warehouse.Version() {
		return nil
	}
	return fmt.Errorf("the tables there have version %d and this program knows %d: use a newer assay", at, warehouse.Version())
}

// sameActs refuses a mirror whose acts are not those of the warehouse: two warehouses in
// one would decide about each other's runs.
func sameActs(ctx context.Context, m Mirror, later []warehouse.Sheet) error {
	there, err := m.Acts(ctx)
	if err != nil {
		return err
	}
	here := map[int64]int64{}
	for _, row := range sheetOf(later, "act_fact").Rows {
		here[row[0].(int64)] = row[1].(int64)
	}
	for number, at := range there {
		if here[number] != at {
			return ErrAnother
		}
	}
	return nil
}

// runsIn are the digests of an answer of one column.
func runsIn(a warehouse.Answer) map[string]bool {
	runs := map[string]bool{}
	for _, row := range a.Rows {
		runs[fmt.Sprint(row[0])] = true
	}
	return runs
}

// actsIn are the numbers and times of an answer of two columns.
func actsIn(a warehouse.Answer) map[int64]int64 {
	acts := map[int64]int64{}
	for _, row := range a.Rows {
		number, _ := row[0].(int64)
		at, _ := row[1].(int64)
		acts[number] = at
	}
	return acts
}

func sheetOf(sheets []warehouse.Sheet, table string) warehouse.Sheet {
	at := slices.IndexFunc(sheets, func(s warehouse.Sheet) bool { return s.Table.Name == table })
	if at < 0 {
		return warehouse.Sheet{}
	}
	return sheets[at]
}
