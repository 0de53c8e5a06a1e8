package main

import (
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/accuracy/changes"
	"assay/sim"
	"assay/sim/simtest"
)

// sums are six sums with their answers.
const sums = `{"id": "one", "prompt": "What is 1 + 1?", "answer": "2"}
{"id": "two", "prompt": "What is 2 + 2?", "answer": "4"}
{"id": "three", "prompt": "What is 3 + 3?", "answer": "6"}
{"id": "four", "prompt": "What is 4 + 4?", "answer": "8"}
{"id": "five", "prompt": "What is 5 + 5?", "answer": "10"}
{"id": "six", "prompt": "What is 6 + 6?", "answer": "12"}
`

// evaluate asks a simulator with a script and returns the bundle.
func evaluate(t *testing.T, script string, more ...string) string {
	t.Helper()
	rows, err := sim.ReadScript(strings.NewReader(script))
	if err != nil {
		t.Fatal(err)
	}
	url := simtest.Serve(t, sim.Config{Fixed: &sim.Fixed{}, Script: rows})
	dir := t.TempDir()
	file := filepath.Join(dir, "sums.jsonl")
	if err := os.WriteFile(file, []byte(sums), 0o644); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"eval", url, "--task", "own=" + file, "--quick", "--quiet", "--concurrency", "1", "-o", filepath.Join(dir, "runs")}, more...)
	if _, stderr, code := call(t, args...); code != exitOK {
		t.Fatalf("eval: exit %d\n%s", code, stderr)
	}
	bundles, err := filepath.Glob(filepath.Join(dir, "runs", "*"))
	if err != nil || len(bundles) != 1 {
		t.Fatalf("bundles %v: %v", bundles, err)
	}
	return bundles[0]
}

// inSchema calls the program, holds what it prints against the schema of that kind, and reads
// it.
func inSchema(t *testing.T, kind string, into any, args ...string) {
	t.Helper()
	stdout, stderr, code := call(t, args...)
	if code != exitOK {
		t.Fatalf("%v: exit %d\n%s", args, code, stderr)
	}
	matchesSchema(t, kind, stdout)
	if err := json.Unmarshal([]byte(stdout), into); err != nil {
		t.Fatal(err)
	}
}

// Two evaluations of the same questions, whose answers differ in every way there is.
func TestDiffAnswers(t *testing.T) {
	t.Parallel()
	a := evaluate(t, `{"prompt": "1 + 1", "text": "2"}
{"prompt": "2 + 2", "text": "4"}
{"prompt": "3 + 3", "text": "five"}
{"prompt": "4 + 4", "text": "seven"}
{"prompt": "5 + 5", "fault": "html-500"}
{"prompt": "6 + 6", "text": "12"}`)
	b := evaluate(t, `{"prompt": "1 + 1", "text": "2"}
{"prompt": "2 + 2", "text": "<b>5</b>"}
{"prompt": "3 + 3", "text": "6"}
{"prompt": "4 + 4", "text": "nine"}
{"prompt": "5 + 5", "text": "10"}
{"prompt": "6 + 6", "fault": "html-500"}`)
	var report changes.Report
	inSchema(t, "diff-answers", &report, "diff-answers", "--json", a, b)
	want := map[changes.Kind]string{changes.Lost: "two", changes.Gained: "three", changes.Changed: "four", changes.FailedA: "five", changes.FailedB: "six"}
	for _, item := range report.Items {
		if want[item.Kind] != item.Item {
			t.Errorf("%s is %s, want %s", item.Item, item.Kind, want[item.Kind])
		}
	}
	if len(report.Items) != len(want) || report.Tasks[0].Counts[changes.Same] != 1 {
		t.Errorf("%d items, want %d; counts %v", len(report.Items), len(want), report.Tasks[0].Counts)
	}
	text, _, _ := call(t, "diff-answers", a, b, "--only", "flips")
	for _, part := range []string{"right to wrong", "RIGHT TO WRONG  own two", "WRONG TO RIGHT  own three", `score 0, extracted "<b>5</b>"`, "What is 2 + 2?"} {
		if !strings.Contains(text, part) {
			t.Errorf("the text lacks %s:\n%s", part, text)
		}
	}
	if strings.Contains(text, "own four") {
		t.Errorf("--only flips lists another text with the same mark:\n%s", text)
	}
	page, stderr, code := call(t, "compare", a, b, "--format", "html")
	if code != exitOK {
		t.Fatalf("compare: exit %d\n%s", code, stderr)
	}
	for _, part := range []string{"2 of 2, from the first launch", "own two at concurrency=1", "expected <q>4</q>, baseline <q>4</q>, candidate <q>&lt;b&gt;5&lt;/b&gt;</q>"} {
		if !strings.Contains(page, part) {
			t.Errorf("the page of the comparison lacks %s", part)
		}
	}
}

// Two loads of one bundle, one of which gets another answer.
func TestDiffAnswersOfPoints(t *testing.T) {
	t.Parallel()
	dir := evaluate(t, `{"text": "2"}`, "--concurrency", "1,3")
	stdout, stderr, code := call(t, "diff-answers", dir, "--points", "concurrency=1,concurrency=3")
	if code != exitOK || !strings.Contains(stdout, "concurrency=3") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
	for _, bad := range [][]string{
		{"diff-answers", dir}, {"diff-answers", dir, dir, "--only", "all"}, {"diff-answers", dir, dir, "--task", "another"},
		{"diff-answers", dir, "--points", "concurrency=1,concurrency=2"}, {"diff-answers", dir, dir, "--limit", "-1"}, {"diff-answers"},
	} {
		if _, stderr, code := call(t, bad...); code != exitUsage {
			t.Errorf("%v: exit %d, want %d\n%s", bad, code, exitUsage, stderr)
		}
	}
}

// Two servers that say the same letter and are not equally sure of it.
func TestDiffAnswersDivergence(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "choices.jsonl")
	if err := os.WriteFile(file, []byte(`{"id": "one", "prompt": "What is 1 + 1?", "choices": ["2", "3"], "target": 0}`), 0o600); err != nil {
		t.Fatal(err)
	}
	asked := func(sure float64) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var body struct{ Stream bool }
			if json.NewDecoder(r.Body).Decode(&body) != nil { // a look at the server's metrics
				http.NotFound(w, r)
				return
			}
			top := []any{map[string]any{"token": "A", "logprob": math.Log(sure)}, map[string]any{"token": "B", "logprob": math.Log(1 - sure)}}
			speak(w, "A", "length", map[string]any{"content": []any{map[string]any{"token": "A", "logprob": math.Log(sure), "top_logprobs": top}}}, 3, body.Stream, true)
		}))
		defer server.Close()
		out := t.TempDir()
		args := []string{"eval", server.URL, "--model", "m", "--quick", "--quiet", "-o", out, "--concurrency", "1", "--task", "own:top-logprobs=" + file}
		if _, stderr, code := call(t, args...); code != exitOK {
			t.Fatalf("assay eval: exit code %d\n%s", code, stderr)
		}
		return onlyBundle(t, out)
	}
	a, b := asked(.5), asked(.75)
	var report changes.Report
	inSchema(t, "diff-answers", &report, "diff-answers", "--json", a, b)
	want := .5*math.Log(.5/.75) + .5*math.Log(.5/.25)
	if d := report.Tasks[0].Divergence; d == nil || d.Positions != 1 || math.Abs(d.MeanKL-want) > 1e-9 || d.SameTop != 1 {
		t.Errorf("got %+v, want %v at one position with the same likeliest token", d, want)
	}
	if text, _, _ := call(t, "diff-answers", a, b); !strings.Contains(text, "own-top-logprobs          1          1        100.00 %   0.1438      0.1438") {
		t.Errorf("the text lacks the divergence:\n%s", text)
	}
}
