package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"assay/unit"
	"assay/visible"
	"assay/warehouse"
)

func retainCommand(env Env) *cobra.Command {
	var place warehouseFlag
	var days [3]int
	var dry, asJSON bool
	cmd := &cobra.Command{
		Use:   "retain",
		Short: "Drop what the warehouse has kept long enough",
		Long: `Retain moves runs through three tiers by their age. Hot and warm runs are kept whole. Of
cold ones the rows of single launches leave the catalogue and the tables; the bundle has
them still. Older than that, the bundle is removed; the catalogue keeps the run, its
results, findings and claims, and says that the evidence is gone.

Nothing is dropped of a run that was published or accepted (assay mark), nor of one that
such a run was compared with. --dry-run says what would be dropped, and drops nothing.

Exit codes: 0 done, 2 usage error.`,
		Args: exactArgs(0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, n := range days {
				if n < 1 || n > 100_000 {
					return usageError(fmt.Errorf("--hot, --warm and --cold: got %d days, want 1 to 100000", n))
				}
			}
			list, err := retain(cmd.Context(), place.place(env), days, dry)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(env.Stdout, list)
			}
			return printRetained(env, list, dry)
		},
	}
	place.add(cmd)
	f := cmd.Flags()
	f.IntVar(&days[0], "hot", 30, "days that a run is hot")
	f.IntVar(&days[1], "warm", 180, "days until a run is cold")
	f.IntVar(&days[2], "cold", 730, "days until its bundle is dropped")
	f.BoolVar(&dry, "dry-run", false, "say what would be dropped, and drop nothing")
	f.BoolVar(&asJSON, "json", false, "print every run and what becomes of it as JSON")
	return cmd
}

func retain(ctx context.Context, dir string, days [3]int, dry bool) (list []warehouse.Retained, err error) {
	w, err := openWarehouse(ctx, dir)
	if err != nil {
		return nil, err
	}
	if !dry {
		if err := w.Close(); err != nil {
			return nil, err
		}
		if w, err = warehouse.OpenWriter(ctx, dir); err != nil {
			return nil, err
		}
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	now := time.Now()
	day := func(n int) time.Duration { return time.Duration(n) * 24 * time.Hour }
	list, err = w.Plan(ctx, warehouse.Tiers{Hot: day(days[0]), Warm: day(days[1]), Cold: day(days[2])}, now)
	if err != nil {
		return nil, usageError(err)
	}
	if dry {
		return list, nil
	}
	return list, w.Retain(ctx, list, now)
}

func printRetained(env Env, list []warehouse.Retained, dry bool) error {
	w := tabwriter.NewWriter(env.Stdout, 0, 0, 2, ' ', 0)
	tiers := map[string]int{}
	var bytes int64
	word := "dropped"
	if dry {
		word = "would drop"
	}
	for _, r := range list {
		tiers[r.Tier]++
		switch {
		case r.Held != "":
			fmt.Fprintf(w, "held\t%s\t%s\t%s\n", r.Tier, visible.Line(r.RunID), visible.Line(r.Held))
		case r.Drop != "":
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", word, r.Tier, visible.Line(r.RunID), r.Drop)
		}
		if r.Drop == warehouse.DropBundle {
			bytes += r.Bytes
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(env.Stdout, "%d hot, %d warm, %d cold, %d older; %s %s of bundles\n", tiers["hot"], tiers["warm"], tiers["cold"], tiers["expired"], word, unit.Format(float64(bytes), unit.Byte))
	return err
}
