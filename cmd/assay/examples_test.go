package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"assay/analysis/gate"
	"assay/bundle"
	"assay/judge"
	"assay/plan"
	"assay/spec"
	"assay/tests/whole"
	"assay/unit"
)

// standIn lists the examples that are run, all of them shortened, with the
// simulator in place of the server that they name. The others speak an API that
// the simulator does not, or are run by a guide.
var standIn = []string{
	"vllm.yaml", "tensorrt-llm.yaml", "multi-turn.yaml", "agent-trace.yaml", "ab-engines.yaml", "minimal.yaml", "open-loop.yaml",
}

// Every example that the simulator can stand in for runs, completes and holds
// answers at each of its points.
func TestExamplesRun(t *testing.T) {
	whole.Only(t)
	for _, name := range standIn {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // they mostly wait for what they measure
			source, err := os.ReadFile("../../examples/" + name)
			if err != nil {
				t.Fatal(err)
			}
			document, err := parseRun(name, source)
			if err != nil {
				t.Fatal(err)
			}
			short, err := spec.WriteYAML(shortened(t, document))
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			file := filepath.Join(dir, name)
			if err := os.WriteFile(file, short, 0o644); err != nil {
				t.Fatal(err)
			}
			stdout, stderr, code := call(t, "run", file, "--out", filepath.Join(dir, "runs"))
			if code != exitOK {
				t.Fatalf("exit code %d, want 0:\n%s%s", code, stdout, stderr)
			}
			b, err := bundle.Open(onlyBundle(t, filepath.Join(dir, "runs")))
			if err != nil {
				t.Fatal(err)
			}
			p, err := judge.Plan(b)
			if err != nil {
				t.Fatal(err)
			}
			if b.Manifest.Status != bundle.Completed {
				t.Errorf("status %s, want completed", b.Manifest.Status)
			}
			checkAnswered(t, b, p)
		})
	}
}

// shortened is a run of a few seconds against the simulator.
func shortened(t *testing.T, r spec.Run) spec.Run {
	t.Helper()
	s := &r.Spec
	simulated := func(target *spec.Target) {
		address := freeAddress(t)
		target.URL = "http://" + address
		target.Server = &spec.Server{
			Command: []string{os.Args[0], "sim", "--addr", address, "--model", s.Workload.Model, "--ttft", "5ms", "--itl", "1ms"},
			Ready:   spec.Ready{Interval: unit.Duration(20 * time.Millisecond)},
			Restart: spec.RestartRun,
		}
	}
	simulated(s.Target)
	for i := range s.Candidates {
		simulated(&s.Candidates[i].Target)
	}
	s.Load.Duration = unit.Duration(700 * time.Millisecond)
	s.Load.Warmup = &spec.Warmup{Duration: unit.Duration(200 * time.Millisecond)}
	for i, users := range s.Load.Concurrency {
		s.Load.Concurrency[i] = min(users, 4+i) // still different, and light enough for a test
	}
	for i := range s.Load.Rate {
		s.Load.Rate[i] = float64(20 + i) // enough to come in so short a window
	}
	s.Trials.MinReplicates = 3
	if session := s.Workload.Session; session != nil {
		session.ThinkTime = min(session.ThinkTime, unit.Duration(20*time.Millisecond))
	}
	if trace := s.Load.Trace; trace != nil {
		trace.Path = filepath.Join("../..", trace.Path)
		s.Load.Duration = unit.Duration(8 * time.Second) // its tools take their recorded time
	}
	return r
}

func checkAnswered(t *testing.T, b *bundle.Bundle, p plan.Plan) {
	t.Helper()
	j, err := judge.Of(b, judge.Options{Version: version()})
	if err != nil {
		t.Fatal(err)
	}
	for _, point := range p.Points {
		if _, ok := j.Estimates.Find("e2e.v2", "p50", point.Index); !ok {
			t.Errorf("%s has no end-to-end latency: nothing was answered", point.Name)
		}
	}
}

// The workflow for GitHub Actions does what it says: its own steps fail where the
// candidate is slower, and pass where the gate has nothing against it. Whether it has
// is not ours to say: a busy machine makes void runs.
func TestWorkflow(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	text, err := os.ReadFile("../../examples/github-actions/performance.yml")
	if err != nil {
		t.Fatal(err)
	}
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct{ Run, If string }
		}
	}
	if err := yaml.Unmarshal(text, &workflow); err != nil {
		t.Fatal(err)
	}
	steps := workflow.Jobs["gate"].Steps
	if len(steps) < 4 {
		t.Fatalf("the workflow has %d steps, want those that measure and judge", len(steps))
	}
	script := "set -euo pipefail\nfailed=0\n"
	for _, step := range steps {
		switch {
		case step.Run == "":
		case step.If == "always()":
			script += "( set -e\n" + step.Run + "\n) || exit 1\n"
		default:
			script += "if [ $failed = 0 ]; then ( set -e\n" + step.Run + "\n) || failed=$?; fi\n"
		}
	}
	script += "exit $failed\n"
	for _, tt := range []struct{ name, slower string }{{"same", ""}, {"slower", "--itl, 15ms"}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := workflowFolder(t, tt.slower)
			cmd := exec.CommandContext(t.Context(), "bash", "-c", script)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "PATH="+dir+"/bin:"+os.Getenv("PATH"), "GITHUB_STEP_SUMMARY="+dir+"/summary.md")
			out, err := cmd.CombinedOutput()
			entries, historyErr := gate.ReadHistory(filepath.Join(dir, "gate.jsonl"))
			if historyErr != nil || len(entries) != 1 {
				t.Fatalf("%d verdicts (%v), want one; the steps said %v\n%s", len(entries), historyErr, err, out)
			}
			want := exitAdvisoryBad
			if entries[0].Passed {
				want = exitOK
			}
			if code := cmd.ProcessState.ExitCode(); code != want || !entries[0].Advisory || tt.slower != "" && entries[0].Passed {
				t.Fatalf("exit code %d (%v) of %+v, want %d:\n%s", code, err, entries[0], want, out)
			}
			summary, err := os.ReadFile(filepath.Join(dir, "summary.md"))
			if err != nil || !strings.Contains(string(summary), "tpot.v1") {
				t.Errorf("the summary lacks the gated metric (%v):\n%s", err, summary)
			}
		})
	}
}

// workflowFolder is a repository with the example's documents, on ports of its
// own, and assay on its path.
func workflowFolder(t *testing.T, slower string) string {
	t.Helper()
	dir := t.TempDir()
	for _, sub := range []string{"bin", "examples/gate"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(dir, "bin/assay")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"examples/pull-request.yaml", "examples/gate/pull-request.yaml"} {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		document := string(text)
		for _, old := range []string{"127.0.0.1:8111", "127.0.0.1:8112"} {
			document = strings.ReplaceAll(document, old, freeAddress(t))
		}
		if slower != "" {
			// The last one is the candidate's.
			matches := regexp.MustCompile(`--itl, 5ms`).FindAllStringIndex(document, -1)
			if n := len(matches); n > 0 {
				document = document[:matches[n-1][0]] + slower + document[matches[n-1][1]:]
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(document), 0o644); err != nil {
			t.Fatal(fmt.Errorf("%s: %w", name, err))
		}
	}
	return dir
}
