package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"assay/bundle"
	"assay/finding"
	"assay/judge"
	"assay/suite/published"
)

func promoteCommand(env Env) *cobra.Command {
	var p published.Promotion
	var trust trustFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "promote BUNDLE --to DIR --why REASON",
		Short: "Publish a bundle as the one that counts",
		Long: `Promote copies a bundle into the published package: DIR/current holds the one bundle
that counts, DIR/archive what counted before, and DIR/promotions.jsonl every promotion,
each line with the digest of the line before. Nothing is published by being measured.

The bundle and its copy are verified. One that did not complete, that has a void
finding, or that is a quick look is refused.

Exit codes: 0 published, 2 usage error, 3 refused, 4 the bundle was changed after
sealing.`,
		Args: exactArgs(1, "a bundle"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if p.To == "" || strings.TrimSpace(p.Why) == "" {
				return usageError(errors.New("--to and --why: say where it is published, and why"))
			}
			j, err := trust.decide(env, args[0])
			if err != nil {
				return err
			}
			if against := unpublishable(j); against != "" {
				return &exitError{exitVerdict, fmt.Errorf("%s is not published: %s", args[0], against)}
			}
			p.Bundle, p.RunID, p.Digest, p.At = args[0], filepath.Base(filepath.Clean(j.Bundle.Dir)), j.Bundle.Manifest.Digest, time.Now()
			p.Check = func(dir string) error { _, err := trust.decide(env, dir); return err }
			act, err := published.Promote(cmd.Context(), p)
			switch {
			case err != nil:
				return &exitError{exitVerdict, err}
			case asJSON:
				return printJSON(env.Stdout, act)
			}
			_, err = fmt.Fprintf(env.Stdout, "%s is published in %s\n", act.Subject, filepath.Join(p.To, published.Current))
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&p.To, "to", "", "folder of the published package")
	f.StringVar(&p.Why, "why", "", "the reason, which is kept")
	f.StringVar(&p.By, "by", "", "who decided, which is kept")
	f.BoolVar(&asJSON, "json", false, "print the act as JSON")
	trust.add(cmd)
	return cmd
}

// unpublishable is why a bundle may not be published; empty when it may.
func unpublishable(j *judge.Judgement) string {
	if status := j.Bundle.Manifest.Status; status != bundle.Completed {
		return fmt.Sprintf("it is %s", status)
	}
	if j.Plan.Trials().Quick {
		return "it is a quick look, of which nothing may be quoted"
	}
	for _, f := range j.Audit.Findings {
		if f.Severity == finding.Void {
			return fmt.Sprintf("%s: %s", f.Check, f.Message)
		}
	}
	return ""
}
