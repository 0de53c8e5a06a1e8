package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"assay/suite"
	"assay/suite/tier1"
	"assay/workers"
)

// A tier1Answer is what --json says of the small targets.
type tier1Answer struct {
	Summary    tier1.Summary    `json:"summary"`
	Regression tier1.Comparison `json:"regression"`
}

// runTier1 measures the small targets and holds them against the run before. The
// history is the folder tier1 below --out.
func runTier1(ctx context.Context, env Env, p suite.Preset, h suite.Host, python workers.Python, o suiteFlags) error {
	if o.runID == "" {
		o.runID = time.Now().UTC().Format("20060102-150405")
	}
	root := filepath.Join(o.out, tier1.Name)
	options := tier1.Options{
		Root: root, RunID: o.runID, Now: time.Now, Size: p.Size, Host: h, Measure: measurer(env, python),
		Tell: func(format string, args ...any) { fmt.Fprintf(env.Stderr, format+"\n", args...) },
	}
	if o.smoke {
		return smokeTier1(env, options, o.asJSON)
	}
	options.Tell("%d targets, in about %v", len(tier1.All), tier1.Takes(p.Size, h).Round(time.Second))
	s, c, err := tier1.Run(ctx, options)
	if err != nil {
		return err
	}
	if o.asJSON {
		err = printJSON(env.Stdout, tier1Answer{s, c})
	} else {
		_, err = fmt.Fprint(env.Stdout, s.Text(), "\n", c.Markdown())
	}
	fmt.Fprintf(env.Stderr, "history %s\n", root)
	switch {
	case err != nil:
		return err
	case len(c.Regressions) > 0 || len(c.Missing) > 0:
		return silent(exitVerdict)
	case s.Totals.Failed > 0:
		return fmt.Errorf("%d targets failed: the summary says why", s.Totals.Failed)
	}
	return nil
}

// smokeTier1 writes the specs of the small targets, and measures nothing.
func smokeTier1(env Env, options tier1.Options, asJSON bool) error {
	s, err := tier1.Smoke(options)
	if err != nil {
		return usageError(err)
	}
	if asJSON {
		return printJSON(env.Stdout, tier1Answer{s, tier1.Uncompared(s.RunID)})
	}
	_, err = fmt.Fprint(env.Stdout, s.Text())
	return err
}

// acceptCommand makes a run of the small targets the one that later ones are compared
// with.
func acceptCommand(env Env) *cobra.Command {
	var a tier1.Acceptance
	var out string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "accept RUN --why REASON",
		Short: "Make a run of tier1 the one that later ones are compared with",
		Long: `Accept makes RUN the run that later runs of tier1 are compared with, until another
one is accepted, and records that in acceptances.jsonl. Each line of that file has the
digest of the run's summary and of the line before.

A run that regressed against the accepted one, misses targets or has failed ones is
refused; --anyway accepts it, and the act says what spoke against it.

Exit codes: 0 accepted, 2 usage error, 3 refused.`,
		Args: exactArgs(1, "a run of tier1"),
		RunE: func(_ *cobra.Command, args []string) error {
			if strings.TrimSpace(a.Why) == "" {
				return usageError(errors.New("--why: say why this run is the one to compare with"))
			}
			a.Root, a.RunID, a.At = filepath.Join(out, tier1.Name), args[0], time.Now()
			act, err := tier1.Accept(a)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return usageError(err)
			case err != nil:
				return &exitError{exitVerdict, err}
			case asJSON:
				return printJSON(env.Stdout, act)
			}
			_, err = fmt.Fprintf(env.Stdout, "%s is accepted: later runs are compared with it\n", act.Subject)
			return err
		},
	}
	f := cmd.Flags()
	f.StringVarP(&out, "out", "o", "suites", "folder that holds the history, tier1")
	f.StringVar(&a.Why, "why", "", "the reason, which is kept")
	f.StringVar(&a.By, "by", "", "who decided, which is kept")
	f.BoolVar(&a.Anyway, "anyway", false, "accept a run that something speaks against, and say so")
	f.BoolVar(&asJSON, "json", false, "print the act as JSON")
	return cmd
}
