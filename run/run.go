// Package run carries out a plan: it starts the system under test, offers the
// load, and writes what happened into a bundle. It judges nothing and seals
// nothing: the caller derives what it wants from the open bundle and seals it.
//
// There is one execution path. Running on this machine is shard 0 of 1.
package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"assay/bundle"
	"assay/plan"
	"assay/record"
	"assay/run/packing"
	"assay/run/watch"
	"assay/spec"
	"assay/target/fidelity"
	"assay/telemetry"
	"assay/train"
)

// Options says where a run writes and what it may touch. Every field but
// Workload, Progress, Live, Simulate, Senders, Facts, Nodes, Only and Resume is required.
type Options struct {
	Source   []byte         // the spec as its author wrote it
	Workload []byte         // the frozen workload that the run keeps; empty where it was held against none
	Out      string         // the folder that bundles are made in
	Tool     bundle.Tool    // this program
	Environ  []string       // as os.Environ
	Now      time.Time      // when the run was asked for
	Host     telemetry.Host // the machine
	Progress func(Progress) // called at every step; nil means nobody listens
	Live     *watch.Live    // what people watch; nil means that nobody does

	// Simulate starts a simulator as a process of its own, with which the run
	// measures its own error. Nil means that it cannot be measured.
	Simulate func(ctx context.Context, s fidelity.Schedule) (*fidelity.Simulation, error)

	// Senders is how many processors that simulator may send from; zero means one.
	Senders int

	// CollectorBudget is how many bytes a point may allocate before the garbage
	// collector runs in it. Zero lets it run whenever it likes.
	CollectorBudget int64

	// Resume is the interrupted run that this one continues, which Resumable has found
	// fit; nil begins a new one.
	Resume *bundle.Bundle

	// Baseline is the bundle that the plan's comparison.baseline names, found and
	// verified; nil where it names none.
	Baseline *bundle.Input

	// Facts are what is known of the run's hosts before it begins, beside what this one
	// tells; nil means nothing.
	Facts record.Environment

	// Nodes are the hosts that ranks start on, with what each says of itself, those of
	// every set after those of the one before; nil means that they start here.
	Nodes []bundle.Node

	// Only are the launches that this process makes of the plan, by their indices; nil means
	// all of them. Assemble puts the whole together.
	Only []int

	// Generator is the command of a load generator, whose credentials it reads from its
	// standard input. Empty means that this program cannot start any.
	Generator []string

	// Ranks is what the ranks of training and collectives are started with; load
	// generators are started by its launchers too.
	Ranks train.Tools
}

// Progress is one thing that happened, for people who wait.
type Progress struct {
	Launch, Launches int
	Point            string // empty between points
	Side             string // empty in a run of one side
	Message          string
}

// line is the progress as one line of a log.
func (p Progress) line() string {
	text := p.Message
	if p.Point != "" {
		text = p.Point
	}
	if p.Side != "" {
		text = p.Side + ": " + text
	}
	return fmt.Sprintf("launch %d: %s", p.Launch+1, text)
}

// A Result is a finished run whose bundle is still open.
type Result struct {
	Bundle *bundle.Writer
	Status bundle.Status // what to seal it as
}

// Execute carries out p. It returns a Result whenever a bundle exists, also
// beside an error: what was recorded before it must be sealed and not lost.
func Execute(ctx context.Context, p plan.Plan, opts Options) (*Result, error) {
	secrets := spec.Secrets(p.Run)
	sides, err := connectSides(p, lookup(opts.Environ))
	for _, s := range sides {
		secrets = append(secrets, s.conn.secrets...)
	}
	redactor := bundle.NewRedactor(secrets, opts.Environ)
	for _, s := range sides {
		s.conn.client.Redact = redactor.String
	}
	var result *Result
	if err == nil {
		result, err = prepare(ctx, p, opts, sides, redactor)
	}
	if err != nil {
		err = &redactedError{redactor.String(err.Error()), err}
	}
	return result, err
}

// prepare makes ready what the plan asks for, and executes it.
func prepare(ctx context.Context, p plan.Plan, opts Options, sides []*side, redactor *bundle.Redactor) (*Result, error) {
	in, err := accept(p)
	if err != nil {
		return nil, err
	}
	if in != nil {
		in.examine(sides)
	}
	staff, err := train.Hire(ctx, p, opts.Ranks)
	if err != nil {
		return nil, err
	}
	return execute(ctx, p, opts, sides, in, staff, redactor)
}

// A redactedError repeats an error without the secrets that its text may quote,
// such as those in a URL.
type redactedError struct {
	text string
	err  error
}

func (e *redactedError) Error() string { return e.text }
func (e *redactedError) Unwrap() error { return e.err }

func execute(ctx context.Context, p plan.Plan, opts Options, sides []*side, in *inputs, staff *train.Staff, redactor *bundle.Redactor) (*Result, error) {
	if err := enoughFiles(p, sides); err != nil {
		return nil, err
	}
	for _, s := range sides {
		if s.conn.server != nil || s.target == nil {
			continue
		}
		if err := reachable(ctx, s.conn); err != nil {
			return nil, sideError(s.name, err)
		}
		if err := s.preflight(ctx, p); err != nil {
			return nil, sideError(s.name, err)
		}
		if err := s.probeLogprobs(ctx, in); err != nil {
			return nil, sideError(s.name, err)
		}
	}
	var frozen time.Time
	if opts.Resume != nil {
		frozen = opts.Resume.Manifest.Created
	}
	w, err := create(p, opts, redactor, frozen)
	if err != nil {
		return nil, err
	}
	e := &execution{plan: p, opts: opts, sides: sides, in: in, staff: staff, out: w, redactor: redactor}
	e.earlier = sync.OnceValue(func() []earlierRun { return earlierRuns(opts.Out, e.runID()) })
	opts.Live.Begin(p, redactor.String)
	opts.Live.Identify(e.runID())
	failures, err := e.carryOver()
	if err == nil {
		err = e.describe(ctx)
	}
	if err != nil {
		return &Result{w, bundle.Failed}, err
	}
	status, err := e.launches(ctx, failures)
	return &Result{w, status}, errors.Join(err, w.SetHealth(e.summary()))
}

// create opens a new bundle named after the time and the run. Frozen is when spec and plan
// were; zero means now.
func create(p plan.Plan, opts Options, redactor *bundle.Redactor, frozen time.Time) (*bundle.Writer, error) {
	encoded, err := p.Encode()
	if err != nil {
		return nil, err
	}
	header := bundle.Header{
		Spec: opts.Source, Workload: opts.Workload, Plan: encoded, WorkloadDigest: p.WorkloadDigest, Tool: opts.Tool, Redactor: redactor, Created: frozen,
	}
	id := opts.Now.UTC().Format("20060102_150405") + "__run__" + unsafe.ReplaceAllString(p.Name, "-")
	for n := 1; ; n++ {
		name := id
		if n > 1 {
			name = fmt.Sprintf("%s__%d", id, n)
		}
		header.RunID = name
		w, err := bundle.Create(filepath.Join(opts.Out, name), header)
		if errors.Is(err, bundle.ErrTaken) && n < 100 {
			continue // two runs in one second
		}
		return w, err
	}
}

// unsafe are the characters that do not belong in a folder's name.
var unsafe = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// lookup is os.LookupEnv over a list of variables.
func lookup(environ []string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, entry := range environ {
			if value, ok := strings.CutPrefix(entry, name+"="); ok && name != "" {
				return value, true
			}
		}
		return "", false
	}
}

// An execution is a run while it goes on.
type execution struct {
	plan plan.Plan
	opts Options
	in   *inputs // nil where nothing is asked of a target
	out  *bundle.Writer

	staff *train.Staff // starts ranks

	sides []*side
	side  *side      // the one under way
	conn  connection // its own

	redactor *bundle.Redactor
	env      record.Environment

	recordings recordings
	waiting    *waiting // nil until it is decided; see awake
	earlier    func() []earlierRun

	requests, failed int64   // of the launches that have ended
	balance          Balance // of them
	probed           Balance // the same of probes
	health           Health  // of them
}

// describe writes down the machine and the inputs before anything is measured.
func (e *execution) describe(ctx context.Context) error {
	e.env = telemetry.Capture(ctx, e.opts.Host)
	maps.Copy(e.env, e.opts.Facts)
	e.env.Set("assay.version", e.opts.Tool.Version)
	if e.in != nil {
		e.env.Set("tokenizer.kind", e.in.kind)
	}
	e.fillJoinKeys()
	topology, err := telemetry.TopologyDigest(e.env)
	if err != nil {
		return err
	}
	nodes, err := e.nodes()
	if err != nil {
		return err
	}
	return errors.Join(
		e.out.SetEnvironment(e.env),
		e.out.SetNodes(nodes),
		e.out.SetTopology(topology),
		e.out.SetClocks([]bundle.Clock{{ID: record.ClockID, Source: record.ClockID}}),
		e.describeInputs(),
		e.pack(ctx),
	)
}

// pack writes down what the run is made from, with a copy of what may be copied.
func (e *execution) pack(ctx context.Context) error {
	k := packing.Packer{Plan: e.plan, Tool: e.opts.Tool, Torch: e.staff.Python(), Trusted: true, Harmless: e.redactor.Harmless}
	return e.out.WritePackage(k.Look(ctx))
}

// describeInputs writes down what calls are made of.
func (e *execution) describeInputs() error {
	seeds := map[string]string{"run": fmt.Sprint(e.plan.Seed())}
	for _, l := range e.plan.Launches {
		seeds[fmt.Sprintf("launch-%02d", l.Index)] = fmt.Sprint(l.Seed)
	}
	if e.in == nil {
		return e.out.SetInputs(bundle.Inputs{Seeds: seeds, Baseline: e.opts.Baseline})
	}
	return e.out.SetInputs(bundle.Inputs{
		Model:     &bundle.Input{Name: e.plan.Target().Model, Unavailable: "the target does not tell a digest of its weights"},
		Tokenizer: e.in.describe(), Seeds: seeds, Datasets: datasets(e.plan), Baseline: e.opts.Baseline,
	})
}

func (e *execution) report(p Progress) {
	p.Launches = len(e.plan.Launches)
	if e.side != nil {
		p.Side = e.side.name
	}
	p.Message = e.redactor.String(p.Message)
	e.opts.Live.Tell(p.line())
	if e.opts.Progress != nil {
		e.opts.Progress(p)
	}
}
