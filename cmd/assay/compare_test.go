package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/analysis/compare"
	"assay/analysis/gate"
	"assay/analysis/scene"
	"assay/tests/whole"
)

const sceneDocument = `
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: scene}
spec:
  workload: {model: m, precision: bf16}
  target: {url: "http://127.0.0.1:8101", server: {command: [engine, --version, "1"]}}
  load: {concurrency: [1], duration: 1s, calibrate: false}
`

// buildScene writes a bundle and returns its folder.
func buildScene(t *testing.T, dir, id string, slow []float64, replace ...string) string {
	t.Helper()
	r := scene.Run{Dir: filepath.Join(dir, id), ID: id, Document: strings.NewReplacer(replace...).Replace(sceneDocument), Launches: scene.Launches(slow)}
	if _, err := r.Build(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r.Dir
}

// TestCompareCommand refuses to call controlled a pair that differs in two
// things, names both, and ends with 3 under the publication policy.
func TestCompareCommand(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	dir := t.TempDir()
	base := buildScene(t, dir, "base", scene.Noise(4, 1, .005, 1))
	newer := buildScene(t, dir, "newer", scene.Noise(4, .9, .005, 2), `"1"`, `"2"`)
	two := buildScene(t, dir, "two", scene.Noise(4, .9, .005, 3), `"1"`, `"2"`, "bf16", "fp8", "model: m", "model: m, batchingPolicy: static")

	tests := []struct {
		name string
		args []string
		code int
		out  []string
		err  []string
	}{
		{"controlled", []string{"compare", base, newer, "--policy", "publication"}, exitOK, []string{"newer beside base: CONTROLLED, only runtime_version differs", "TTFT p50", "better"}, nil},
		{"two things", []string{"compare", base, two}, exitOK, []string{"two beside base: EXPLORATORY, besides runtime_version 2 things differ: spec.workload.batchingPolicy, spec.workload.precision"}, nil},
		{"two things, published", []string{"compare", base, two, "--policy", "publication"}, exitVerdict, []string{"EXPLORATORY"}, []string{"spec.workload.batchingPolicy: as_served → static", "spec.workload.precision: bf16 → fp8"}},
		{"another variable", []string{"compare", base, newer, "--policy", "publication", "--variable", "driver_stack"}, exitVerdict, []string{"spec.target.server.command --version"}, []string{"besides driver_stack"}},
		{"three", []string{"compare", base, newer, two, "--baseline", newer, "--format", "md"}, exitOK, []string{"### engines at concurrency=1, verdicts beside newer", "| newer |", "| base |"}, nil},
		{"the order of launches", []string{"compare", base, newer}, exitOK, []string{"CAUTION unpaired-drift (pair): all launches of the baseline came before those of the candidate"}, nil},
		{"for CI", []string{"compare", base, newer, "--format", "junit"}, exitOK, []string{`<testcase classname="newer" name="ttft.v2 p50 at concurrency=1">`}, nil},
		{"as a table", []string{"compare", base, newer, "--format", "csv"}, exitOK, []string{"base,newer,true,concurrency=1,ttft.v2,TTFT,p50,s,lower"}, nil},
		{"again", []string{"compare", base, newer, "--again", "-o", filepath.Join(dir, "again")}, exitOK, []string{"both systems in one run, in interleaved blocks", "assay run"}, nil},
		{"again, other questions", []string{"compare", base, two, "--again", "-o", filepath.Join(dir, "never")}, exitUsage, nil, []string{"asked different things", "spec.workload.precision: bf16 → fp8"}},
		{"one", []string{"compare", base}, exitUsage, nil, []string{"want a second bundle"}},
		{"none", []string{"compare"}, exitUsage, nil, []string{"got no bundle"}},
		{"the same twice", []string{"compare", base, newer, base}, exitUsage, nil, []string{"given twice"}},
		{"no bundle", []string{"compare", base, dir}, exitUsage, nil, []string{"is not a bundle"}},
		{"a side that is not there", []string{"compare", base, base + "@x"}, exitUsage, nil, []string{"side \"x\""}},
		{"a wrong variable", []string{"compare", base, newer, "--variable", "weather"}, exitUsage, nil, []string{"want one of hardware_generation"}},
		{"a wrong margin", []string{"compare", base, newer, "--margin", "2"}, exitUsage, nil, []string{"want a share"}},
		{"a wrong policy", []string{"compare", base, newer, "--policy", "x"}, exitUsage, nil, []string{"want publication or exploratory"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, stderr, code := call(t, tt.args...)
			if code != tt.code {
				t.Errorf("exit code %d, want %d; %s", code, tt.code, stderr)
			}
			for _, want := range tt.out {
				if !strings.Contains(out, want) {
					t.Errorf("stdout lacks %q:\n%s", want, out)
				}
			}
			for _, want := range tt.err {
				if !strings.Contains(stderr, want) {
					t.Errorf("stderr lacks %q:\n%s", want, stderr)
				}
			}
		})
	}
	out, _, _ := call(t, "compare", base, newer, "--json")
	var r compare.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil || r.Rule != compare.Rule || len(r.Comparisons) != 1 || len(r.Comparisons[0].Rows) == 0 {
		t.Errorf("JSON %v: %+v", err, r)
	}
}

func TestGateCommand(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	dir := t.TempDir()
	base := buildScene(t, dir, "base", scene.Noise(4, 1, .005, 1))
	same := buildScene(t, dir, "same", scene.Noise(4, 1, .005, 2))
	slow := buildScene(t, dir, "slow", scene.Noise(4, 1.2, .005, 3), `"1"`, `"2"`)
	again := buildScene(t, dir, "again", scene.Noise(4, 1.2, .005, 4), `"1"`, `"2"`)
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	policy := file("policy.yaml", `
apiVersion: assay.dev/v1alpha1
kind: GatePolicy
metadata: {name: release}
spec:
  grade: exploratory
  metrics: [{metric: ttft.v2, statistic: p50, margin: 0.05}]
  accuracy: [{metric: gsm8k, tolerance: 0.01}]
`)
	accuracy := file("accuracy.json", `[{"metric": "gsm8k", "value": 0, "interval": [-0.005, 0.005], "confidence": 0.95}]`)
	strict := file("strict.yaml", strings.Replace(read(t, policy), "exploratory", "publication", 1))
	misspelt := file("misspelt.yaml", strings.Replace(read(t, policy), "margin", "margins", 1))
	history, junit, markdown, table := filepath.Join(dir, "history.jsonl"), filepath.Join(dir, "junit.xml"), filepath.Join(dir, "gate.md"), filepath.Join(dir, "gate.csv")

	tests := []struct {
		name string
		args []string
		code int
		want string
	}{
		{"itself", []string{base, same, "--policy", policy, "--accuracy", accuracy}, exitAdvisory, "gate release: ADVISORY, NOTHING AGAINST IT: base is of exploratory grade"},
		{"slower", []string{base, slow, "--policy", policy, "--accuracy", accuracy, "--confirm", again}, exitAdvisoryBad, "ttft.v2 p50 at concurrency=1: regressed"},
		{"without accuracy", []string{base, same, "--policy", policy}, exitAdvisoryBad, "gsm8k: missing"},
		{"not of the grade", []string{base, same, "--policy", strict, "--accuracy", accuracy}, exitAdvisoryBad, "the policy wants publication"},
		{"no policy", []string{base, same}, exitUsage, "got no --policy"},
		{"a wrong policy", []string{base, same, "--policy", misspelt}, exitUsage, "spec.metrics[0].margins"},
		{"the same twice", []string{base, base, "--policy", policy}, exitUsage, "given twice"},
		{"one bundle", []string{base, "--policy", policy}, exitUsage, "missing argument: a baseline and a candidate"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			args := append([]string{"gate", "--history", history, "--junit", junit, "--markdown", markdown, "--csv", table}, tt.args...)
			out, stderr, code := call(t, args...)
			if code != tt.code || !strings.Contains(out+stderr, tt.want) {
				t.Errorf("exit code %d, want %d and %q\n%s%s", code, tt.code, tt.want, out, stderr)
			}
		})
	}
	entries, err := gate.ReadHistory(history)
	if err != nil || len(entries) != 4 || !entries[0].Passed || !entries[0].Same || entries[1].Passed || len(entries[1].Alerts) != 1 || entries[1].Confirmation == "" {
		t.Errorf("history %+v, %v: want the four verdicts", entries, err)
	}
	if text := read(t, junit); !strings.Contains(text, `failures="2"`) || !strings.Contains(text, `classname="grade"`) {
		t.Errorf("JUnit of the last verdict:\n%s", text)
	}
	if text := read(t, table); !strings.Contains(text, "release,false,true,guard,error rate at concurrency=1,not worse") {
		t.Errorf("CSV of the last verdict:\n%s", text)
	}
	if text := read(t, markdown); !strings.Contains(text, "| metric | verdict |") {
		t.Errorf("Markdown of the last verdict:\n%s", text)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
