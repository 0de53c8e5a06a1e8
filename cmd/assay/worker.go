package main

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"assay/plan"
	"assay/probe"
	"assay/record"
	"assay/train/rank"
	"assay/worker"
)

const workerLong = `Be one rank of a world that measures assay's own collectives, or its host.

Ranks are started by assay, or by torchrun, srun or mpirun where assay joins a world
that is there already. A rank finds its controller by ` + worker.EnvController + ` and its place by the
variables of the launcher.`

func workerCommand(env Env) *cobra.Command {
	return &cobra.Command{
		Use:    "worker",
		Short:  "Be one rank of a world (assay starts it)",
		Long:   workerLong,
		Hidden: true,
		Args:   noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			lookup := func(name string) string {
				value, _ := lookupIn(env)(name)
				return value
			}
			if lookup(worker.EnvController) == "" {
				return usageError(errors.New("worker: " + worker.EnvController + " is not set: ranks are started by assay or by a launcher"))
			}
			defer env.hold()()
			return rank.Run(cmd.Context(), lookup, version(), probeHere)
		},
	}
}

// probeHere measures a probe of the host that a rank is on.
func probeHere(ctx context.Context, point plan.Point, trial func(record.Trial), note func(string)) error {
	dir := point.Micro.Dir
	if dir == "" {
		dir = os.TempDir()
	}
	return probe.Measure(ctx, probe.Setting{Point: point.Index, Micro: *point.Micro, Dir: dir, Trial: trial, Note: note})
}
