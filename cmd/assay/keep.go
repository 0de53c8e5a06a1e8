package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"assay/warehouse"
)

func keepCommand(env Env) *cobra.Command {
	var trust trustFlags
	var place warehouseFlag
	var again, asJSON bool
	cmd := &cobra.Command{
		Use:   "keep BUNDLE…",
		Short: "Keep bundles in the warehouse, where query and history find them",
		Long: `Keep verifies bundles, copies each into the warehouse by its digest, verifies the copy and
adds what it says to the catalogue: runs, launches, results with their intervals,
findings and claims. Failed and aborted runs are kept too. A bundle that is there already
stays as it is; nothing in a warehouse is overwritten.

A bundle counts once keep has said so: it is on the disk then, whatever happens next. A
process that was killed leaves nothing half, and the next one clears up after it.

--again adds bundles that are stored and not in the catalogue, so that a lost catalogue
is made again from the bundles themselves.

Exit codes: 0 kept, 1 could not be kept, 2 usage error, 4 a bundle was changed after
sealing. The other bundles are kept all the same.`,
		Example: `  assay keep runs/* --warehouse /data/assay
  ASSAY_WAREHOUSE=/data/assay assay keep runs/20261117_061825__run__nightly`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && !again {
				return usageError(fmt.Errorf("missing argument: a bundle (usage: %s)", cmd.UseLine()))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			kept, err := keepAll(cmd.Context(), env, trust, place.place(env), args, again, asJSON)
			if asJSON {
				return errors.Join(err, printJSON(env.Stdout, kept))
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&again, "again", false, "also add stored bundles that the catalogue does not know")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was kept as JSON")
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
		word := "kept"
		if !kept.New {
			word = "kept before"
		}
		if _, err := fmt.Fprintf(env.Stdout, "%-11s  %s  %s  %s\n", word, kept.Digest[len("sha256:"):][:12], kept.Status, kept.RunID); err != nil {
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
