package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"assay/generator"
	"assay/run"
	"assay/telemetry"
)

// generatorTool is the command of a load generator: this program again.
func generatorTool() []string {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	return []string{self, "generator"}
}

// mostCredentials bounds what is read of the standard input.
const mostCredentials = 64 << 10

func generatorCommand(env Env) *cobra.Command {
	return &cobra.Command{
		Use:   "generator",
		Short: "Be one load generator of a run (assay starts it)",
		Long: `Generator sends one part of the load of a run that has several load generators
(load.generators in a spec). The run starts it, and writes to its standard input who it
is, where the run listens and the certificate and key that both sides know each other by.
What it sends and measures goes to the run, which keeps it in its bundle.`,
		Hidden: true,
		Args:   noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			collectSooner(env)
			data, err := io.ReadAll(io.LimitReader(env.Stdin, mostCredentials))
			if err != nil {
				return fmt.Errorf("read credentials: %w", err)
			}
			credentials, err := generator.ParseCredentials(data)
			if err != nil {
				return usageError(fmt.Errorf("%w; a run starts its load generators itself", err))
			}
			defer env.hold()()
			host := telemetry.Local(cmd.Context())
			defer host.Close()
			return run.Generate(cmd.Context(), credentials, run.GenerateOptions{
				Environ: env.Environ(), Tool: tool(), Host: host, Simulate: simulate, Senders: senders(),
			})
		},
	}
}
