package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"assay/finding"
	"assay/intake"
	"assay/lint"
	"assay/spec"
)

// lintVersion is the version of the document that assay lint --json prints.
const lintVersion = "1.0"

func lintCommand(env Env) *cobra.Command {
	var ask lintRequest
	var list bool
	cmd := &cobra.Command{
		Use:   "lint BUNDLE...",
		Short: "Check a run for benchmarking mistakes",
		Long: `Lint makes every check of assay's catalogue over a bundle and says what it found,
worst first, each with its cure. Missing evidence is not a pass: a check that lacks
what it needs says so.

With several bundles the first is the baseline: it is looked at by itself, and each
of the others also as a pair with it. --baseline names another one.

What somebody says about a run, in a paper or a ticket, is written into a file of
statements and held against the evidence (--statements).

The policy and the history of a gate (--policy, --history) let the gate itself be
looked at: whether it can see its own margins, alarms about nothing, or was given
another baseline after a failure.

Exit codes: 0 nothing forbids a claim, 2 usage error, 3 a finding is void, so no claim
may be made, 4 a bundle was changed after sealing.`,
		Args: func(_ *cobra.Command, args []string) error {
			if !list && len(args) == 0 {
				return usageError(errors.New("got no arguments, want one or more bundles"))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if list {
				return printCatalogue(env.Stdout, ask.asJSON)
			}
			ask.bundles = args
			return lintBundles(env, ask)
		},
	}
	cmd.Flags().StringVar(&ask.baseline, "baseline", "", "bundle that the others are held against (by default the first of several)")
	cmd.Flags().StringVar(&ask.statements, "statements", "", "file of statements about the run, YAML or JSON")
	cmd.Flags().StringVar(&ask.policy, "policy", "", "GatePolicy that pairs are held to")
	cmd.Flags().StringVar(&ask.history, "history", "", "history of that gate's verdicts, as assay gate keeps it")
	cmd.Flags().BoolVar(&ask.all, "all", false, "also list the checks that passed, were not made or do not apply")
	cmd.Flags().BoolVar(&ask.asJSON, "json", false, "print the audits as JSON")
	ask.trust.add(cmd)
	cmd.Flags().BoolVar(&list, "list", false, "print the catalogue of checks and exit")
	return cmd
}

// A lintRequest is what the command line asks for.
type lintRequest struct {
	bundles              []string
	baseline, statements string
	policy, history      string
	all, asJSON          bool
	trust                trustFlags
}

// A lintReport is what --json prints.
type lintReport struct {
	Version string        `json:"version"`
	Audits  []bundleAudit `json:"audits"`
}

// A bundleAudit is the audit of one bundle.
type bundleAudit struct {
	Bundle string `json:"bundle"` // its folder

	// NotVerified lists why the bundle is not what was sealed.
	NotVerified []string `json:"notVerified,omitempty"`

	RunID    string            `json:"runID"`
	Class    string            `json:"class"`
	Baseline string            `json:"baseline,omitempty"` // run id of what it was held against
	Counts   lint.Counts       `json:"counts"`
	Worst    finding.Severity  `json:"worst,omitempty"`
	Results  []lint.Result     `json:"results"`
	Findings []finding.Finding `json:"findings"`
}

func lintBundles(env Env, ask lintRequest) error {
	var stated lint.StatementFile
	if ask.statements != "" {
		data, err := intake.ReadFile(ask.statements, spec.MaxDocumentBytes)
		if err != nil {
			return usageError(fmt.Errorf("--statements: %w", err))
		}
		if stated, err = lint.ParseStatements(ask.statements, data); err != nil {
			return usageError(err)
		}
	}
	policy, history, err := readGate(ask.policy, ask.history)
	if err != nil {
		return err
	}
	var baseline *lint.Facts
	if ask.baseline != "" {
		if baseline, _, err = ask.factsAt(env, ask.baseline); err != nil {
			return err
		}
	}
	report := lintReport{Version: lintVersion, Audits: []bundleAudit{}}
	worst, forged := finding.Severity(""), false
	for i, dir := range ask.bundles {
		f, faults, err := ask.factsAt(env, dir)
		if err != nil {
			return err
		}
		if baseline != nil {
			f.Hold(baseline)
			f.Policy = policy
		}
		f.History = history
		// Statements are about what is judged, not about what it is held against.
		if i > 0 || len(ask.bundles) == 1 || ask.baseline != "" {
			f.Statements, f.Tuning, f.Omitted = stated.Statements, stated.Tuning, stated.Omitted
		}
		one := auditOf(dir, f)
		one.NotVerified = faults
		if one.Worst == finding.Void {
			worst = finding.Void
		}
		forged = forged || len(faults) > 0
		report.Audits = append(report.Audits, one)
		if baseline == nil {
			baseline = f
		}
	}
	err = printAudits(env, report, ask)
	switch {
	case err != nil:
		return err
	case forged:
		return silent(exitUnverified)
	case worst == finding.Void:
		return silent(exitVerdict)
	}
	return nil
}

func printAudits(env Env, report lintReport, ask lintRequest) error {
	if ask.asJSON {
		return printJSON(env.Stdout, report)
	}
	for i, one := range report.Audits {
		if i > 0 {
			fmt.Fprintln(env.Stdout)
		}
		if err := printAudit(env.Stdout, one, ask.all); err != nil {
			return err
		}
	}
	return nil
}

// auditOf makes every check over f.
func auditOf(dir string, f *lint.Facts) bundleAudit {
	audit := lint.Run(f)
	one := bundleAudit{
		Bundle: dir, RunID: f.Manifest.RunID, Class: f.Plan.Class(),
		Counts: audit.Counts(), Worst: finding.Worst(audit.Findings), Results: audit.Results, Findings: audit.Findings,
	}
	if f.Against != nil {
		one.Baseline = f.Against.Manifest.RunID
	}
	return one
}

// factsAt gathers what checks look at in the bundle at dir, and why it is not what
// was sealed.
func (ask lintRequest) factsAt(env Env, dir string) (f *lint.Facts, faults []string, err error) {
	j, err := ask.trust.show(env, dir)
	if err != nil {
		return nil, nil, err
	}
	f, err = j.Facts()
	return f, j.Faults(), err
}
