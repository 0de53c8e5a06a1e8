package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"text/template"

	"assay/server/client"
	"assay/tokens"
)

// demoNight is a run of the demonstration: short, so that a dozen of them take less than
// a minute.
var demoNight = template.Must(template.New("night").Parse(`apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: {{.Name}}}
spec:
  seed: 7
  workload:
    model: sim
    tokenizer: {kind: server}
    sequenceLengthMix:
      - {inputTokens: {{.Input}}, outputTokens: 16, weight: 1}
  target:
    url: http://{{.Addr}}
    server:
      command: [{{printf "%q" .Binary}}, sim, --addr, {{.Addr}}, --base, {{.Base}}]
      ready: {timeout: 20s, interval: 20ms}
  load:
    concurrency: [2, 8]
    duration: 600ms
    warmup: {duration: 100ms}
  trials: {minReplicates: 3}
`))

// A demoRun is one of them: its name, how long an iteration of the engine takes, and how
// long prompts are.
type demoRun struct {
	name, base string
	input      int
}

// demoBatches are what a demonstration measures, in order; the runs of one batch at the
// same time. The engine of the last one got slower, so that there is something to find.
func demoBatches() [][]demoRun {
	nightly, slower := demoRun{"chat-nightly", "6ms", 128}, demoRun{"chat-nightly", "15ms", 128}
	other := demoRun{"summaries", "6ms", 1024}
	return [][]demoRun{
		{nightly, nightly, nightly, nightly, nightly},
		{nightly, nightly, nightly, nightly, other},
		{slower, slower},
	}
}

// fill measures the simulator and brings what it gave to the server, as a team would.
func (s serveCall) fill(ctx context.Context, env Env, address, dir string) {
	file := s.place.open(env)
	text, err := demoToken(file, tokens.Admin)
	if err == nil {
		// What stands behind # stays in the browser: no server and no log sees it.
		fmt.Fprintf(env.Stdout, "open %slogin#%s\n", address, text)
		err = measureDemo(ctx, env, address, text, filepath.Join(dir, "demo"))
	}
	switch {
	case ctx.Err() != nil:
	case err != nil:
		fmt.Fprintln(env.Stderr, "assay: the demonstration is not complete:", err)
	default:
		fmt.Fprintln(env.Stderr, "the demonstration is complete")
	}
}

func measureDemo(ctx context.Context, env Env, address, token, dir string) error {
	c, err := client.New(strings.TrimSuffix(address, "/"), token)
	if err != nil {
		return err
	}
	number := 0
	for _, batch := range demoBatches() {
		var all sync.WaitGroup
		faults := make([]error, len(batch))
		for i, one := range batch {
			number++
			out := filepath.Join(dir, fmt.Sprint(number))
			all.Go(func() { faults[i] = measureOne(ctx, env, c, one, out) })
		}
		all.Wait()
		if err := errors.Join(append(faults, ctx.Err())...); err != nil {
			return err
		}
	}
	return nil
}

// measureOne makes one run in a process of its own, as other runs do at the same time.
func measureOne(ctx context.Context, env Env, c *client.Client, one demoRun, out string) error {
	binary, err := os.Executable()
	if err != nil {
		return err
	}
	addr, err := freeLoopback()
	if err != nil {
		return err
	}
	var document bytes.Buffer
	if err := demoNight.Execute(&document, map[string]any{"Name": one.name, "Input": one.input, "Base": one.base, "Addr": addr, "Binary": binary}); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	file := filepath.Join(out, "run.yaml")
	if err := os.WriteFile(file, document.Bytes(), 0o644); err != nil {
		return err
	}
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, binary, "run", file, "--out", filepath.Join(out, "runs"), "--json")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it takes its simulator along
	cmd.Stderr, cmd.Env = &said, env.Environ()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("measure the simulator: %w\n%s", err, said.String())
	}
	made, err := filepath.Glob(filepath.Join(out, "runs", "*__run__*"))
	if err != nil || len(made) != 1 {
		return fmt.Errorf("measure the simulator: %d bundles were made, want one: %w", len(made), err)
	}
	kept, err := pushAll(ctx, env, trustFlags{}, c, made, true)
	if err == nil {
		fmt.Fprintf(env.Stderr, "measured %s\n", kept[0].RunID)
	}
	return errors.Join(err, os.RemoveAll(out))
}
