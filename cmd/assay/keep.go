package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"assay/warehouse"
)

const keepLong = `Keep verifies bundles, copies each into the warehouse by its digest, verifies the copy and
adds what it says to the catalogue: runs, launches, results with their intervals,
findings and claims. Failed and aborted runs are kept too. A bundle that is there already
stays as it is; nothing in a warehouse is overwritten.

A bundle counts once keep has said so: it is on the disk then, whatever happens next. A
process that was killed leaves nothing half, and the next one clears up after it.

--to s3://BUCKET/PREFIX puts bundles into an object store in place of the warehouse, each as
one object by its digest, written once: what a pod calls that will not be there tomorrow.
--from s3://BUCKET/PREFIX keeps the bundles of an object store that the warehouse does not
know; each is verified as any other. Keys and region are those of AWS_ACCESS_KEY_ID,
AWS_SECRET_ACCESS_KEY and AWS_REGION, and AWS_ENDPOINT_URL names a service other than Amazon's.
What the store cannot do just now is tried again for five minutes.

--into postgres://USER@HOST/DATABASE or clickhouse://USER@HOST:8123/DATABASE then copies what the
catalogue says, and that database has not, into tables of the same names and columns, for
assay query --on and for other people's dashboards. A run is there whole or not at all, and
once. Passwords come from PGPASSWORD or CLICKHOUSE_PASSWORD.

--again adds bundles that are stored and not in the catalogue, so that a lost catalogue
is made again from the bundles themselves.

Exit codes: 0 kept, 1 could not be kept, 2 usage error, 4 a bundle was changed after
sealing. The other bundles are kept all the same.`

func keepCommand(env Env) *cobra.Command {
	var trust trustFlags
	var place warehouseFlag
	var again, asJSON bool
	var into string
	var far remoteKeep
	cmd := &cobra.Command{
		Use:   "keep BUNDLE…",
		Short: "Keep bundles in the warehouse, where query and history find them",
		Long:  keepLong,
		Example: `  assay keep runs/* --warehouse /data/assay
  ASSAY_WAREHOUSE=/data/assay assay keep runs/20261117_061825__run__nightly
  assay keep runs/* --to s3://benchmarks/team
  assay keep --from s3://benchmarks/team
  PGPASSWORD=… assay keep --into postgres://assay@db.example/benchmarks`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && !again && far.from == "" && into == "" {
				return usageError(fmt.Errorf("missing argument: a bundle (usage: %s)", cmd.UseLine()))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			var kept []warehouse.Kept
			var err error
			switch {
			case far.to != "" && (again || far.from != "" || into != ""):
				return usageError(errors.New("--to: want it without --from, --into and --again: it keeps bundles in the object store alone"))
			case far.to != "":
				kept, err = far.put(cmd.Context(), env, trust, args, asJSON)
			case far.from != "":
				kept, err = far.fetch(cmd.Context(), env, trust, place.place(env), args, again, asJSON)
			default:
				kept, err = keepAll(cmd.Context(), env, trust, place.place(env), args, again, asJSON)
			}
			if into != "" {
				err = errors.Join(err, fillEngine(cmd.Context(), env, place.place(env), into, asJSON))
			}
			if asJSON {
				return errors.Join(err, printJSON(env.Stdout, kept))
			}
			return err
		},
	}
	cmd.Flags().StringVar(&into, "into", "", "then copy the catalogue into this database: postgres://… or clickhouse://…")
	cmd.Flags().BoolVar(&again, "again", false, "also add stored bundles that the catalogue does not know")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was kept as JSON")
	far.add(cmd)
	place.add(cmd)
	trust.add(cmd)
	return cmd
}

// keepAll keeps each bundle by itself: what is wrong with one is no reason to lose the
// others.
func keepAll(ctx context.Context, env Env, trust trustFlags, dir string, bundles []string, again, quiet bool) (list []warehouse.Kept, err error) {
	list = []warehouse.Kept{}
	w, err := warehouse.OpenWriter(ctx, dir)
	if err != nil {
		return list, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if again {
		stored, err := w.Stored(ctx)
		if err != nil {
			return list, err
		}
		bundles = append(bundles, stored...)
	}
	var faults []error
	for _, path := range bundles {
		kept, err := keepOne(ctx, env, trust, w, path)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		list = append(list, kept)
		if quiet {
			continue
		}
		if err := tellKept(env, kept); err != nil {
			return list, err
		}
	}
	return list, errors.Join(append(faults, w.Refresh(ctx))...)
}

func keepOne(ctx context.Context, env Env, trust trustFlags, w *warehouse.Warehouse, path string) (warehouse.Kept, error) {
	j, err := trust.decide(env, path)
	if err != nil {
		return warehouse.Kept{}, err
	}
	return w.Keep(ctx, j, time.Now())
}

// tellKept says what became of a bundle.
func tellKept(env Env, kept warehouse.Kept) error {
	word := "kept"
	if !kept.New {
		word = "kept before"
	}
	_, err := fmt.Fprintf(env.Stdout, "%-11s  %s  %s  %s\n", word, kept.Digest[len("sha256:"):][:12], kept.Status, kept.RunID)
	return err
}
