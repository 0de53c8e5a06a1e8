package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"assay/bundle"
	"assay/metric"
	"assay/run"
)

// A measured is one run of assay and the truth about it.
type measured struct {
	bundle *bundle.Bundle
	truth  answers
	client metric.Client // what the run says about itself
	health run.Health
}

// A load is one point: users of a closed loop, or a rate.
type load struct {
	users int
	rate  float64
}

func (l load) String() string {
	if l.users > 0 {
		return fmt.Sprintf("%d users", l.users)
	}
	return fmt.Sprintf("%g requests per second, Poisson", l.rate)
}

// spec is the document that the run is made from.
func (o options) spec(l load, url string) string {
	of := o.target
	if of.command == nil {
		of = inC
	}
	loop, offered := "closed_loop", fmt.Sprintf("concurrency: [%d]", l.users)
	if l.users == 0 {
		loop, offered = "open_loop", fmt.Sprintf("rate: [%g]", l.rate)
	}
	if o.load != "" {
		offered += ", " + o.load
	}
	return fmt.Sprintf(`apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: truth}
spec:
  workload:
    model: %s
    concurrencyModel: %s
    sequenceLengthMix: [{inputTokens: 32, outputTokens: %d, weight: 1}]
  target: {url: %q%s}
  load: {%s, duration: %s, warmup: {duration: %s}}
  trials: {minReplicates: %d}
`, of.model, loop, o.answer.tokens, url, of.fields, offered, o.duration, o.warmup, max(3, o.launches))
}

// measure lets assay run measure the truth server.
func (o options) measure(ctx context.Context, p place, l load) (m *measured, done func() error, err error) {
	dir, err := os.MkdirTemp(o.keep, "truth-")
	if err != nil {
		return nil, nil, err
	}
	done = func() error {
		if o.keep != "" {
			return nil
		}
		return os.RemoveAll(dir)
	}
	server := o.running
	if server == nil {
		if server, err = startServer(ctx, o, p); err != nil {
			return nil, nil, errors.Join(err, done())
		}
	}
	runErr := o.runAssay(ctx, p, l, server.url, dir)
	truth, err := server.answers()
	if err := errors.Join(runErr, err); err != nil {
		return nil, nil, errors.Join(err, done())
	}
	if m, err = openMeasured(dir, truth); err != nil {
		return nil, nil, errors.Join(err, done())
	}
	return m, done, nil
}

// runAssay makes one run below dir.
func (o options) runAssay(ctx context.Context, p place, l load, url, dir string) error {
	file := filepath.Join(dir, "spec.yaml")
	if err := os.WriteFile(file, []byte(o.spec(l, url)), 0o644); err != nil {
		return err
	}
	args := []string{"run", file, "--out", filepath.Join(dir, "runs")}
	if o.launches < 3 {
		args = append(args, "--quick") // a run has three launches at least
	}
	cmd := p.command(ctx, o.assay, args...)
	cmd.WaitDelay = 10 * time.Second
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("assay run at %v: %w\n%s", l, err, said.Bytes())
	}
	return nil
}

// openMeasured opens the one bundle below dir.
func openMeasured(dir string, truth answers) (*measured, error) {
	found, err := filepath.Glob(filepath.Join(dir, "runs", "*", bundle.ManifestFile))
	if err != nil || len(found) != 1 {
		return nil, fmt.Errorf("%d bundles in %s, want one: %w", len(found), dir, err)
	}
	b, err := bundle.Open(filepath.Dir(found[0]))
	if err != nil {
		return nil, err
	}
	m := &measured{bundle: b, truth: truth}
	return m, errors.Join(json.Unmarshal(b.Manifest.Health, &m.health), readDerived(b, "client.json", &m.client))
}

// readDerived reads what the program that made the bundle concluded.
func readDerived(b *bundle.Bundle, name string, into any) error {
	found, err := filepath.Glob(filepath.Join(b.Dir, "derived", "*", name))
	if err != nil || len(found) != 1 {
		return fmt.Errorf("%d files %s in %s, want one: %w", len(found), name, b.Dir, err)
	}
	data, err := os.ReadFile(found[0])
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}
