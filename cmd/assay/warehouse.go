package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"assay/analysis/compare"
	"assay/judge"
	"assay/judge/pair"
	"assay/report"
	"assay/warehouse"
)

// warehouseVariable names the warehouse where --warehouse does not.
const warehouseVariable = "ASSAY_WAREHOUSE"

// A warehouseFlag says which warehouse a command is about.
type warehouseFlag struct{ dir string }

func (w *warehouseFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&w.dir, "warehouse", "", "folder of the warehouse; by default "+warehouseVariable+", else the user's data folder")
}

// earlierRuns is what the help of a command says that learns from them.
const earlierRuns = "learn how much results spread from the earlier runs of this warehouse; by default " + warehouseVariable + ", else launches alone decide"

// remembering is the reader with what earlier runs teach, where a warehouse is named by the flag or the
// environment: a verdict does not hang on what the user's data folder happens to hold. Whoever
// asks closes the warehouse.
func (w warehouseFlag) remembering(ctx context.Context, env Env, bundles pair.Reader, trusted ...string) (pair.Reader, func() error, error) {
	kept, err := w.named(ctx, env)
	if err != nil {
		return bundles, nil, err
	}
	if kept == nil {
		return bundles, func() error { return nil }, nil
	}
	return bundles.Remembering(func(j *judge.Judgement) (compare.Past, error) { return kept.Past(ctx, j, trusted...) }), kept.Close, nil
}

// remember adds to a report what earlier runs say of its results.
func (w warehouseFlag) remember(ctx context.Context, env Env, j *judge.Judgement, r *report.Report) error {
	kept, err := w.named(ctx, env)
	if kept == nil || err != nil {
		return err
	}
	past, err := kept.Past(ctx, j)
	r.Remember(past)
	return errors.Join(err, kept.Close())
}

// named opens the warehouse that was named; nil where none was.
func (w warehouseFlag) named(ctx context.Context, env Env) (*warehouse.Warehouse, error) {
	dir := w.dir
	if dir == "" {
		dir, _ = lookupIn(env)(warehouseVariable)
	}
	if dir == "" {
		return nil, nil
	}
	kept, err := warehouse.Open(ctx, dir)
	if err != nil {
		return nil, usageError(fmt.Errorf("--warehouse: %w", err))
	}
	return kept, nil
}

// place is the folder: as asked, as the environment says, or where programs keep data.
func (w warehouseFlag) place(env Env) string {
	if w.dir != "" {
		return w.dir
	}
	lookup := lookupIn(env)
	if dir, ok := lookup(warehouseVariable); ok && dir != "" {
		return dir
	}
	data, _ := lookup("XDG_DATA_HOME")
	if home, _ := lookup("HOME"); data == "" && home != "" {
		data = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(data, "assay", "warehouse")
}
