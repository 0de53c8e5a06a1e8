package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"assay/analysis/gate"
	"assay/intake"
	"assay/judge/pair"
	"assay/report"
	"assay/report/page"
	"assay/spec"
)

// A gateCall is what the command was asked for.
type gateCall struct {
	policy, accuracy, confirm, history, reason string
	junit, markdown, html, csv                 string
	asJSON                                     bool
	trust                                      trustFlags
	earlier                                    warehouseFlag
}

func gateCommand(env Env) *cobra.Command {
	var ask gateCall
	cmd := &cobra.Command{
		Use:   "gate BASELINE CANDIDATE --policy FILE",
		Short: "Fail CI when a candidate regresses",
		Long: `Gate says for every metric of a GatePolicy whether the candidate regressed, is not
worse, or cannot be judged, with error rates that the policy declares. It fails
closed: a missing metric, a threshold that the launches could not have seen, a pair
that differs in more than one variable and a bundle below the wanted grade are no
pass. Each bundle is BUNDLE, or BUNDLE@SIDE of a run with candidates.

Every gate also guards the error rate, the output tokens of an answer and the
completed requests, and makes the checks of assay lint of both bundles, of the pair
and of the history: a void finding stops it by name.

With --confirm a regression stands only if the candidate, measured afresh, regresses
again. With --warehouse the gate learns from the earlier runs of the system there, six
at least, how much its launches and its days spread: three launches then see
regressions that they would miss alone, and two runs made on different days can
be judged. With --history every verdict is remembered, and a baseline that moved
or a candidate that was tried before is found.

Only runs of publication grade gate a release; about others the verdict is advisory.
Exit codes: 0 passed, 1 failed to judge, 2 usage error, 3 did not pass, 4 a bundle was
changed after sealing, 5 advisory and nothing against it, 6 advisory and did not pass.`,
		Args: exactArgs(2, "a baseline and a candidate"),
		RunE: func(cmd *cobra.Command, args []string) error { return ask.run(cmd.Context(), env, args[0], args[1]) },
	}
	f := cmd.Flags()
	f.StringVar(&ask.policy, "policy", "", "the GatePolicy document (required)")
	f.StringVar(&ask.accuracy, "accuracy", "", "differences in accuracy: JSON, a list of {metric, value, interval, confidence}")
	f.StringVar(&ask.confirm, "confirm", "", "the candidate measured afresh: a regression stands only if it shows here again")
	f.StringVar(&ask.history, "history", "", "append the verdict to this JSONL file")
	f.StringVar(&ask.earlier.dir, "warehouse", "", earlierRuns)
	f.StringVar(&ask.reason, "reason", "", "why something is unusual, such as a new baseline; kept in the history")
	f.StringVar(&ask.junit, "junit", "", "write JUnit XML to this file")
	f.StringVar(&ask.markdown, "markdown", "", "write Markdown to this file")
	f.StringVar(&ask.html, "html", "", "write a page to this file")
	f.StringVar(&ask.csv, "csv", "", "write a line for each metric, guard and finding as CSV to this file")
	ask.trust.add(cmd)
	f.BoolVar(&ask.asJSON, "json", false, "print the answer as JSON")
	return cmd
}

func (ask gateCall) run(ctx context.Context, env Env, baseline, candidate string) error {
	in, err := ask.gather(ctx, env, baseline, candidate)
	if err != nil {
		return err
	}
	r, err := gate.Judge(in)
	if err != nil {
		return usageError(fmt.Errorf("--policy %s: %w", ask.policy, err))
	}
	if err := ask.write(r); err != nil {
		return err
	}
	if ask.asJSON {
		err = printJSON(env.Stdout, r)
	} else {
		err = report.GateText(env.Stdout, r)
	}
	if code := gateCode(r); err == nil && code != exitOK {
		err = silent(code)
	}
	return err
}

// gateCode is the exit code of a verdict.
func gateCode(r gate.Result) int {
	switch {
	case r.Advisory && r.Passed:
		return exitAdvisory
	case r.Advisory:
		return exitAdvisoryBad
	case !r.Passed:
		return exitVerdict
	}
	return exitOK
}

// gather reads everything that the gate looks at.
func (ask gateCall) gather(ctx context.Context, env Env, baseline, candidate string) (in gate.Input, err error) {
	policy, err := readPolicy(env, ask.policy)
	if err != nil {
		return in, err
	}
	about := pair.GateAsk{Policy: policy, Baseline: baseline, Candidate: candidate, Confirm: ask.confirm, Remembers: ask.history != "", Reason: ask.reason}
	if ask.accuracy != "" {
		data, err := intake.ReadFile(ask.accuracy, mostList)
		if err != nil {
			return in, usageError(fmt.Errorf("--accuracy: %w", err))
		}
		if about.Accuracy, err = gate.ReadAccuracy(ask.accuracy, data); err != nil {
			return in, usageError(fmt.Errorf("--accuracy: %w", err))
		}
	}
	if ask.history != "" { // a history that cannot be read must not be written to
		if about.History, err = gate.ReadHistory(ask.history); err != nil {
			return in, usageError(fmt.Errorf("--history: %w", err))
		}
	}
	ask.trust.ids = policy.Spec.TrustedKeys
	bundles, done, err := ask.earlier.remembering(ctx, env, newReader(env, ask.trust), policy.Spec.TrustedKeys...)
	if err != nil {
		return in, err
	}
	in, err = bundles.Gate(about)
	return in, errors.Join(err, done())
}

// readPolicy reads a GatePolicy and prints every fault of it.
func readPolicy(env Env, file string) (spec.GatePolicy, error) {
	if file == "" {
		return spec.GatePolicy{}, usageError(errors.New("gate: got no --policy, want a GatePolicy document (see docs/guides/gate.md)"))
	}
	data, err := readDocument(env, file)
	if err != nil {
		return spec.GatePolicy{}, usageError(fmt.Errorf("--policy: %w", err))
	}
	doc, faults := spec.Parse(file, data)
	for _, f := range faults {
		fmt.Fprintln(env.Stderr, f.Error())
	}
	switch {
	case !spec.Valid(faults):
		return spec.GatePolicy{}, usageError(fmt.Errorf("--policy %s: invalid, %s", file, counted(len(faults), "fault")))
	case doc.Policy == nil:
		return spec.GatePolicy{}, usageError(fmt.Errorf("--policy %s: got a %s, want a GatePolicy", file, doc.Kind))
	}
	policy, _ := spec.ResolvePolicy(*doc.Policy)
	return policy, nil
}

// write makes the files that were asked for.
func (ask gateCall) write(r gate.Result) error {
	for _, f := range []struct {
		path string
		face func(io.Writer, gate.Result) error
	}{{ask.junit, report.GateJUnit}, {ask.markdown, report.GateMarkdown}, {ask.html, page.GateHTML}, {ask.csv, report.GateCSV}} {
		if f.path == "" {
			continue
		}
		var b bytes.Buffer
		if err := f.face(&b, r); err != nil {
			return err
		}
		if err := os.WriteFile(f.path, b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	if ask.history == "" {
		return nil
	}
	e := r.Entry()
	e.Time, e.Reason = time.Now().UTC(), ask.reason
	return gate.AppendHistory(ask.history, e)
}
