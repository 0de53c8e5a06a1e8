package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/bundle"
	"assay/lint"
	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/tests/whole"
)

const lintSpec = `apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: linted}
spec:
  workload: {model: m, precision: bf16, sequenceLengthMix: [{inputTokens: 64, outputTokens: 2, weight: 1}]}
  target: {url: "http://127.0.0.1:8000"}
  load: {concurrency: [1], duration: 2s}
`

// lintedRun leaves a bundle of three launches, each a little slower than the one
// before; precision replaces that of the document. The last letter of id is in its
// times: two runs do not share a record.
func lintedRun(t *testing.T, id, precision string) string {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	text := strings.Replace(lintSpec, "bf16", precision, 1)
	doc, faults := spec.Parse("lint.yaml", []byte(text))
	if !spec.Valid(faults) {
		t.Fatal(faults)
	}
	p, err := plan.New(*doc.Run)
	must(err)
	encoded, err := p.Encode()
	must(err)
	dir := filepath.Join(t.TempDir(), id)
	w, err := bundle.Create(dir, bundle.Header{RunID: id, Created: time.Now().Add(-time.Hour), Spec: []byte(text), Plan: encoded})
	must(err)
	must(w.SetEnvironment(record.Environment{"gpu.driver": {Value: "575.51"}, "pci.gpus": {Value: []string{}}}))
	for launch := range 3 {
		begun := time.Now().Add(time.Duration(launch-30) * time.Minute) // after the plan was frozen
		l, err := w.StartLaunch(bundle.LaunchStart{Index: launch, Order: launch, Clock: record.ClockID, Wall: begun})
		must(err)
		must(l.Events.Append(record.Event{Name: record.WindowBegin}, record.Event{At: 2e9, Name: record.WindowEnd}))
		for i := range int64(24) { // the load goes on after the window
			phase := record.Measure
			if i >= 20 {
				phase = record.Cooldown
			}
			due, took := i*100e6, int64(40e6+float64(launch)*1e6)+int64(id[len(id)-1])*1e4
			usage, first := int32(2), due+took
			must(l.Requests.Append(record.Request{
				ID: i, Phase: phase, Due: due, Sent: due + 1e4, First: &first, Done: due + took + 10e6, Result: record.OK,
				Status: 200, FinishReason: "length", UsageInput: &usage, UsageOutput: &usage, Chunks: 2,
			}))
			for seq := range int32(2) {
				must(l.Chunks.Append(record.Chunk{Request: i, Seq: seq, At: first + int64(seq)*10e6, Kind: record.Content, TextBytes: 4}))
			}
		}
		must(l.Close(bundle.LaunchEnd{Outcome: bundle.LaunchCompleted, Wall: begun.Add(3 * time.Second)}))
	}
	_, err = w.Seal(t.Context(), bundle.Completed, bundle.SealOptions{})
	must(err)
	return dir
}

func TestLint(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	a, b := lintedRun(t, "lint-a", "bf16"), lintedRun(t, "lint-b", "fp8")
	bare := filepath.Join(t.TempDir(), "bare.yaml")
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	policy, history := filepath.Join(t.TempDir(), "policy.yaml"), filepath.Join(t.TempDir(), "history.jsonl")
	for file, text := range map[string]string{
		policy: "apiVersion: assay.dev/v1alpha1\nkind: GatePolicy\nmetadata: {name: p}\nspec: {metrics: [{metric: ttft.v2, statistic: mean, margin: 0.001}]}\n",
		history: `{"version":"1.0","time":"2026-03-01T10:00:00Z","rule":"gate.v1","policy":"sha256:1","alpha":0.05,"baseline":"sha256:b3","candidate":"sha256:c1","passed":false,"verdicts":{"ttft.v2":"regressed"},"alerts":["ttft.v2"]}
{"version":"1.0","time":"2026-03-02T10:00:00Z","rule":"gate.v1","policy":"sha256:1","alpha":0.05,"baseline":"sha256:b9","candidate":"sha256:c1","passed":true,"verdicts":{"ttft.v2":"not worse"},"alerts":[]}
`,
		bare: "version: \"1.0\"\nstatements: [{metric: ttft.v2, statistic: mean, value: 0.04}]\n",
		bad:  "version: \"1.0\"\nstatements: [{metrik: ttft.v2, statistic: mean, value: fast}]\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"one bundle", []string{a}, exitOK, []string{"run lint-a (realism_grade)\nCAUTION  client-unmeasured", "to do: ", " not applicable\n"}},
		{"everything", []string{"--all", a}, exitOK, []string{"passed   no-variance (P-08)", "no need  best-of-n (P-10)"}},
		{"a pair", []string{a, b}, exitOK, []string{"run lint-a (realism_grade)\n", "run lint-b (realism_grade) against the baseline lint-a", "weak-baseline (P-01): baseline and candidate differ in 1 knobs"}},
		{"another baseline", []string{"--baseline", b, a}, exitOK, []string{"run lint-a (realism_grade) against the baseline lint-b", "precision (fp8 → bf16)"}},
		{"void", []string{"--statements", bare, a}, exitVerdict, []string{"VOID     tail-blindness (P-04)", "VOID     no-variance (P-08): ttft.v2 mean = 40.0 ms is stated without an interval; over 3 launches it is ["}},
		{"bad statements", []string{"--statements", bad, a}, exitUsage, []string{"metrik: got an unknown field", `value: got "fast", want a number`}},
		{"no statements", []string{"--statements", "nowhere.yaml", a}, exitUsage, []string{"--statements: open nowhere.yaml"}},
		{"a gate's history", []string{"--policy", policy, "--history", history, a, b}, exitVerdict, []string{"(G-07)", "(G-05)"}},
		{"not a policy", []string{"--policy", bare, a}, exitUsage, []string{"assay validate shows every fault"}},
		{"no history", []string{"--history", "nowhere.jsonl", a}, exitUsage, []string{"--history nowhere.jsonl: no verdict in it"}},
		{"no bundle", []string{}, exitUsage, []string{"want one or more bundles"}},
		{"not a bundle", []string{t.TempDir()}, exitUsage, []string{"is not a bundle"}},
		{"catalogue", []string{"--list"}, exitOK, []string{"void     P-04  tail-blindness"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stdout, stderr, code := call(t, append([]string{"lint"}, tt.args...)...)
			if code != tt.code {
				t.Errorf("exit code %d, want %d: %s", code, tt.code, stderr)
			}
			for _, want := range tt.want {
				if !strings.Contains(stdout+stderr, want) {
					t.Errorf("%q is not in\n%s%s", want, stdout, stderr)
				}
			}
		})
	}
}

func TestLintJSON(t *testing.T) {
	a, b := lintedRun(t, "lint-a", "bf16"), lintedRun(t, "lint-b", "fp8")
	stdout, stderr, code := call(t, "lint", "--json", a, b)
	var got lintReport
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != exitOK {
		t.Fatalf("%v, exit code %d: %s", err, code, stderr)
	}
	if got.Version != lintVersion || len(got.Audits) != 2 || got.Audits[0].Baseline != "" || got.Audits[1].Baseline != "lint-a" {
		t.Errorf("got %+v", got)
	}
	for _, one := range got.Audits {
		c := one.Counts
		if len(one.Results) != len(lint.All) || c.Passed+c.Found+c.NotChecked+c.NotApplicable != len(lint.All) {
			t.Errorf("%s: %d results and %+v, want %d checks", one.RunID, len(one.Results), c, len(lint.All))
		}
	}
	stdout, _, _ = call(t, "lint", "--list", "--json")
	var catalogue []lint.Entry
	if err := json.Unmarshal([]byte(stdout), &catalogue); err != nil || len(catalogue) != len(lint.All) {
		t.Errorf("catalogue of %d checks, %v, want %d", len(catalogue), err, len(lint.All))
	}
}
