package main

import (
	"errors"

	"github.com/spf13/cobra"

	"assay/train/rank"
	"assay/worker"
)

const workerLong = `Be one rank of a world that measures assay's own collectives.

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
			return rank.Run(cmd.Context(), lookup, version())
		},
	}
}
