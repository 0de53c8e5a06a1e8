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
	"net"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"assay/bundle"
	"assay/plan"
	"assay/record"
	"assay/telemetry"
)

// Options says where a run writes and what it may touch. Every field but
// Progress is required.
type Options struct {
	Source   []byte         // the spec as its author wrote it
	Out      string         // the folder that bundles are made in
	Tool     bundle.Tool    // this program
	Environ  []string       // as os.Environ
	Now      time.Time      // when the run was asked for
	Host     telemetry.Host // the machine
	Progress func(Progress) // told about every step; nil means nobody
}

// Progress is one thing that happened, for people who wait.
type Progress struct {
	Launch, Launches int
	Point            string // empty between points
	Message          string
}

// A Result is a finished run whose bundle is still open.
type Result struct {
	Bundle *bundle.Writer
	Status bundle.Status // what to seal it as
}

// Execute carries out p. It returns a Result whenever a bundle exists, also
// beside an error: what was recorded before it must be sealed and not lost.
func Execute(ctx context.Context, p plan.Plan, opts Options) (*Result, error) {
	if err := refuse(p); err != nil {
		return nil, err
	}
	conn, err := connect(p, lookup(opts.Environ))
	if err != nil {
		return nil, err
	}
	redactor := bundle.NewRedactor(conn.secrets, opts.Environ)
	result, err := execute(ctx, p, opts, conn, redactor)
	if err != nil {
		err = &redactedError{redactor.String(err.Error()), err}
	}
	return result, err
}

// A redactedError repeats an error without the secrets that its text may quote,
// such as those in a URL.
type redactedError struct {
	text string
	err  error
}

func (e *redactedError) Error() string { return e.text }
func (e *redactedError) Unwrap() error { return e.err }

func execute(ctx context.Context, p plan.Plan, opts Options, conn connection, redactor *bundle.Redactor) (*Result, error) {
	if conn.server == nil {
		if err := reachable(ctx, conn.client.URLs); err != nil {
			return nil, err
		}
	}
	w, err := create(p, opts, redactor)
	if err != nil {
		return nil, err
	}
	e := &execution{plan: p, opts: opts, conn: conn, out: w, redactor: redactor}
	if err := e.describe(ctx); err != nil {
		return &Result{w, bundle.Failed}, err
	}
	begun, err := readVitals()
	if err != nil {
		return &Result{w, bundle.Failed}, err
	}
	status, err := e.launches(ctx)
	health, healthErr := e.health(begun)
	if healthErr == nil {
		healthErr = w.SetHealth(health)
	}
	return &Result{w, status}, errors.Join(err, healthErr)
}

// create opens a new bundle named after the time and the run.
func create(p plan.Plan, opts Options, redactor *bundle.Redactor) (*bundle.Writer, error) {
	encoded, err := p.Encode()
	if err != nil {
		return nil, err
	}
	id := opts.Now.UTC().Format("20060102_150405") + "__run__" + unsafe.ReplaceAllString(p.Name, "-")
	for n := 1; ; n++ {
		name := id
		if n > 1 {
			name = fmt.Sprintf("%s__%d", id, n)
		}
		w, err := bundle.Create(filepath.Join(opts.Out, name), bundle.Header{
			RunID: name, Spec: opts.Source, Plan: encoded, WorkloadDigest: p.WorkloadDigest,
			Tool: opts.Tool, Redactor: redactor,
		})
		if errors.Is(err, bundle.ErrTaken) && n < 100 {
			continue // two runs in one second
		}
		return w, err
	}
}

// unsafe are the characters that do not belong in a folder's name.
var unsafe = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// reachable fails early, with advice, when nothing listens at a target.
func reachable(ctx context.Context, urls []string) error {
	for _, raw := range urls {
		u, err := url.Parse(raw)
		if err != nil {
			return fmt.Errorf("target.url: %w", err)
		}
		host := u.Host
		if u.Port() == "" {
			host = net.JoinHostPort(u.Hostname(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
		}
		conn, err := (&net.Dialer{Timeout: 10 * time.Second}).DialContext(ctx, "tcp", host)
		if err != nil {
			return fmt.Errorf("nothing answers at %s: %w; start the server, correct target.url, or let assay start it with target.server", u.Redacted(), err)
		}
		conn.Close()
	}
	return nil
}

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
	conn connection
	out  *bundle.Writer

	redactor   *bundle.Redactor
	env        record.Environment
	identified bool // the target has been asked what it is

	recordings recordings

	requests, failed int64   // of the launches that have ended
	balance          Balance // of them
}

// describe writes down the machine and the inputs before anything is measured.
func (e *execution) describe(ctx context.Context) error {
	e.env = telemetry.Capture(ctx, e.opts.Host)
	e.env.Set("assay.version", e.opts.Tool.Version)
	topology, err := telemetry.TopologyDigest(e.env)
	if err != nil {
		return err
	}
	seeds := map[string]string{"run": fmt.Sprint(e.plan.Run.Spec.Seed)}
	for _, l := range e.plan.Launches {
		seeds[fmt.Sprintf("launch-%02d", l.Index)] = fmt.Sprint(l.Seed)
	}
	return errors.Join(
		e.out.SetEnvironment(e.env),
		e.out.SetTopology(topology),
		e.out.SetClocks([]bundle.Clock{{ID: record.ClockID, Source: record.ClockID}}),
		e.out.SetInputs(bundle.Inputs{
			Model: &bundle.Input{Name: e.plan.Run.Spec.Target.Model, Unavailable: "the target does not tell a digest of its weights"},
			Seeds: seeds, Datasets: datasets(e.plan),
		}),
	)
}

func (e *execution) report(p Progress) {
	if e.opts.Progress != nil {
		p.Launches = len(e.plan.Launches)
		p.Message = e.redactor.String(p.Message)
		e.opts.Progress(p)
	}
}
