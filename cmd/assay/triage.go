package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"assay/bundle"
	"assay/suite/triage"
	"assay/telemetry"
	"assay/workers"
)

func triageCommand(env Env) *cobra.Command {
	var o triage.Options
	var url, model string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "triage [-- COMMAND…]",
		Short: "Gather what a host looks like, to decide where to look",
		Long: `Triage makes the folder perf_triage_HOST_TIME and the same as .tgz: facts of the host,
what assay doctor says, readings of processors, memory, network and accelerators, what
the system's own tools print, and the output of a command. --profile runs the command
under nsys and ncu where they are; that one is not here is written down. --url adds a
quick look at a server.

It is triage material and no evidence: triage.json says so, and claim, report, compare,
gate and promote refuse it.

Exit codes: 0 done, 1 could not be done, 2 usage error.`,
		Example: `  assay triage --duration 10s --tag before
  assay triage --profile -- python3 train.py`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && cmd.ArgsLenAtDash() != 0 {
				return usageError(fmt.Errorf("got argument %q, want none before --, which begins the command", args[0]))
			}
			if o.Duration <= 0 {
				return usageError(fmt.Errorf("--duration %v: want more than nothing", o.Duration))
			}
			o.Command, o.Now, o.Host = args, time.Now(), telemetry.Local(cmd.Context())
			o.Host.Environ, o.Redactor = env.Environ, bundle.NewRedactor(nil, env.Environ())
			o.Host.HoldPrograms = holdPrograms
			defer o.Host.Close()
			return gatherTriage(cmd.Context(), env, o, url, model, asJSON)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.Root, "out", "o", ".", "folder in which that of the triage is made")
	f.StringVar(&o.Tag, "tag", "", "ends the folder's name")
	f.DurationVar(&o.Duration, "duration", time.Minute, "how long the host is watched, and the command may take")
	f.BoolVar(&o.Profile, "profile", false, "run the command under nsys and ncu, where they are")
	f.StringVar(&url, "url", "", "server to take a quick look at")
	f.StringVar(&model, "model", "default", "model that the server serves")
	f.BoolVar(&asJSON, "json", false, "print triage.json")
	return cmd
}

// gatherTriage gathers, looks at the server, packs and says where all is.
func gatherTriage(ctx context.Context, env Env, o triage.Options, url, model string, asJSON bool) error {
	dir, marker, err := triage.Gather(ctx, o)
	if dir == "" || err != nil {
		return err
	}
	if url != "" {
		var looked error
		marker.Bundle, looked = lookAt(ctx, env, dir, url, model)
		err = errors.Join(looked, marker.Write(dir))
	}
	packed, packing := triage.Pack(dir)
	if err = errors.Join(err, packing); err != nil {
		return err
	}
	if asJSON {
		return printJSON(env.Stdout, marker)
	}
	_, err = fmt.Fprintf(env.Stdout, "%s\n%s\n%s\n", triage.Note, dir, packed)
	return err
}

// lookAt takes a quick look at a server and returns its bundle's folder in dir.
func lookAt(ctx context.Context, env Env, dir, url, model string) (string, error) {
	source := fmt.Appendf(nil, `apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: triage}
spec:
  workload: {model: %q, tokenizer: {kind: server}, sequenceLengthMix: [{inputTokens: 256, outputTokens: 64, weight: 1}]}
  trials: {quick: true}
  target: {url: %q}
  load: {concurrency: [1, 4], duration: 3s, warmup: {duration: 1s}}
`, model, url)
	got, err := measureStep(ctx, env, workers.Python{}, source, filepath.Join(dir, "look"))
	if err != nil {
		return "", err
	}
	return filepath.Rel(dir, got.Bundle)
}
