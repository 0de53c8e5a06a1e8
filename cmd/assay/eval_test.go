package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"assay/accuracy"
	"assay/record"
	"assay/sim"
	"assay/sim/simtest"
	"assay/spec"
	"assay/tests/whole"
	"assay/workload/exam"
)

// A fate is what becomes of a question, whoever asks it and how often.
type fate int

const (
	right fate = iota
	wrong
	truncated
	failed
)

// fateOf gives every hundred items two failures and one truncated answer.
func fateOf(item int) fate {
	switch {
	case item%50 == 7:
		return failed
	case item%100 == 13:
		return truncated
	case item%4 == 0:
		return wrong
	}
	return right
}

// A teacher knows every question of some tasks and answers each as its fate says, over
// HTTP.
type teacher struct {
	asks  map[string]record.Ask
	fates map[string]fate

	// confused is how many requests in flight make every answer wrong; 0 for none.
	confused int64
	inFlight atomic.Int64
	crowded  atomic.Bool
}

// teach makes a teacher of the tasks.
func teach(t *testing.T, tasks []spec.Task) *teacher {
	t.Helper()
	sheet, err := exam.Write(&spec.Evaluation{Tasks: tasks}, 1)
	if err != nil {
		t.Fatal(err)
	}
	s := &teacher{asks: map[string]record.Ask{}, fates: map[string]fate{}}
	items := map[string]int{}
	for _, ask := range sheet.Asks {
		n, known := items[ask.Item]
		if !known {
			n = len(items)
			items[ask.Item] = n
		}
		if _, known := s.asks[ask.Prompt]; !known { // some questions stand twice in a file
			s.asks[ask.Prompt], s.fates[ask.Prompt] = ask, fateOf(n)
		}
	}
	return s
}

func (s *teacher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.NotFound(w, r)
		return
	}
	var asked struct {
		Prompt       string
		Messages     []struct{ Content string }
		Stream, Echo bool
		Logprobs     any
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(body, &asked) != nil {
		return
	}
	prompt := asked.Prompt
	if len(asked.Messages) > 0 {
		prompt = asked.Messages[0].Content
	}
	ask, known := s.asks[prompt]
	verdict := s.fates[prompt]
	if s.confused > 0 && s.crowd() {
		verdict = wrong
	}
	defer s.leave()
	if known && verdict == failed && (ask.Choice == -1 || ask.Choice == 2) {
		http.Error(w, "out of memory", http.StatusInternalServerError)
		return
	}
	said, reason := "hello", "stop"
	if known {
		said, reason = sayAs(ask, verdict)
	}
	var logprobs any
	if asked.Logprobs != nil && asked.Logprobs != false {
		logprobs = probabilities(ask, verdict, prompt, said, asked.Echo, len(asked.Messages) > 0)
	}
	if asked.Echo {
		said = prompt + said
	}
	speak(w, said, reason, logprobs, len(strings.Fields(prompt)), asked.Stream, len(asked.Messages) > 0)
}

// crowd waits for company for a moment, then until as many are there as confuse the
// teacher, and reports whether they are.
func (s *teacher) crowd() bool {
	if s.inFlight.Add(1) >= s.confused {
		s.crowded.Store(true)
	}
	begun := time.Now()
	for !s.crowded.Load() {
		limit := 20 * time.Millisecond // as good as nobody else asks
		if s.inFlight.Load() > 1 {
			limit = 5 * time.Second
		}
		if time.Since(begun) > limit {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return s.crowded.Load()
}

func (s *teacher) leave() {
	if s.confused > 0 && s.inFlight.Add(-1) == 0 {
		s.crowded.Store(false)
	}
}

// sayAs is what is said to a question with a fate, and why it ends.
func sayAs(ask record.Ask, verdict fate) (text, reason string) {
	var key record.AnswerKey
	if err := json.Unmarshal([]byte(ask.Key), &key); err != nil {
		panic(err)
	}
	switch {
	case verdict == truncated:
		return "Let us see, there are many", "length"
	case key.Target != nil:
		return " " + letterOf(key, verdict), "stop"
	case verdict == wrong:
		return " It must be more.\n#### 1" + key.References[0], "stop"
	}
	return " That is all there is.\n#### " + key.References[0], "stop"
}

// letterOf is the right letter, or the one after it.
func letterOf(key record.AnswerKey, verdict fate) string {
	at := *key.Target
	if verdict == wrong {
		at = (at + 1) % len(key.Choices)
	}
	return string(rune('A' + at))
}

// probabilities are those of a prompt whose last word is the choice, or of the one token
// that is said.
func probabilities(ask record.Ask, verdict fate, prompt, said string, echo, chat bool) any {
	var key record.AnswerKey
	if ask.Key != "" {
		if err := json.Unmarshal([]byte(ask.Key), &key); err != nil {
			panic(err)
		}
	}
	if !echo {
		return alternatives(said, chat)
	}
	tokens := strings.Split(prompt, " ")
	values := []any{nil}
	for i := range tokens[1:] {
		tokens[i+1] = " " + tokens[i+1]
		values = append(values, -1.5)
	}
	if key.Target != nil && ask.Said == " "+letterOf(key, verdict) {
		values[len(values)-1] = -0.25
	}
	return map[string]any{"tokens": append(tokens, said), "token_logprobs": append(values, -0.1)}
}

// alternatives are the letters, the one that is said before all others; none of them where
// another word is said.
func alternatives(said string, chat bool) any {
	tokens := []string{"A", "B", "C", "D"}
	if !slices.Contains(tokens, strings.TrimSpace(said)) {
		tokens = []string{said}
	}
	var list []any
	byToken := map[string]float64{}
	for _, letter := range tokens {
		value := -3.0
		if letter == strings.TrimSpace(said) {
			value = -0.2
		}
		list = append(list, map[string]any{"token": letter, "logprob": value})
		byToken[letter] = value
	}
	if chat {
		return map[string]any{"content": []any{map[string]any{"token": said, "logprob": -0.2, "top_logprobs": list}}}
	}
	return map[string]any{"tokens": []string{said}, "token_logprobs": []float64{-0.2}, "top_logprobs": []any{byToken}}
}

// speak writes an answer in either API, streamed or not.
func speak(w http.ResponseWriter, said, reason string, logprobs any, tokens int, stream, chat bool) {
	choice := map[string]any{"index": 0, "logprobs": logprobs, "finish_reason": reason}
	switch {
	case chat && stream:
		choice["delta"] = map[string]any{"role": "assistant", "content": said}
	case chat:
		choice["message"] = map[string]any{"role": "assistant", "content": said}
	default:
		choice["text"] = said
	}
	if l, ok := logprobs.(map[string]any); ok && !chat {
		if list, ok := l["tokens"].([]string); ok && len(list) > 1 {
			tokens = len(list) - 1
		}
	}
	text, err := json.Marshal(map[string]any{"choices": []any{choice}, "usage": map[string]int{"prompt_tokens": tokens, "completion_tokens": 3}})
	if err != nil {
		panic(err)
	}
	if stream {
		w.Header().Set("Content-Type", "text/event-stream")
		text = fmt.Appendf(nil, "data: %s\n\ndata: [DONE]\n\n", text)
	}
	w.Write(text)
}

// questions are the public questions beside the repository, as options of assay eval and
// as tasks.
func questions(t *testing.T, limit int, kinds ...string) (options []string, tasks []spec.Task) {
	t.Helper()
	paths := map[string]string{"gsm8k": "gsm8k/test.jsonl", "mmlu-redux": "mmlu_redux"}
	for _, kind := range kinds {
		family, style, _ := strings.Cut(kind, ":")
		path := filepath.Join("..", "..", "..", "shared", "data", filepath.FromSlash(paths[family]))
		if _, err := os.Stat(path); err != nil {
			t.Skip("no questions: want shared/data beside the repository")
		}
		digest, err := exam.Digest(family, path)
		if err != nil {
			t.Fatal(err)
		}
		options = append(options, "--task", kind+"="+path)
		tasks = append(tasks, spec.Task{Name: strings.ReplaceAll(kind, ":", "-"), Family: family, Style: style, Path: path, DatasetRef: digest, Limit: limit})
	}
	return options, tasks
}

// evaluated asks the teacher and returns what its answers are worth.
func evaluated(t *testing.T, s *teacher, api string, options ...string) accuracy.Report {
	t.Helper()
	server := httptest.NewServer(s)
	defer server.Close()
	args := append([]string{"eval", server.URL, "--model", "m", "--quick", "--quiet", "--json", "-o", t.TempDir(), "--api", api}, options...)
	stdout, stderr, code := call(t, args...)
	if code != exitOK {
		t.Fatalf("assay eval: exit code %d\n%s", code, stderr)
	}
	var r struct{ Accuracy accuracy.Report }
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	return r.Accuracy
}

// Files of one family are tasks of their own, called after the files.
func TestTasksToldApart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string) string {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(`{"id": "1", "prompt": "1 + 1", "answer": "2"}`), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	f := func(want string, kinds ...string) {
		t.Helper()
		var e evalCall
		for _, kind := range kinds {
			family, name, _ := strings.Cut(kind, "=")
			e.tasks = append(e.tasks, family+"="+write(name))
		}
		tasks, err := e.readTasks()
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, task := range tasks {
			names = append(names, task.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("tasks of %v are called %s, want %s", kinds, got, want)
		}
	}
	f("own", "own=a.jsonl")
	f("own own-letter", "own=a.jsonl", "own:letter=a.jsonl")
	f("own-a own-b-c", "own=a.jsonl", "own=b (c).jsonl")
	f("own-1 own-2", "own=東.jsonl", "own=西.jsonl")
	f("own-a-1 own-b own-a-2", "own=a.jsonl", "own=b.jsonl", "own=other/a.jsonl")
}

// Every count of an evaluation is exact: failed requests are no wrong answers, truncated
// ones are counted apart, and the score is the same at 1 user and at 64.
func TestEvaluation(t *testing.T) {
	t.Parallel()
	const limit = 300
	f := func(api string, kinds ...string) {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			options, tasks := questions(t, limit, kinds...)
			s := teach(t, tasks)
			r := evaluated(t, s, api, append(options, "--limit", fmt.Sprint(limit), "--concurrency", "1,64")...)
			if len(r.Tasks) != len(kinds) {
				t.Fatalf("got %d tasks, want %d", len(r.Tasks), len(kinds))
			}
			for i, task := range r.Tasks {
				want := s.tally(t, tasks[i])
				if len(task.Points) != 2 {
					t.Fatalf("%s has %d points, want 2", task.Name, len(task.Points))
				}
				for _, p := range task.Points {
					exactly(t, task.Name+" at "+p.Name, p, want)
				}
			}
		})
	}
	f("openai-completions", "gsm8k", "mmlu-redux:letter", "mmlu-redux:likelihood")
	f("openai-chat", "gsm8k:instruct", "mmlu-redux:top-logprobs")
}

// A tally is what becomes of the items of a task.
type tally struct{ items, failed, truncated, right int }

// tally counts the fates of a task's items.
func (s *teacher) tally(t *testing.T, task spec.Task) tally {
	t.Helper()
	sheet, err := exam.Write(&spec.Evaluation{Tasks: []spec.Task{task}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	var n tally
	for _, ask := range sheet.Asks {
		if ask.Choice > 0 {
			continue
		}
		n.items++
		switch s.fates[ask.Prompt] {
		case failed:
			n.failed++
		case truncated:
			if ask.Choice < 0 && task.Style != "top-logprobs" {
				n.truncated++
			}
			if ask.Choice == 0 { // a likelihood has no length: the choice counts as it is
				n.right++
			}
		case right:
			n.right++
		}
	}
	return n
}

// exactly wants the counts and the score of every grader.
func exactly(t *testing.T, where string, p accuracy.Point, want tally) {
	t.Helper()
	got := tally{p.Items, p.States[accuracy.Failed], p.States[accuracy.Truncated], p.Scores[0].Right}
	if got != want || p.Asked != want.items {
		t.Errorf("%s: got %+v of %d asked, want %+v", where, got, p.Asked, want)
	}
	for _, score := range p.Scores {
		answered := want.items - want.failed
		if value := float64(want.right) / float64(answered); score.Graded != answered || math.Abs(score.Estimate.Value-value) > 1e-12 {
			t.Errorf("%s, %s: got %g of %d, want %g of %d", where, score.Grader, score.Estimate.Value, score.Graded, value, answered)
		}
		low := float64(want.right) / float64(want.items)
		if math.Abs(score.Bounds.Lo-low) > 1e-12 || math.Abs(score.Bounds.Hi-low-float64(want.failed)/float64(want.items)) > 1e-12 {
			t.Errorf("%s, %s: bounds are %v, want from %g", where, score.Grader, score.Bounds, low)
		}
	}
}

// A server whose answers are wrong only with 64 requests in flight has a score of its own
// at that point.
func TestEvaluationOfCrowdedServer(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	options, tasks := questions(t, 128, "gsm8k")
	s := teach(t, tasks)
	s.confused = 64
	r := evaluated(t, s, "openai-chat", append(options, "--limit", "128", "--concurrency", "1,64")...)
	points := r.Tasks[0].Points
	i := slices.IndexFunc(points, func(p accuracy.Point) bool { return strings.Contains(p.Name, "64") })
	if len(points) != 2 || i < 0 {
		t.Fatalf("got points %+v, want one of 1 user and one of 64", points)
	}
	alone, crowd := points[1-i], points[i]
	exactly(t, alone.Name, alone, s.tally(t, tasks[0]))
	if got, want := crowd.Scores[0].Estimate.Value, alone.Scores[0].Estimate.Value; got > want-.3 {
		t.Errorf("the score is %g with 64 in flight and %g with one, want a loss", got, want)
	}
}

// The answers of a bundle can be graded again, by other graders and row by row; a grader
// that does not fit the questions, or that there is not, is refused.
func TestGradeAgain(t *testing.T) {
	t.Parallel()
	options, tasks := questions(t, 100, "gsm8k")
	s := teach(t, tasks)
	server := httptest.NewServer(s)
	defer server.Close()
	out := t.TempDir()
	args := append([]string{"eval", server.URL, "--model", "m", "--quick", "--quiet", "-o", out, "--limit", "100"}, options...)
	if _, stderr, code := call(t, args...); code != exitOK {
		t.Fatalf("assay eval: exit code %d\n%s", code, stderr)
	}
	dir := onlyBundle(t, out)
	f := func(code int, want string, args ...string) {
		t.Helper()
		stdout, stderr, got := call(t, append([]string{"grade", dir}, args...)...)
		if got != code || !strings.Contains(stdout+stderr, want) {
			t.Errorf("assay grade %s: exit code %d, want %d with %q\n%s%s", strings.Join(args, " "), got, code, want, stdout, stderr)
		}
	}
	n := s.tally(t, tasks[0])
	f(exitOK, fmt.Sprintf("  %d     %d", n.right, n.items-n.failed))
	f(exitOK, "graded by number, contains; tasks ", "--grader", "number,contains")
	f(exitOK, `"grader":"gsm8k_openai","state":"failed","score":null`, "--grader", "gsm8k_openai", "--rows")
	f(exitFailed, "the question has no choices: want another grader", "--grader", "letter")
	f(exitUsage, `--grader "best": want one of exact_match, `, "--grader", "best")
}

// Each level under load is offered for --warmup before it is measured.
func TestEvaluationWarmup(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sums.jsonl")
	if err := os.WriteFile(file, []byte(`{"id": "1", "prompt": "1 + 1?", "answer": "2"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	url := simtest.Serve(t, sim.Config{})
	f := func(want string, more ...string) {
		out, errs, code := call(t, append([]string{"eval", url, "--task", "own=" + file, "--print-spec"}, more...)...)
		if code != exitOK || strings.Contains(out, "warmup") != (want != "") || !strings.Contains(out, want) {
			t.Errorf("%v: exit %d, want %q in\n%s%s", more, code, want, out, errs)
		}
	}
	f("duration: 5s", "--under-load")
	f("duration: 1500ms", "--under-load", "--warmup", "1500ms")
	f("") // all questions are asked once, and all count
	if _, errs, code := call(t, "eval", url, "--task", "own="+file, "--warmup", "1s"); code != exitUsage || !strings.Contains(errs, "--warmup wants --under-load") {
		t.Errorf("--warmup alone: exit %d, %s", code, errs)
	}
}
