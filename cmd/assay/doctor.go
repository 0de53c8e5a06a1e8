package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"assay/accuracy/sandbox"
	"assay/telemetry"
	"assay/telemetry/doctor"
)

// doctorCommand asks whether a host is fit to measure on.
func doctorCommand(env Env) *cobra.Command {
	var asJSON bool
	var root string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check whether this host is fit to measure on",
		Long: `Doctor reads what the kernel says of this host, measures its timers for a third
of a second, and reports what would spoil a measurement: why it matters and
what to do. It changes nothing.

Exit code 0 means fit, cautions included; 3 means that a void finding forbids
any claim from this host.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := cobra.NoArgs(cmd, args); err != nil {
				return usageError(err)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			report, err := examine(cmd.Context(), env, root)
			if err != nil {
				return err
			}
			if err := writeDoctor(env, report, asJSON); err != nil {
				return err
			}
			if !report.Fit {
				return silent(exitVerdict)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write the report as JSON")
	cmd.Flags().StringVar(&root, "root", "/", "folder that holds proc, sys and etc of the host to examine")
	return cmd
}

// examine looks at this machine, or at the files of another one.
func examine(ctx context.Context, env Env, root string) (doctor.Report, error) {
	if root != "/" {
		info, err := os.Stat(filepath.Join(root, "proc"))
		if err != nil || !info.IsDir() {
			return doctor.Report{}, usageError(fmt.Errorf("--root %q: want a folder that holds proc, sys and etc", root))
		}
		return doctor.Examine(ctx, telemetry.Tree(root), nil), nil
	}
	host := telemetry.Local(ctx)
	host.Environ = env.Environ
	host.HoldPrograms = holdPrograms
	report := doctor.Examine(ctx, host, doctor.Measure)
	return report, host.Close()
}

// holdPrograms opens a sandbox, which tries itself, and closes it again.
func holdPrograms(ctx context.Context) error {
	s, err := sandbox.Open(ctx, sandbox.Options{Workers: 1})
	if err != nil {
		return err
	}
	return s.Close()
}

func writeDoctor(env Env, report doctor.Report, asJSON bool) error {
	if !asJSON {
		return doctor.WriteText(env.Stdout, report)
	}
	enc := json.NewEncoder(env.Stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(report)
}
