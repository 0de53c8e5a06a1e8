package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"assay/launch"
	"assay/plan"
	"assay/record"
	"assay/telemetry"
	"assay/train"
)

const attendLong = `Start ranks on this host for an assay that runs on another one.

It is started by --launcher ssh and slurm, reads orders from its standard input and
answers on its standard output. When its input ends, so does everything that it has
started.`

func attendCommand(env Env) *cobra.Command {
	return &cobra.Command{
		Use:    "attend",
		Short:  "Start ranks for an assay on another host (assay starts it)",
		Long:   attendLong,
		Hidden: true,
		Args:   noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			defer env.hold()()
			self, err := os.Executable()
			if err != nil {
				return err
			}
			get := func(name string) string { value, _ := lookupIn(env)(name); return value }
			return launch.Attendant{Prepare: prepare, Capture: captureHost, Getenv: get, Self: self}.Attend(cmd.Context(), env.Stdin, unfiltered(env.Stdout))
		},
	}
}

// prepare looks for what the ranks of a plan need on this host. A host that only starts
// programs has no plan.
func prepare(ctx context.Context, brief []byte) (launch.Workers, error) {
	if len(brief) == 0 {
		return nil, nil
	}
	p, err := plan.Decode(brief)
	if err != nil {
		return nil, err
	}
	tools := rankTools()
	tools.Attends = true
	staff, err := train.Hire(ctx, p, tools)
	if err != nil {
		return nil, err
	}
	return staff.Workers(p.Decided()), nil
}

// captureHost reads this host as a run that is made here would.
func captureHost(ctx context.Context) record.Environment {
	host := telemetry.Local(ctx)
	defer host.Close()
	return telemetry.Capture(ctx, host)
}
