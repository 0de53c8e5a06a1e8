package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"assay/analysis/compare"
	"assay/bundle"
	"assay/plan"
	"assay/report"
	"assay/run/packing"
	"assay/spec"
	"assay/workers"
)

const rerunLong = `Rerun makes the run of a bundle again, from the bundle alone: its spec with the seeds
that were drawn, the files that the bundle has copies of, and for the rest those of
--inputs at the same relative paths. First it says of every input whether it is the
same, with both digests; one that is different or missing ends it there, unless
--anyway is given. Then it measures and compares with the original.

Programs, Python packages and assay itself may differ from machine to machine: that is
said, and does not end it; a program that is not there does. --target asks another
server than the original's address. --check says how the inputs are, and measures
nothing.

A spec names programs to start, files to read and credentials to send, and a bundle may
come from anybody: the run is made only where a key that you trust has signed the bundle
(--key, or your trust file), or with --trust-spec, once you have read spec.yaml and
inputs/ in it.

Exit codes: 0 done, 1 could not be done, 2 usage error, 3 an input is different or
missing, 4 the bundle was changed after sealing.`

// A rerunCall is what the command was asked for.
type rerunCall struct {
	out, inputs, target, sign, baseline string
	check, anyway, trustSpec, asJSON    bool
	trust                               trustFlags
}

// A rerunAnswer is what assay rerun prints.
type rerunAnswer struct {
	Version    string            `json:"version"`
	RunID      string            `json:"runID"` // of the original
	Inputs     []packing.Verdict `json:"inputs"`
	Passed     bool              `json:"passed"`
	Bundle     string            `json:"bundle,omitempty"`     // of the new run
	Comparison *compare.Report   `json:"comparison,omitempty"` // with the original
}

func rerunCommand(env Env) *cobra.Command {
	var ask rerunCall
	cmd := &cobra.Command{
		Use:   "rerun BUNDLE",
		Short: "Make the run of a bundle again and compare",
		Long:  rerunLong,
		Args:  exactArgs(1, "a bundle"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return ask.run(cmd.Context(), env, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVarP(&ask.out, "out", "o", "runs", "folder in which the new bundle is made")
	f.StringVar(&ask.inputs, "inputs", ".", "folder of the files that the bundle has no copy of")
	f.StringVar(&ask.target, "target", "", "address of the server, in place of the original's")
	f.StringVar(&ask.sign, "sign", "", "private key to sign the new bundle with")
	f.StringVar(&ask.baseline, "baseline", "", "folder of the bundle that comparison.baseline names")
	f.BoolVar(&ask.check, "check", false, "say how the inputs are, and measure nothing")
	f.BoolVar(&ask.anyway, "anyway", false, "measure though inputs are different or missing")
	f.BoolVar(&ask.trustSpec, "trust-spec", false, "carry out the spec of a bundle that no trusted key has signed")
	f.BoolVar(&ask.asJSON, "json", false, "print the inputs and the comparison as JSON")
	ask.trust.add(cmd)
	return cmd
}

func (ask rerunCall) run(ctx context.Context, env Env, dir string) error {
	for _, path := range []*string{&dir, &ask.out, &ask.inputs} { // the run has a working directory of its own
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return err
		}
		*path = absolute
	}
	j, err := ask.trust.decide(env, dir)
	if err != nil {
		return err
	}
	b := j.Bundle
	again, err := ask.document(b)
	if err != nil {
		return err
	}
	if err := ask.allows(b, again.plan); err != nil && !ask.check {
		return err
	}
	place, remove, err := ask.place(b)
	if err != nil {
		return err
	}
	defer remove()
	answer := rerunAnswer{Version: "1.0", RunID: b.Manifest.RunID}
	if answer.Inputs, err = ask.look(ctx, b, again, place); err != nil {
		return err
	}
	answer.Passed = !slices.ContainsFunc(answer.Inputs, func(v packing.Verdict) bool { return !v.Passes() })
	if !ask.asJSON {
		printInputs(env.Stdout, answer)
	}
	if ask.check || !answer.Passed && !ask.anyway {
		return ask.end(env, answer)
	}
	if answer.Bundle, err = ask.measure(ctx, env, again, place); err != nil {
		return err
	}
	return ask.compare(env, answer, dir)
}

// end prints the answer of a run that was not made.
func (ask rerunCall) end(env Env, answer rerunAnswer) error {
	if ask.asJSON {
		if err := printJSON(env.Stdout, answer); err != nil {
			return err
		}
	}
	if !answer.Passed {
		return silent(exitVerdict)
	}
	return nil
}

// A frozenRun is a spec with its plan.
type frozenRun struct {
	source []byte
	run    spec.Run
	plan   plan.Plan
}

// document reads the spec of b, and refuses one that cannot be carried out again.
func (ask rerunCall) document(b *bundle.Bundle) (d frozenRun, err error) {
	if b.Manifest.Source != nil {
		return d, usageError(fmt.Errorf("%s repeats results of %s: assay did not make that run and cannot make it again", b.Manifest.RunID, b.Manifest.Source.Tool))
	}
	if d.source, err = b.ReadSealed(bundle.SpecFile); err != nil {
		return d, err
	}
	if bytes.Contains(d.source, []byte(spec.Redacted)) {
		return d, usageError(errors.New("the spec of this run held a secret, which no bundle keeps: name secrets by {env: NAME} or {file: PATH} so that a run can be made again"))
	}
	if d.run, err = parseRun(bundle.SpecFile, d.source); err != nil {
		return d, err
	}
	if ask.target != "" {
		if d.run.Spec.Target == nil {
			return d, usageError(errors.New("--target: the run asks no server"))
		}
		moved := *d.run.Spec.Target
		moved.URL = ask.target
		d.run.Spec.Target = &moved
		if d.source, err = spec.WriteYAML(d.run); err != nil {
			return d, err
		}
		if d.run, err = parseRun(bundle.SpecFile, d.source); err != nil {
			return d, err
		}
	}
	d.plan, err = plan.New(d.run)
	if err != nil {
		return d, usageError(err)
	}
	return d, nil
}

// allows refuses to carry out what a stranger wrote.
func (ask rerunCall) allows(b *bundle.Bundle, p plan.Plan) error {
	if ask.trusts(b) {
		return nil
	}
	var starts []string
	for _, f := range p.InputFiles() {
		if f.Kind == plan.InputProgram || f.Kind == plan.InputCode {
			starts = append(starts, f.Path)
		}
	}
	what := "its spec"
	if len(starts) > 0 {
		what = "its spec, which starts " + strings.Join(starts, ", ")
	}
	return usageError(fmt.Errorf("%s is signed by nobody whom you trust: read %s, and pass --trust-spec where you do; or --check, which measures nothing", b.Manifest.RunID, what))
}

// trusts reports whether the spec of b may be carried out.
func (ask rerunCall) trusts(b *bundle.Bundle) bool {
	return ask.trustSpec || b.Seal != nil && b.Seal.Signature.State == bundle.SignatureTrusted
}

// place makes the folder that the run is made in, with the inputs that there are.
func (ask rerunCall) place(b *bundle.Bundle) (dir string, remove func(), err error) {
	parent := ask.out
	if ask.check {
		parent = ""
	} else if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", nil, err
	}
	if dir, err = os.MkdirTemp(parent, "rerun-"+b.Manifest.RunID+"-"); err != nil {
		return "", nil, err
	}
	remove = func() {}
	if ask.check {
		remove = func() { os.RemoveAll(dir) }
	}
	p, _, err := b.Package()
	if err == nil {
		err = packing.Unpack(b, p, dir, ask.inputs)
	}
	return dir, remove, err
}

// look compares the inputs with those of the original.
func (ask rerunCall) look(ctx context.Context, b *bundle.Bundle, d frozenRun, place string) ([]packing.Verdict, error) {
	was, listed, err := b.Package()
	if err != nil {
		return nil, err
	}
	if !listed { // older than the list: what was read is known by name alone
		was = bundle.Package{Tool: b.Manifest.Tool, Seed: b.Manifest.Inputs.Seeds["run"]}
		for _, f := range d.plan.InputFiles() {
			was.Files = append(was.Files, bundle.PackedFile{Field: f.Field, Path: f.Path, Kind: string(f.Kind)})
		}
	}
	look := packing.Packer{Plan: d.plan, Tool: tool(), Dir: place, Trusted: ask.trusts(b)}
	if t := d.plan.Train(); was.Workers != "" && t != nil && (look.Trusted || t.Python == "") {
		if python, err := workers.FindPython(ctx, t.Python); err == nil {
			look.Torch = python.Path
		}
	}
	is, _ := look.Look(ctx)
	workload := packing.Verdict{Input: "workload", Kind: "plan", State: packing.Same, Was: b.Manifest.WorkloadDigest, Is: d.plan.WorkloadDigest, Decides: true}
	if workload.Was != workload.Is {
		workload.State = packing.Different
	}
	return append([]packing.Verdict{workload}, packing.Compare(was, is)...), nil
}

// measure carries the run out in its own folder, where the relative paths of its spec
// lead to its own inputs.
func (ask rerunCall) measure(ctx context.Context, env Env, d frozenRun, place string) (dir string, err error) {
	before, err := os.Getwd()
	if err != nil {
		return "", err
	}
	if err := os.Chdir(place); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.Chdir(before)) }()
	story := Env{Stdin: env.Stdin, Stdout: env.Stderr, Stderr: env.Stderr, Environ: env.Environ}
	dir, err = carryOut(ctx, story, job{source: d.source, run: d.run, out: ask.out, keyFile: ask.sign, baseline: ask.baseline, format: "text"})
	if dir != "" {
		fmt.Fprintf(env.Stderr, "bundle %s\n", dir)
	}
	return dir, err
}

// compare lays the new run beside the original.
func (ask rerunCall) compare(env Env, answer rerunAnswer, original string) error {
	bundles := newReader(env, trustFlags{})
	sides, err := bundles.Sides([]string{original, answer.Bundle})
	if err != nil {
		return err
	}
	r, err := bundles.Compare(sides, compare.Options{})
	if err != nil {
		return err
	}
	if ask.asJSON {
		answer.Comparison = &r
		return printJSON(env.Stdout, answer)
	}
	fmt.Fprintln(env.Stdout)
	return report.CompareText(env.Stdout, r, false)
}

// printInputs says of every input whether it passes.
func printInputs(w io.Writer, answer rerunAnswer) {
	fmt.Fprintf(w, "inputs of %s\n", answer.RunID)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, v := range answer.Inputs {
		verdict := "pass"
		switch {
		case !v.Passes():
			verdict = "FAIL"
		case v.State != packing.Same:
			verdict = "note"
		}
		same := ""
		if v.State == packing.Same {
			same = v.Is
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\n", verdict, v.State, v.Kind, v.Input, same)
	}
	t.Flush()
	for _, v := range answer.Inputs {
		if v.State == packing.Same {
			continue
		}
		fmt.Fprintf(w, "  %s\n    was %s\n    is  %s\n", v.Input, cmp.Or(v.Was, "–"), cmp.Or(v.Is, "–"))
		if v.Note != "" {
			fmt.Fprintf(w, "    %s\n", v.Note)
		}
	}
}
