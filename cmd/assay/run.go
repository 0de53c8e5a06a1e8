package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"assay/bundle"
	"assay/intake"
	"assay/judge"
	"assay/plan"
	"assay/report"
	"assay/report/faces"
	"assay/run"
	"assay/run/watch"
	"assay/spec"
	"assay/telemetry"
	"assay/workers"
)

// runLong says what run does; the guides say more.
const runLong = `Run carries out the BenchmarkRun document SPEC, seals everything that
happened in a bundle and prints the report. In a terminal it shows the run while
it goes on; elsewhere it writes a line every few seconds (--progress). --quick makes
one launch in place of the spec's: no interval, and nothing of it may be quoted.

--resume continues a run that was interrupted, by the plan and seeds of its bundle:
finished launches are carried over into a new bundle, the others are made.

--launcher ssh and slurm start the ranks of training and collectives on other hosts. Of
any other document the whole run is carried out on the first host or node, and its
bundle comes back. With --sets it goes to each set of hosts in turn, both sides of a
comparison to each, and one bundle comes back.

--suites then carries out what else the document's enabled layers want, each suite by the
command that assay plan names for it, with its bundle in a folder of that name.

A document that declares comparison.baseline is run only where that bundle is found and
verifies: by its run id or digest in the folder of --out, by its path, or as --baseline.

Exit codes: 0 done, 1 could not be done (what was recorded is sealed as failed
or aborted), 2 the spec is wrong, 130 interrupted (what was recorded is sealed).`

func runCommand(env Env) *cobra.Command {
	var j job
	var resumed string
	var quick, asJSON bool
	var generators int
	var where fieldFlags
	var then sequel
	cmd := &cobra.Command{
		Use:   "run SPEC | run --resume BUNDLE",
		Short: "Run a benchmark from a spec file",
		Long:  runLong,
		Args: func(cmd *cobra.Command, args []string) error {
			if resumed != "" {
				return exactArgs(0, "no spec file beside --resume: the bundle has its own")(cmd, args)
			}
			return exactArgs(1, "a spec file")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			switch {
			case resumed != "" && quick:
				return usageError(errors.New("--quick and --resume: the launches of a run are those of its plan"))
			case resumed != "" && generators > 0:
				return usageError(errors.New("--generators and --resume: the load generators of a run are those of its plan"))
			case resumed != "":
				err = j.continues(cmd.Context(), env, resumed, cmd.Flags().Changed("out"))
			default:
				err = j.reads(args[0], quick, generators)
			}
			if err != nil {
				return err
			}
			if asJSON {
				j.format = "json"
			}
			if err := j.goes(where); err != nil {
				return err
			}
			if j.placed, err = readPlacement(env); err != nil {
				return err
			}
			j.out = j.placed.out(j.out)
			dir, err := j.carries(cmd.Context(), env)
			if dir != "" && j.placed.shows() {
				fmt.Fprintf(env.Stderr, "bundle %s\n", dir)
			}
			return then.follow(cmd, env, j, dir, err)
		},
	}
	cmd.Flags().StringVarP(&j.out, "out", "o", "runs", "folder in which the bundle is made; with --resume, the folder that holds BUNDLE")
	cmd.Flags().StringVar(&resumed, "resume", "", "bundle of an interrupted run to continue")
	cmd.Flags().StringVar(&j.keyFile, "key", "", "private key to sign the bundle with (see assay keygen); without it the bundle is unsigned")
	cmd.Flags().StringVar(&j.baseline, "baseline", "", "folder of the bundle that comparison.baseline names, where it is not in --out; it must verify")
	cmd.Flags().StringVar(&j.frozen, "workload", "", "WorkloadSpec that the run must keep; a run that does not is refused")
	cmd.Flags().StringVar(&j.format, "format", "text", "report printed at the end: text or json")
	cmd.Flags().BoolVar(&asJSON, "json", false, "short for --format json")
	cmd.Flags().BoolVar(&quick, "quick", false, "a quick look: one launch, no interval, not quotable")
	cmd.Flags().IntVar(&generators, "generators", 0, "processes that send the load together, in place of load.generators of the spec")
	then.register(cmd)
	cmd.Flags().BoolVar(&j.all, "all", false, "print the whole report, not only the first screen")
	j.progress.register(cmd.Flags())
	j.hot.register(cmd.Flags())
	where.register(cmd.Flags(), hostFields("train"))
	return cmd
}

// reads takes the run from a spec file.
func (j *job) reads(path string, quick bool, generators int) (err error) {
	j.file = path
	if j.source, j.run, err = readRun(path); err != nil {
		return err
	}
	if quick {
		if j.source, err = spec.WithQuick(j.source, j.run); err != nil {
			return err
		}
		if j.run, err = parseRun(path, j.source); err != nil {
			return err
		}
	}
	if generators != 0 {
		if j.source, err = spec.WithGenerators(j.run, generators); err != nil {
			return usageError(fmt.Errorf("--generators: %w", err))
		}
		if j.run, err = parseRun(path, j.source); err != nil {
			return err
		}
	}
	return j.drawSeed(path)
}

// drawSeed gives a run that states no seed one of its own.
func (j *job) drawSeed(path string) (err error) {
	if !j.run.DrawsSeed() {
		return nil
	}
	if j.source, err = spec.WithSeed(j.source, j.run, newSeed()); err != nil {
		return err
	}
	j.run, err = parseRun(path, j.source)
	return err
}

// readRun reads the BenchmarkRun document in a file.
func readRun(path string) (source []byte, document spec.Run, err error) {
	if source, err = intake.ReadFile(path, spec.MaxDocumentBytes); err != nil {
		return nil, spec.Run{}, usageError(err)
	}
	document, err = parseRun(path, source)
	return source, document, err
}

// parseRun reads a BenchmarkRun document; every fault becomes part of the error.
func parseRun(name string, source []byte) (spec.Run, error) {
	document, faults := spec.Parse(name, source)
	if !spec.Valid(faults) {
		return spec.Run{}, usageError(fmt.Errorf("%s is not valid:\n%w", name, joinFaults(faults)))
	}
	if document.Run == nil {
		return spec.Run{}, usageError(fmt.Errorf("%s is a %s, want a BenchmarkRun", name, document.Kind))
	}
	return *document.Run, nil
}

func joinFaults(faults []spec.Fault) error {
	var errs []error
	for _, f := range faults {
		errs = append(errs, f)
	}
	return errors.Join(errs...)
}

// A job is one run to carry out.
type job struct {
	source   []byte
	run      spec.Run
	file     string         // that holds the document; references by path start from its folder
	resume   *bundle.Bundle // the interrupted run that it continues; nil begins a new one
	out      string
	keyFile  string
	baseline string // folder of the bundle that comparison.baseline names; empty looks for it
	format   string
	frozen   string // the file of a WorkloadSpec that it must keep
	all      bool   // print the whole report

	progress progressFlags // how it is shown; the zero value suits the terminal
	hot      hotFlags      // where it is published; the zero value as the document says
	quiet    bool          // results alone

	python workers.Python // that is known to have torch; zero means that one is looked for

	far    *spec.Launcher // how another host is reached that carries it out; nil means here
	placed *placement     // of a run that an assay on another host has sent here; nil where nobody has
}

// carryOut plans, runs, derives, seals and reports: the straight line. It returns
// the bundle's folder whenever there is one.
func carryOut(ctx context.Context, env Env, j job) (dir string, err error) {
	collectSooner(env)
	show, err := faces.Find(j.format)
	if err != nil {
		return "", usageError(err)
	}
	signer, err := loadSigner(j.keyFile)
	if err != nil {
		return "", usageError(err)
	}
	decided, err := j.decide(signer)
	p := decided.plan
	if err != nil {
		return "", usageError(err)
	}
	if p.Stated("spec.layers") && !j.quiet {
		tellOthers(env, p)
	}
	defer env.hold()() // a run that is asked to end seals what it has
	at, err := j.meet(ctx, env, p)
	if at.followed || err != nil {
		return "", err
	}
	defer at.leave()
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	view, published, err := j.shows(env, p, abort)
	if err != nil {
		return "", usageError(err)
	}
	defer func() { published.stop(); view.Stop() }()
	host := telemetry.Local(ctx)
	defer host.Close()
	result, runErr := run.Execute(ctx, p, run.Options{
		Source: spec.RedactSource(j.source, j.run), Out: j.out, Tool: tool(), Environ: env.Environ(),
		Now: time.Now(), Host: host, Progress: view.Progress, Live: view.Live, Simulate: simulate, Senders: senders(), Ranks: at.tools, Generator: generatorTool(),
		CollectorBudget: collectorBudget(env, host),
		Facts:           at.facts,
		Nodes:           at.nodes,
		Only:            j.placed.only(),
		Resume:          j.resume, Baseline: decided.baseline, Workload: decided.frozen,
	})
	if result == nil {
		return "", runErr
	}
	dir = result.Bundle.Dir()
	if j.placed.part() { // whoever puts the parts together judges them
		_, err := result.Bundle.Seal(context.WithoutCancel(ctx), result.Status, bundle.SealOptions{})
		return dir, errors.Join(runErr, err)
	}
	view.Live.Enter(watch.Judging)
	sealed, err := j.seals(ctx, env, result, p, signer)
	view.Stop() // the report is printed where the view was
	if err != nil {
		return dir, errors.Join(runErr, err)
	}
	published.end(context.WithoutCancel(ctx), dir)
	if j.placed.shows() { // otherwise whoever sent the run here shows it
		err = j.prints(env, show, sealed)
	}
	err = errors.Join(runErr, j.placed.hand(context.WithoutCancel(ctx), env, dir, sealed), err, archive(context.WithoutCancel(ctx), env, p, sealed.RunID, dir))
	if p.Trials().Quick && !j.quiet {
		fmt.Fprintln(env.Stderr, quickNote(p))
	}
	if result.Status == bundle.Aborted && !j.quiet {
		fmt.Fprintf(env.Stderr, "to make the launches that are missing: assay run --resume %s\n", dir)
	}
	return dir, err
}

// prints shows a report.
func (j job) prints(env Env, show faces.Face, sealed report.Report) error {
	w, print := printer(env, show, j.all)
	return print(w, sealed)
}

// seals has the answers scored, judges the run and seals its bundle, also after an
// interrupt: that is when it matters.
func (j job) seals(ctx context.Context, env Env, result *run.Result, p plan.Plan, signer bundle.Signer) (report.Report, error) {
	if err := askScorers(ctx, env, result, p.Evaluation()); err != nil { // the answers are sealed without scores
		fmt.Fprintf(env.Stderr, "no scorer was asked: %v\n", err)
	}
	sealed, err := seal(context.WithoutCancel(ctx), result, signer)
	if err != nil {
		dir := result.Bundle.Dir()
		err = fmt.Errorf("%w\n%s is not sealed; when the cause is gone, assay run --resume %s continues the run, and assay recover %s seals what there is", err, dir, dir, dir)
		err = errors.Join(err, result.Bundle.Abandon())
	}
	return sealed, err
}

// quickNote says what one launch is worth.
func quickNote(p plan.Plan) string {
	if p.AsksOnce() {
		return "quick look: one launch, so the system's own noise is not measured; exploratory grade"
	}
	return "quick look: one launch, no interval, exploratory grade; nothing of it may be quoted"
}

// A decision is what a run is about to do.
type decision struct {
	plan     plan.Plan
	baseline *bundle.Input // that the plan names; nil where it names none
	frozen   []byte        // the workload that it keeps; empty where it was held against none
}

// decide makes the plan to carry out, that of the run that is resumed or a new one. A run
// that does not keep what its document promises is refused here, before anything is
// measured.
func (j job) decide(signer bundle.Signer) (d decision, err error) {
	if j.resume != nil {
		d.plan, err = run.Resumable(j.resume, tool())
	} else {
		d.plan, err = plan.New(j.run)
	}
	if err != nil || j.placed.part() { // the rest is for whoever has the whole run
		return d, err
	}
	if err := j.hasHosts(d.plan); err != nil {
		return d, err
	}
	if d.frozen, err = keeps(d.plan, j.frozen); err != nil {
		return d, err
	}
	if j.resume != nil && d.frozen == nil {
		if d.frozen, err = j.resume.ReadSealed(bundle.WorkloadFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return d, err
		}
	}
	if err := demandsSignature(d.plan, signer); err != nil {
		return d, err
	}
	d.baseline, err = j.findBaseline(d.plan)
	return d, err
}

// tellOthers names the suites that the document wants and this run is not.
func tellOthers(env Env, p plan.Plan) {
	for _, path := range p.Paths() {
		if path.Command != "" {
			fmt.Fprintf(env.Stderr, "suite %s (%s): %s\n", path.Suite, path.Layer, path)
		}
	}
}

// archive copies the sealed bundle to where the document wants it.
func archive(ctx context.Context, env Env, p plan.Plan, runID, dir string) error {
	folder := p.Archive(runID)
	own, err := filepath.Abs(dir)
	wanted, err2 := filepath.Abs(folder)
	if folder == "" || own == wanted || errors.Join(err, err2) != nil {
		return errors.Join(err, err2)
	}
	if err := bundle.Copy(ctx, dir, folder); err != nil {
		return fmt.Errorf("spec.sinks.rawArtifacts: the bundle is in %s alone: %w", dir, err)
	}
	fmt.Fprintf(env.Stderr, "copied to %s, and verified there\n", folder)
	return nil
}

// demandsSignature refuses a run whose document demands a signature that nobody will give.
func demandsSignature(p plan.Plan, signer bundle.Signer) error {
	class, required := p.Class(), p.Signing().Required
	switch {
	case signer != nil:
		return nil
	case class == spec.PublicationGrade:
		return fmt.Errorf("intent.benchmarkClass is %s, which demands a signature: pass --key (assay keygen makes one)", class)
	case required != nil && *required:
		return errors.New("provenance.signing.required is true: pass --key (assay keygen makes one)")
	default:
		return nil
	}
}

// seal judges the run, writes the reports and seals the bundle. The plan is read
// back from the bundle: the one that was carried out holds secrets.
func seal(ctx context.Context, result *run.Result, signer bundle.Signer) (report.Report, error) {
	b, err := bundle.Open(result.Bundle.Dir())
	if err != nil {
		return report.Report{}, err
	}
	p, err := judge.Plan(b)
	if err != nil {
		return report.Report{}, err
	}
	// Checks and claims look at how the run ended and who vouches for it, which the
	// manifest says only when it is sealed.
	b.Manifest.Status = result.Status
	if signer != nil {
		b.Manifest.Signer.KeyID = signer.Public().ID
	}
	j, err := judge.Derive(b, p, version())
	if err != nil {
		return report.Report{}, err
	}
	if err := j.Keep(result.Bundle, version()); err != nil {
		return report.Report{}, err
	}
	r := report.New(j)
	r.Signature = signatureOf(signer)
	for _, f := range faces.All {
		if err := writeReport(result.Bundle, f, r); err != nil {
			return report.Report{}, err
		}
	}
	estimates, err := json.Marshal(j.Estimates)
	if err != nil {
		return report.Report{}, err
	}
	claims, err := json.Marshal(j.Claims)
	if err != nil {
		return report.Report{}, err
	}
	_, err = result.Bundle.Seal(ctx, result.Status, bundle.SealOptions{Signer: signer, Results: estimates, Claims: claims, Checks: j.Audit.PassedChecks()})
	return r, err
}

func writeReport(w *bundle.Writer, f faces.Face, r report.Report) error {
	var text bytes.Buffer
	if err := f.Format(&text, r); err != nil {
		return err
	}
	return w.WriteReport(f.File, text.Bytes())
}

// loadSigner reads the key to sign with; no file means no signature.
func loadSigner(path string) (bundle.Signer, error) {
	if path == "" {
		return nil, nil
	}
	text, err := intake.ReadFile(path, mostKey)
	if err != nil {
		return nil, fmt.Errorf("--key: %w", err)
	}
	signer, err := bundle.ParseKey(text)
	if err != nil {
		return nil, fmt.Errorf("--key %s: %w", path, err)
	}
	return signer, nil
}

func signatureOf(signer bundle.Signer) string {
	if signer == nil {
		return judge.Unsigned
	}
	return "signed by key " + signer.Public().ID
}

func exactArgs(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < n:
			return usageError(fmt.Errorf("missing argument: %s (usage: %s)", what, cmd.UseLine()))
		case len(args) > n:
			return usageError(fmt.Errorf("got %d arguments, want %s (usage: %s)", len(args), what, cmd.UseLine()))
		}
		return nil
	}
}

// atMostOne takes one argument or none.
func atMostOne(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > 1 {
			return usageError(fmt.Errorf("got %d arguments, want at most one, %s", len(args), what))
		}
		return nil
	}
}

// bundleDir tells a bundle from any other folder before it is opened.
func bundleDir(path string) error {
	if bundle.Remains(path) == "" {
		return usageError(bundle.NotBundle(path))
	}
	return nil
}
