package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"assay/warehouse"
	"assay/warehouse/engine"
)

// queryOn has another engine answer.
func queryOn(ctx context.Context, env Env, w *warehouse.Warehouse, on, statement string, limit warehouse.Limit) (a warehouse.Answer, err error) {
	r, err := engine.Open(ctx, on, lookupIn(env), w)
	if errors.Is(err, engine.ErrAddress) {
		return a, usageError(fmt.Errorf("--on: %w", err))
	}
	if err != nil {
		return a, fmt.Errorf("--on: %w", err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if _, copied := r.(engine.Mirror); !copied {
		if stale, err := w.Stale(ctx); err == nil && stale > 0 {
			fmt.Fprintf(env.Stderr, "%d of the Parquet tables are older than the catalogue: the next assay keep writes them\n", stale)
		}
	}
	return r.Query(ctx, statement, limit)
}

// fillEngine copies what the warehouse has into another engine.
func fillEngine(ctx context.Context, env Env, place, into string, quiet bool) (err error) {
	if strings.HasPrefix(into, "duckdb") {
		return usageError(errors.New("--into duckdb: DuckDB reads the Parquet tables of the warehouse as they are, there is nothing to copy: assay query --on duckdb"))
	}
	w, err := openWarehouse(ctx, place)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	r, err := engine.Open(ctx, into, lookupIn(env), w)
	if errors.Is(err, engine.ErrAddress) {
		return usageError(fmt.Errorf("--into: %w", err))
	}
	if err != nil {
		return fmt.Errorf("--into: %w", err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	f, err := engine.Fill(ctx, w, r.(engine.Mirror)) // every other engine is one
	if err != nil {
		return fmt.Errorf("--into %s: %w", engine.Name(into), err)
	}
	if quiet {
		return nil
	}
	_, err = fmt.Fprintf(env.Stdout, "runs copied into %s: %d new, %d there before\n", engine.Name(into), f.New, f.Before)
	return err
}
