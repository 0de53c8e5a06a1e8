package run

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"assay/bundle"
	"assay/plan"
	"assay/record"
	"assay/telemetry"
	"assay/workload/exam"
)

// An oracle answers questions with log-probabilities, well or badly.
type oracle struct {
	ignoresEcho, noLogprobs, noUsage, firstGiven, short bool
	refuses                                             string // a field that it refuses
}

// words parts a text into what the oracle takes for tokens.
var words = regexp.MustCompile(`\s*\S+`)

func (o oracle) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Prompt   string
		Messages []struct{ Content string }
		Echo     bool
		Stream   bool
		Logprobs any
		Stop     []string
		Top      int `json:"top_logprobs"`
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(body, &asked) != nil {
		http.NotFound(w, r)
		return
	}
	if o.refuses != "" && strings.Contains(string(body), `"`+o.refuses+`"`) {
		http.Error(w, `{"error":{"message":"Only no echo is supported"}}`, http.StatusBadRequest)
		return
	}
	if len(asked.Messages) > 0 {
		o.converse(w, asked.Stream, asked.Top)
		return
	}
	tokens := words.FindAllString(asked.Prompt, -1)
	choice := map[string]any{"index": 0, "text": " B", "finish_reason": "length"}
	if n, ok := asked.Logprobs.(float64); ok && !o.noLogprobs {
		given := []string{" B"}
		if asked.Echo && !o.ignoresEcho {
			choice["text"] = asked.Prompt + " B"
			given = append(tokens, " B")
		}
		choice["logprobs"] = o.probabilities(given, int(n), asked.Echo && !o.ignoresEcho)
	}
	answer := map[string]any{"choices": []any{choice}}
	if !o.noUsage {
		answer["usage"] = map[string]int{"prompt_tokens": len(tokens), "completion_tokens": 1}
	}
	text, _ := json.Marshal(answer)
	if asked.Stream {
		w.Header().Set("Content-Type", "text/event-stream")
		text = fmt.Appendf(nil, "data: %s\n\ndata: [DONE]\n\n", text)
	}
	w.Write(text)
}

// probabilities gives " B" the highest of all choices.
func (o oracle) probabilities(tokens []string, alternatives int, prompt bool) map[string]any {
	var values []any
	var top []any
	for i, token := range tokens {
		value := -2.0
		if strings.TrimSpace(token) == "B" {
			value = -0.5
		}
		if i == 0 && prompt && !o.firstGiven {
			values, top = append(values, nil), append(top, nil)
			continue
		}
		likeliest := map[string]float64{token: value}
		for n := 1; n < alternatives; n++ {
			likeliest[fmt.Sprintf(" %c", 'B'+n)] = -1 - float64(n)
		}
		values, top = append(values, value), append(top, likeliest)
	}
	if o.short {
		tokens, values, top = tokens[:len(tokens)-2], values[:len(values)-2], top[:len(top)-2]
	}
	return map[string]any{"tokens": tokens, "token_logprobs": values, "top_logprobs": top}
}

// converse answers in the API of conversations.
func (o oracle) converse(w http.ResponseWriter, stream bool, alternatives int) {
	logprobs := `null`
	if alternatives > 0 && !o.noLogprobs {
		logprobs = `{"content":[{"token":"B","logprob":-0.1,"top_logprobs":[{"token":"B","logprob":-0.1},{"token":" A","logprob":-3}]}]}`
	}
	usage := `"usage":{"prompt_tokens":9,"completion_tokens":1}`
	if !stream {
		fmt.Fprintf(w, `{"choices":[{"index":0,"message":{"role":"assistant","content":"B"},"logprobs":%s,"finish_reason":"length"}],%s}`, logprobs, usage)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"role":"assistant"}}]}`+"\n\n")
	fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":{"content":"B"},"logprobs":%s}]}`+"\n\n", logprobs)
	fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}`+"\n\n")
	fmt.Fprintf(w, "data: {\"choices\":[],%s}\n\ndata: [DONE]\n\n", usage)
}

// examOf is a plan that asks three questions of a server in one style.
func examOf(t *testing.T, style, api, url string) plan.Plan {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mine.jsonl")
	var rows string
	for i := range 3 {
		rows += fmt.Sprintf(`{"id": "q%d", "prompt": "Which one is number %d?", "choices": ["one", "two", "B"], "target": %d}`+"\n", i, i, i)
	}
	if err := os.WriteFile(path, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	digest, err := exam.Digest("own", path)
	if err != nil {
		t.Fatal(err)
	}
	p := planOf(t, fmt.Sprintf(`workload: {model: m}, target: {url: %q, api: %s}, load: {concurrency: [2]},
		evaluation: {tasks: [{name: mine, family: own, style: %s, path: %q, datasetRef: %q}]}`, url, api, style, path, "mine@"+digest))
	p.Launches = p.Launches[:1]
	return p
}

// Probabilities are kept as they came, streamed or not, of answers and of prompts.
func TestExamKeepsProbabilities(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(oracle{})
	defer server.Close()
	f := func(style, api string, requests, tokens int) {
		t.Helper()
		b := carryOut(t, examOf(t, style, api, server.URL))
		n := 0
		for _, r := range rows[record.Request](t, b, bundle.Requests) {
			var got record.Logprobs
			if err := json.Unmarshal([]byte(r.Logprobs), &got); err != nil || r.Ask == nil {
				t.Fatalf("%s: %v in %q, asked %v", style, err, r.Logprobs, r.Ask)
			}
			if n++; len(got.Tokens) < tokens || len(got.Top) != len(got.Tokens) {
				t.Errorf("%s: got tokens %q with %d lists of alternatives", style, got.Tokens, len(got.Top))
			}
		}
		if n != requests {
			t.Errorf("%s: got %d requests, want %d", style, n, requests)
		}
	}
	f("top-logprobs", "openai-chat", 3, 1)
	f("top-logprobs", "openai-completions", 3, 1)
	f("likelihood", "openai-completions", 9, 10)
	f("cloze-information", "openai-completions", 18, 3)
}

// A server that cannot give the probabilities that a style needs is refused before
// anything is asked, with what it said and what to do.
func TestExamRefuses(t *testing.T) {
	t.Parallel()
	f := func(o oracle, style, api string, want ...string) {
		t.Helper()
		server := httptest.NewServer(o)
		defer server.Close()
		out := t.TempDir()
		_, err := Execute(t.Context(), examOf(t, style, api, server.URL), Options{
			Source: []byte("test"), Out: out, Tool: bundle.Tool{Name: "test", Version: "0"}, Now: time.Now(), Host: telemetry.Local(t.Context()),
		})
		for _, text := range append(want, "task mine") {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("style %s of %+v: got %v, want %q", style, o, err, text)
			}
		}
		if left, _ := os.ReadDir(out); len(left) > 0 {
			t.Errorf("style %s of %+v: a bundle was begun: %v", style, o, left)
		}
	}
	f(oracle{ignoresEcho: true}, "likelihood", "openai-completions", "gave 1 probabilities for a prompt of 11 tokens", "mere chance", "letter")
	f(oracle{noLogprobs: true}, "cloze", "openai-completions", `gave none (it said " B")`)
	f(oracle{firstGiven: true}, "likelihood", "openai-completions", "the first token of the prompt the probability -2")
	f(oracle{noUsage: true}, "likelihood", "openai-completions", "usage.prompt_tokens")
	f(oracle{short: true}, "likelihood", "openai-completions", "gave 10 probabilities for a prompt of 11 tokens")
	f(oracle{refuses: "echo"}, "likelihood", "openai-completions", "Only no echo is supported", "status 400")
	f(oracle{}, "likelihood", "openai-chat", "want openai-completions")
	f(oracle{noLogprobs: true}, "top-logprobs", "openai-chat", "asked for 20 alternatives of each token and gave none")
	f(oracle{noLogprobs: true}, "hendrycks", "openai-completions", "asked for 100 alternatives")
}

// A list of alternatives that is shorter than asked is noted in the bundle.
func TestExamNotesFewAlternatives(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(oracle{})
	defer server.Close()
	b := carryOut(t, examOf(t, "top-logprobs", "openai-chat", server.URL))
	for _, e := range rows[record.Event](t, b, bundle.Events) {
		if e.Name == record.TargetNote && strings.Contains(e.Detail, "gives 2 alternatives of a token where style top-logprobs asks for 20") {
			return
		}
	}
	t.Error("no event says that alternatives are few")
}
