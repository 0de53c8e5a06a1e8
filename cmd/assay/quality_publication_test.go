package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"assay/analysis/gate"
	"assay/lint"
	"assay/tests/whole"
	"assay/workload/exam"
)

// publishedSides is the example of a publication made into a comparison of two pupils in
// one run, each started anew for every launch and evaluated under load.
func publishedSides(t *testing.T, dir string, baseline, candidate pupil) string {
	t.Helper()
	text, err := os.ReadFile("../../examples/publication-simulator.yaml")
	if err != nil {
		t.Fatal(err)
	}
	sheet := filepath.Join(dir, "sums.jsonl")
	writeSums(t, sheet, manySums)
	digest, err := exam.Digest("own", sheet)
	if err != nil {
		t.Fatal(err)
	}
	target := func(name string, p pupil) string {
		script := filepath.Join(dir, name+".jsonl")
		if err := os.WriteFile(script, p.script(), 0o644); err != nil {
			t.Fatal(err)
		}
		address := freeAddress(t)
		return fmt.Sprintf("{url: %q, model: sim, server: {restart: launch, ready: {interval: 20ms}, command: [%q, sim, --addr, %q, --ttft, %s, --itl, 1ms, --answers, %q]}}",
			"http://"+address, os.Args[0], address, p.ttft, script)
	}
	document := string(text)
	document = regexp.MustCompile(`(?ms)^  target:\n.*?^  #`).ReplaceAllLiteralString(document, fmt.Sprintf(
		"  target: %s\n  candidates: [{name: new, target: %s}]\n  evaluation: {tasks: [{name: own, family: own, path: %q, datasetRef: %q}], underLoad: true}\n  #",
		target("old", baseline), target("new", candidate), sheet, digest))
	document = regexp.MustCompile(`artifactRef: published-simulator@\S+`).ReplaceAllString(document, "artifactRef: self")
	document = regexp.MustCompile(`(?s)    prompt:\n.*?spread: 0.5\n`).ReplaceAllString(document, "")
	return strings.NewReplacer("suite: [gsm8k]", "suite: [own]", "datasetRef: synthetic", fmt.Sprintf("datasetRef: %q", digest),
		"pathTemplate: runs/", "pathTemplate: "+filepath.Join(dir, "kept")+"/", "concurrency: [12]", "concurrency: [100]", "    ignoreEOS: true\n", "",
		"duration: 10s", "duration: 4s", "duration: 4s", "duration: 1500ms", "minReplicates: 10", "minReplicates: 3").Replace(document)
}

// At publication grade the verdict about speed and quality counts: exit 0 for a candidate
// that is faster and as good, exit 3 for one that is faster and a point worse. That grade
// wants a machine for itself (make bench-quality-gate); on a busy one the test says so and
// judges nothing.
func TestQualityGatePublished(t *testing.T) {
	whole.Quiet(t)
	f := func(name string, candidate pupil, accuracy gate.Verdict, code int) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			document, key, out := filepath.Join(dir, "run.yaml"), filepath.Join(dir, "run.key"), filepath.Join(dir, "runs")
			if err := os.WriteFile(document, []byte(publishedSides(t, dir, pupil{ttft: "200ms"}, candidate)), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, stderr, code := call(t, "keygen", "--out", key); code != exitOK {
				t.Fatal(stderr)
			}
			if _, stderr, code := call(t, "run", document, "--key", key, "--out", out); code != exitOK {
				t.Fatalf("run: exit code %d\n%s", code, stderr)
			}
			policy, err := os.ReadFile("../../examples/gate/quality.yaml")
			if err != nil {
				t.Fatal(err)
			}
			strict := filepath.Join(dir, "policy.yaml")
			if err := os.WriteFile(strict, []byte(strings.Replace(string(policy), "grade: exploratory", "grade: publication", 1)), 0o644); err != nil {
				t.Fatal(err)
			}
			bundle := onlyBundle(t, out)
			var g gate.Result
			got := answer(t, &g, "gate", bundle+"@baseline", bundle+"@new", "--policy", strict, "--json")
			tooBusy(t, g)
			if len(g.Accuracy) != 1 || g.Accuracy[0].Verdict != accuracy {
				t.Errorf("the answers are %+v, want %s", g.Accuracy, accuracy)
			}
			for _, r := range g.AdvisoryReasons {
				if slices.ContainsFunc(lint.Isolation, func(check string) bool { return strings.Contains(r, check+":") }) {
					t.Skipf("the host is shared, so that nothing reaches publication grade: %s", r)
				}
				t.Errorf("the verdict is advisory: %s", r)
			}
			if got != code {
				t.Errorf("gate: exit code %d, want %d: %+v", got, code, g.Reasons)
			}
		})
	}
	f("as good", pupil{"180ms", []int{100}, []int{3}}, gate.NotWorse, exitOK)
	f("a point worse", pupil{"180ms", []int{100, 200, 300, 400, 500, 600, 700, 800, 900, 990}, nil}, gate.Regressed, exitVerdict)
}
