package run

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"assay/bundle"
	"assay/record"
	"assay/telemetry"
)

// A picky server has one model of 100 tokens and refuses what it does not know.
type picky struct {
	refuses []string // fields
	usage   bool
	key     string
	moved   string // where it sends everybody
	asked   atomic.Int32
}

func (p *picky) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/v1/models" {
		fmt.Fprint(w, `{"data": [{"id": "m", "max_model_len": 100}, {"id": "n"}]}`)
		return
	}
	if r.Method != http.MethodPost {
		http.NotFound(w, r)
		return
	}
	p.asked.Add(1)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if p.moved != "" {
		http.Redirect(w, r, p.moved, http.StatusTemporaryRedirect)
		return
	}
	if p.key != "" && r.Header.Get("Authorization") != "Bearer "+p.key {
		http.Error(w, "invalid api key", http.StatusUnauthorized)
		return
	}
	if !bytes.Contains(body, []byte(`"model":"m"`)) {
		http.Error(w, "model not found", http.StatusNotFound)
		return
	}
	for _, field := range p.refuses {
		if bytes.Contains(body, []byte(`"`+field+`"`)) {
			http.Error(w, "Unexpected fields in the request: {'"+field+"'}", http.StatusUnprocessableEntity)
			return
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	text := answer
	if !p.usage {
		text = strings.Replace(text, `,"usage":{"prompt_tokens":1,"completion_tokens":1}`, "", 1)
	}
	io.WriteString(w, text)
}

// askedOf is a plan of one short point for a server.
const askedOf = `workload: {model: %s, sequenceLengthMix: [{inputTokens: %d, outputTokens: 1, weight: 1}]},
	target: {url: %q}, load: {concurrency: [1], duration: 50ms, requests: 3, warmup: {}}`

// A field that the server refuses is left out, in every launch, and the bundle says
// so; a server that counts no tokens is recorded too.
func TestPreflightLeavesOutWhatIsRefused(t *testing.T) {
	p := &picky{refuses: []string{"ignore_eos", "stream_options"}}
	server := httptest.NewServer(p)
	defer server.Close()
	plan := planOf(t, fmt.Sprintf(askedOf, "m", 4, server.URL))
	plan.Launches = plan.Launches[:1]
	b := carryOut(t, plan)
	for _, r := range rows[record.Request](t, b, bundle.Requests) {
		if r.Result.Failure() {
			t.Fatalf("%s: %s", r.Result, r.Error)
		}
	}
	var notes []string
	for _, e := range rows[record.Event](t, b, bundle.Events) {
		if e.Name == record.TargetNote {
			notes = append(notes, e.Detail)
		}
	}
	text := strings.Join(notes, "\n")
	for _, want := range []string{"refuses ignore_eos", "refuses stream_options", "does not report token usage"} {
		if !strings.Contains(text, want) {
			t.Errorf("the events do not say %q:\n%s", want, text)
		}
	}
}

// A window that is too short for the answers of a slow server is announced, and ends
// the run after one launch.
func TestPreflightSeesThePace(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for range 40 {
			fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"a"}}]}`, "\n\n")
			w.(http.Flusher).Flush()
			time.Sleep(5 * time.Millisecond)
		}
		io.WriteString(w, answer)
	}))
	defer server.Close()
	p := planOf(t, fmt.Sprintf(`workload: {model: m, sequenceLengthMix: [{inputTokens: 4, outputTokens: 1000, weight: 1}]},
		target: {url: %q}, load: {concurrency: [1], duration: 50ms, warmup: {duration: 50ms}}`, server.URL))
	result, err := Execute(t.Context(), p, Options{Source: []byte("test"), Out: t.TempDir(), Tool: bundle.Tool{Name: "test", Version: "0"}, Now: time.Now(), Host: telemetry.Local(t.Context())})
	if !errors.Is(err, errNothingMeasured) || result == nil {
		t.Fatalf("%v, want %v", err, errNothingMeasured)
	}
	if _, err := result.Bundle.Seal(t.Context(), result.Status, bundle.SealOptions{}); err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Open(result.Bundle.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Launches()) != 1 {
		t.Errorf("%d launches, want one", len(b.Launches()))
	}
	var notes []string
	for e, err := range bundle.Rows[record.Event](b, 0, bundle.Events) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Name == record.TargetNote {
			notes = append(notes, e.Detail)
		}
	}
	if text := strings.Join(notes, "\n"); !strings.Contains(text, "an answer of 1000 tokens will take about") || !strings.Contains(text, "use --duration ") {
		t.Errorf("the notes do not say it: %q", text)
	}
}

// What cannot work fails once, before there is a bundle, and says what to type.
func TestPreflightRefuses(t *testing.T) {
	f := func(p *picky, model string, input int, asked int32, want ...string) {
		t.Helper()
		p.usage = true
		server := httptest.NewServer(p)
		defer server.Close()
		result, err := Execute(t.Context(), planOf(t, fmt.Sprintf(askedOf, model, input, server.URL)), Options{Out: t.TempDir()})
		if err == nil || result != nil || p.asked.Load() != asked {
			t.Fatalf("%v after %d requests, want a refusal after %d and no bundle", err, p.asked.Load(), asked)
		}
		for _, words := range want {
			if !strings.Contains(err.Error(), words) {
				t.Errorf("the error does not say %q: %v", words, err)
			}
		}
	}
	f(&picky{}, "wrongname", 4, 1, `no model "wrongname"`, "--model", ": m, n")
	f(&picky{key: "k"}, "m", 4, 1, "refuses the key", "MODEL_API_KEY")
	f(&picky{}, "m", 100, 0, "takes 100 for both", "--input-tokens")
	f(&picky{refuses: []string{"messages"}}, "m", 4, 1, "target.omitBody")
	f(&picky{moved: "http://127.0.0.1:9/v1"}, "m", 4, 1, "status 307", "http://127.0.0.1:9/v1", "--url")
}

// Advice on a refused request follows what the server says.
func TestAdviceOnLongPrompts(t *testing.T) {
	r := record.Request{Status: 400, Error: "This model's maximum context length is 1024 tokens"}
	if got := failureAdvice(r); !strings.Contains(got, "longer than the server's context") {
		t.Error(got)
	}
}
