package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"text/template"

	"github.com/spf13/cobra"
)

// demoSpec is a complete question in a few lines. The simulator is started anew
// for each launch, as a real server would be.
var demoSpec = template.Must(template.New("demo").Parse(`apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata:
  name: demo
spec:
{{- with .Seed}}
  seed: {{.}}
{{- end}}
  workload:
    model: sim
    tokenizer: {kind: server}
    sequenceLengthMix:
      - {inputTokens: 256, outputTokens: 32, weight: 1}
  target:
    url: http://{{.Addr}}
    server:
      command: [{{printf "%q" .Binary}}, sim, --addr, {{.Addr}}]
      ready: {timeout: 10s, interval: 50ms}
  load:
    concurrency: [1, 4, 16]
    duration: {{.Duration}}
    warmup: {duration: 1s}
  trials:
    minReplicates: {{.Launches}}
`))

func demoCommand(env Env) *cobra.Command {
	var out, duration string
	var launches int
	var seed int64
	var asJSON bool
	var shown progressFlags
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Try assay on a simulated server",
		Long: `Demo shows the whole line on this machine alone: it starts the simulated
engine, offers closed-loop load at three levels in several fresh launches, seals
and signs the bundle with a key made for it, prints the report and verifies the
bundle. It needs no network, no root and no accelerator.`,
		Args: exactArgs(0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			source, err := demoSource(duration, launches, seed)
			if err != nil {
				return err
			}
			document, err := parseRun("demo.yaml", source)
			if err != nil {
				return err
			}
			keyFile, err := demoKey(out)
			if err != nil {
				return err
			}
			j := job{source: source, run: document, out: out, keyFile: keyFile, format: "text", progress: shown}
			if err := j.drawSeed("demo.yaml"); err != nil {
				return err
			}
			fmt.Fprintf(env.Stderr, "measuring the simulator: %d launches of 3 points, %s each\n", launches, duration)
			story := env
			if asJSON {
				j.format, story.Stdout = "json", env.Stderr // one document on standard output
			}
			dir, err := carryOut(cmd.Context(), env, j)
			if err != nil {
				return err
			}
			fmt.Fprintln(story.Stdout)
			return verify(story, dir, []string{keyFile + ".pub"}, false)
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "runs", "folder in which the bundle is made")
	cmd.Flags().StringVar(&duration, "duration", "6s", "measured time of each point")
	cmd.Flags().IntVar(&launches, "launches", 3, "fresh starts of the simulator, at least 3")
	cmd.Flags().Int64Var(&seed, "seed", 0, "seed of every random choice; a new one for each demo without it")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	shown.register(cmd.Flags())
	return cmd
}

// demoSource fills the spec with this binary and a free port.
func demoSource(duration string, launches int, seed int64) ([]byte, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	addr, err := freeLoopback()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = demoSpec.Execute(&b, map[string]any{"Addr": addr, "Binary": binary, "Duration": duration, "Launches": launches, "Seed": seed})
	return b.Bytes(), err
}

// freeLoopback is an address that nobody listens on yet.
func freeLoopback() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	return listener.Addr().String(), listener.Close()
}

// demoKey returns the demo's own key, made at the first demo. It proves that a
// bundle was not changed since, and nothing about who made it.
func demoKey(out string) (string, error) {
	path := filepath.Join(out, "demo.key")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return "", err
	}
	_, err := newKeyPair(path)
	return path, err
}
