package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

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
	s, c, err := tier1.Run(ctx, tier1.Options{
		Root: root, RunID: o.runID, Now: time.Now, Size: p.Size, Host: h,
		Measure: measurer(env, python),
		Tell:    func(format string, args ...any) { fmt.Fprintf(env.Stderr, format+"\n", args...) },
	})
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
