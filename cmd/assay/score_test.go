package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/accuracy"
)

// lengths is an address that scores answers by their length, and nothing that it calls
// too long.
func lengths(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Batch []struct{ ID, Prediction string }
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		var replies []string
		for _, item := range asked.Batch {
			if len(item.Prediction) > 20 {
				replies = append(replies, fmt.Sprintf(`{"id": %q, "error": "too long"}`, item.ID))
				continue
			}
			replies = append(replies, fmt.Sprintf(`{"id": %q, "scores": {"length": %d}, "signature": "lengths 1"}`, item.ID, len(item.Prediction)))
		}
		fmt.Fprintf(w, `{"scores": [%s]}`, strings.Join(replies, ","))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// parrot answers every question with its last word.
func parrot(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Stream   bool
			Messages []struct{ Content string }
		}
		if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&asked) != nil || len(asked.Messages) == 0 {
			http.NotFound(w, r)
			return
		}
		words := strings.Fields(asked.Messages[0].Content)
		speak(w, words[len(words)-1], "stop", nil, len(words), asked.Stream, true)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// scoredRun evaluates the parrot with one scorer, which is at an address, and returns the
// report and the bundle.
func scoredRun(t *testing.T, scorer string) (accuracy.Report, string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "own.jsonl")
	if err := os.WriteFile(file, []byte(`{"id": "a", "prompt": "say yes", "answer": "yes"}
{"id": "b", "prompt": "say maybe", "answer": "no"}
{"id": "c", "prompt": "say aVeryLongWordThatNobodyScores", "answer": "x"}
`), 0o644); err != nil {
		t.Fatal(err)
	}
	text, stderr, code := call(t, "eval", parrot(t), "--model", "m", "--quick", "--api", "openai-chat", "--task", "own="+file, "--print-spec",
		"--grader", "exact_match")
	if code != exitOK {
		t.Fatal(stderr)
	}
	text = strings.Replace(text, "exact_match", "\"scorer:s/length\", exact_match", 1)
	text = strings.Replace(text, "  evaluation:\n", "  evaluation:\n    scorers:\n      - {name: s, url: '"+scorer+"', scores: [length], timeout: 20s}\n", 1)
	document := filepath.Join(dir, "spec.yaml")
	if err := os.WriteFile(document, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := call(t, "run", document, "--json", "-o", filepath.Join(dir, "runs"))
	if code != exitOK {
		t.Fatalf("exit code %d\n%s\n%s", code, stderr, text)
	}
	var r struct{ Accuracy accuracy.Report }
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	bundles, err := filepath.Glob(filepath.Join(dir, "runs", "*"))
	if err != nil || len(bundles) != 1 {
		t.Fatal(bundles, err)
	}
	return r.Accuracy, bundles[0]
}

// A run asks its scorers before it is sealed, and what they said is sealed with it.
func TestScorerOfARun(t *testing.T) {
	t.Parallel()
	r, dir := scoredRun(t, lengths(t))
	s := r.Tasks[0].Points[0].Scores[0]
	if s.Grader != "scorer:s/length" || s.Estimate.Value != 4 || s.Graded != 2 || s.Unscored != 1 || s.Signature != "lengths 1" {
		t.Errorf("score %+v", s)
	}
	if out, stderr, code := call(t, "verify", dir); code != exitOK {
		t.Errorf("verify: %d\n%s%s", code, out, stderr)
	}
	// Graded again, its scores are those that were sealed: nobody is asked.
	out, stderr, code := call(t, "report", dir, "--format", "json")
	if code != exitOK || !strings.Contains(out, "lengths 1") {
		t.Errorf("report: %d\n%s", code, stderr)
	}
	if err := os.WriteFile(filepath.Join(dir, "scores", "s.json"), []byte(`{"rows": []}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, code := call(t, "verify", dir); code == exitOK {
		t.Error("scores were changed, and the bundle verifies")
	}
}

// A scorer that is not there costs its scores and not the run, and the bundle can be scored
// later.
func TestScorerOfARunFails(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(nil)
	gone.Close()
	r, dir := scoredRun(t, gone.URL)
	scores := r.Tasks[0].Points[0].Scores
	if !strings.Contains(scores[0].Unavailable, "scorer s, after 0 of 3 answers") || scores[1].Grader != "exact_match" || scores[1].Right != 1 {
		t.Errorf("scores %+v", scores)
	}
	out, stderr, code := call(t, "score", dir, "--url", lengths(t), "--scores", "length")
	if code != exitOK || !strings.Contains(out, "scorer:given/length") || !strings.Contains(out, "made by lengths 1") {
		t.Errorf("score: %d\n%s%s", code, out, stderr)
	}
	_, stderr, code = call(t, "score", dir, "--planned", "s")
	if code != exitFailed || !strings.Contains(stderr, "scorer s, after 0 of 3 answers") {
		t.Errorf("score --planned: %d\n%s", code, stderr)
	}
}

// Lines of one id are several answers, of which a score chooses.
func TestScoreAFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "answers.jsonl")
	if err := os.WriteFile(file, []byte(`{"id": 1, "prediction": "a", "references": ["a"]}
{"id": 1, "prediction": "abc"}
{"id": 2, "prediction": "ab"}

{"id": 2, "prediction": "abcd"}
`), 0o644); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := call(t, "score", file, "--url", lengths(t), "--scores", "length", "--lower", "length", "--json")
	if code != exitOK {
		t.Fatal(stderr)
	}
	matchesSchema(t, "score", stdout)
	var got scored
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	s := got.Report.Tasks[0].Points[0].Scores[0]
	if s.Grader != "scorer:given/length:lower" || s.Estimate.Value != 2.5 || s.Graded != 4 || len(got.Grades) != 4 || got.Grades[3].Sample != 1 {
		t.Errorf("got %s", stdout)
	}
	for _, args := range [][]string{{}, {"--command", "x", "--url", "http://127.0.0.1:1", "--scores", "a"}, {"--url", "http://127.0.0.1:1"}, {"--planned", "x"}, {"--url", "http://127.0.0.1:1", "--scores", "a", "--header", "X"}, {"--kind", "rubric", "--url", "http://127.0.0.1:1"}} {
		if _, stderr, code := call(t, append([]string{"score", file}, args...)...); code != exitUsage {
			t.Errorf("score %v: exit code %d, %s", args, code, stderr)
		}
	}
}

// Two files of answers are judged in both orders, and who wins is said with its interval.
func TestJudgeAnswers(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Messages []struct{ Content string } }
		if r.Header.Get("Authorization") != "" || json.NewDecoder(r.Body).Decode(&asked) != nil {
			t.Error("asked otherwise")
		}
		verdict := "A"
		if strings.Contains(asked.Messages[0].Content, "[answer B]\ngood") {
			verdict = "B"
		}
		fmt.Fprintf(w, `{"choices": [{"message": {"content": "Verdict: %s"}}]}`, verdict)
	}))
	defer server.Close()
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first.jsonl"), filepath.Join(dir, "second.jsonl")
	for path, text := range map[string]string{
		first:  `{"id": 1, "prediction": "good"}` + "\n" + `{"id": 2, "prediction": "bad"}` + "\n" + `{"id": 3, "prediction": "bad"}`,
		second: `{"id": 1, "prediction": "bad"}` + "\n" + `{"id": 2, "prediction": "bad"}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, stderr, code := call(t, "judge-answers", first, second, "--judge", server.URL, "--model", "j", "--repeat", "2")
	for _, want := range []string{"wins 75.0 % [1.03, 99.9] of 2 pairs", "won 1, lost 0, tied 1; no verdict 0, request failed 0; answered by one alone 1", "1 pairs went with the place", "agrees with itself in 100 %", "made by pairwise model:j template:"} {
		if code != exitOK || !strings.Contains(out, want) {
			t.Errorf("exit code %d: want %q in\n%s%s", code, want, out, stderr)
		}
	}
	out, _, _ = call(t, "judge-answers", first, second, "--judge", server.URL, "--model", "j", "--json")
	matchesSchema(t, "score-pairs", out)
	if _, _, code := call(t, "judge-answers", first, second, "--judge", server.URL); code != exitUsage {
		t.Errorf("a judge without a name: exit code %d", code)
	}
}
