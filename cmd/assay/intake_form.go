package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"assay/spec"
)

// intakeCommand writes the form that performance work begins with.
func intakeCommand(env Env) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "intake",
		Short: "Write the form that performance work begins with",
		Long: `Intake writes a form, a PerformanceIntake in YAML: goal, workload, limits, environment,
where things stand and what must not be broken. assay validate says what is missing and
accepts it once that is filled in. It asks for nothing to be measured, and is evidence
for nothing.`,
		Example: `  assay intake --out intake.yaml
  assay validate intake.yaml`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			if out == "" {
				_, err := fmt.Fprint(env.Stdout, spec.IntakeForm)
				return err
			}
			f, err := os.OpenFile(out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
			if err != nil {
				return usageError(fmt.Errorf("--out: %w", err))
			}
			defer f.Close()
			_, err = f.WriteString(spec.IntakeForm)
			return err
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "write to this file, which must not exist, instead of standard output")
	return cmd
}
