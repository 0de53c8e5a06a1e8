package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/analysis/compare"
	"assay/analysis/gate"
	"assay/metric"
	"assay/stats/items"
	"assay/tests/whole"
	"assay/workload/exam"
)

// manySums are so many sums with their answers, one in a line.
const manySums = 1000

// A pupil answers sums: a tenth of them wrong, like every other pupil, and those besides
// that it is known to.
type pupil struct {
	ttft         string
	lost, gained []int
}

// script is what the pupil says to each sum, as the simulator reads it.
func (p pupil) script() []byte {
	var b bytes.Buffer
	for i := range manySums {
		text := fmt.Sprint(2 * i)
		if wrong := i%10 == 3; wrong && !slices.Contains(p.gained, i) || slices.Contains(p.lost, i) {
			text = fmt.Sprint(2*i + 1)
		}
		fmt.Fprintf(&b, "{\"prompt\": \"What is %d + %d?\", \"text\": %q}\n", i, i, text)
	}
	return b.Bytes()
}

// writeSums writes so many questions with their answers.
func writeSums(t *testing.T, file string, n int) {
	t.Helper()
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "{\"id\": \"%d\", \"prompt\": \"What is %d + %d?\", \"answer\": \"%d\"}\n", i, i, i, 2*i)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// besideEachOther evaluates both pupils under load, in one run whose launches alternate,
// and returns the bundle.
func besideEachOther(t *testing.T, baseline, candidate pupil) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, text []byte) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	sheet := filepath.Join(dir, "sums.jsonl")
	writeSums(t, sheet, manySums)
	digest, err := exam.Digest("own", sheet)
	if err != nil {
		t.Fatal(err)
	}
	target := func(name string, p pupil) string {
		address := freeAddress(t)
		return fmt.Sprintf("{url: %q, server: {restart: run, ready: {interval: 50ms}, command: [%q, sim, --addr, %q, --ttft, %s, --itl, 1ms, --answers, %q]}}",
			"http://"+address, os.Args[0], address, p.ttft, write(name, p.script()))
	}
	document := write("run.yaml", fmt.Appendf(nil, `
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: quality}
spec:
  workload: {model: sim}
  target: %s
  candidates: [{name: new, target: %s}]
  comparison: {variableUnderTest: runtime_version}
  load: {concurrency: [100], duration: 2s, warmup: {duration: 300ms}}
  evaluation:
    tasks: [{name: own, family: own, path: %q, datasetRef: %q}]
    underLoad: true
  seed: 17
  trials: {minReplicates: 3}
`, target("old.jsonl", baseline), target("new.jsonl", candidate), sheet, digest))
	if _, stderr, code := call(t, "run", document, "--out", filepath.Join(dir, "runs")); code != exitOK {
		t.Fatalf("run: exit code %d\n%s", code, stderr)
	}
	return onlyBundle(t, filepath.Join(dir, "runs"))
}

// A candidate that is 10 % faster passes a gate of speed and quality when its answers are
// as good, and does not pass, by the name of the task, when they lose a point of a hundred.
func TestQualityGate(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	old := pupil{ttft: "200ms"}
	f := func(name string, candidate pupil, quality items.Verdict, verdict gate.Verdict, code int) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := besideEachOther(t, old, candidate)
			var r compare.Report
			if got := answer(t, &r, "compare", dir, "--json"); got != exitOK {
				t.Fatalf("compare: exit code %d", got)
			}
			compared := r.Comparisons[0]
			if q := compared.Quality.Rows[0]; q.Task != "own" || q.Verdict != quality || q.Items < manySums/2 {
				t.Errorf("compare: %s is %s on %d items, want %s", q.Task, q.Verdict, q.Items, quality)
			}
			var g gate.Result
			got := answer(t, &g, "gate", dir+"@baseline", dir+"@new", "--policy", "../../examples/gate/quality.yaml", "--json")
			tooBusy(t, g)
			if got != code {
				t.Errorf("gate: exit code %d, want %d: %+v", got, code, g.Reasons)
			}
			speed := g.Metrics[0]
			switch {
			case !strings.HasPrefix(speed.Key, metric.E2E.ID):
				t.Errorf("gate: %s comes first, want the time of an answer", speed.Key)
			case verdict == gate.NotWorse && (speed.Verdict != gate.NotWorse || speed.Ratio.Value > .95):
				t.Errorf("gate: %+v, want the candidate shown to be faster", speed)
			case verdict != gate.NotWorse && (speed.Verdict != gate.Inconclusive || !strings.Contains(speed.Reason, "quality-reached")):
				t.Errorf("gate: %+v, want no verdict about the speed of worse answers", speed)
			}
			if a := g.Accuracy[0]; a.Verdict != verdict || a.Metric != "own at concurrency=100" {
				t.Errorf("gate: %s is %s, want %s", a.Metric, a.Verdict, verdict)
			}
			named := slices.ContainsFunc(g.Reasons, func(r gate.Reason) bool { return r.Kind == "accuracy" && strings.HasPrefix(r.About, "own") })
			if g.Passed == named || g.Passed != (verdict == gate.NotWorse) {
				t.Errorf("gate: passed %v for %+v, want the task named when it does not", g.Passed, g.Reasons)
			}
		})
	}
	f("as good", pupil{"180ms", []int{100}, []int{3}}, items.Equivalent, gate.NotWorse, exitAdvisory)
	f("a point worse", pupil{"180ms", []int{100, 200, 300, 400, 500, 600, 700, 800, 900, 990}, nil}, items.Worse, gate.Regressed, exitAdvisoryBad)
}

// answer calls the program, reads what it printed and returns its exit code.
func answer(t *testing.T, into any, args ...string) int {
	t.Helper()
	stdout, stderr, code := call(t, args...)
	if err := json.Unmarshal([]byte(stdout), into); err != nil {
		t.Fatalf("%v: exit code %d, %v\n%s", args, code, err, stderr)
	}
	return code
}

// tooBusy ends a test on a host that could not measure what was asked: a client that was
// in its own way forbids every verdict, and rightly so.
func tooBusy(t *testing.T, g gate.Result) {
	t.Helper()
	for _, r := range g.Reasons {
		if r.Kind == "audit" && strings.HasPrefix(r.About, "client-") {
			t.Skipf("the host is too busy to measure, run it on an idle one: %s", r.Why)
		}
	}
}
