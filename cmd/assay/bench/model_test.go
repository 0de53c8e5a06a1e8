package bench

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"assay/plan"
	"assay/spec"
)

// listing is a server that lists models to those who have the key.
func listing(t *testing.T, key string, models ...string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" || key != "" && r.Header.Get("Authorization") != "Bearer "+key {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		var rows []string
		for _, name := range models {
			rows = append(rows, fmt.Sprintf(`{"id": %q}`, name))
		}
		fmt.Fprintf(w, `{"data": [%s]}`, strings.Join(rows, ","))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// The only model is taken; of several none is, and all are listed.
func TestModel(t *testing.T) {
	asked := wantMade(t, nil, "--url", listing(t, "", "llama"))
	if got := asked.Run.Spec.Workload.Model; got != "llama" || asked.Run.Metadata.Name != "text-to-text_llama" || !strings.Contains(strings.Join(asked.Choices, "\n"), "model llama, the only one") {
		t.Errorf("model %q, name %q, choices %v", got, asked.Run.Metadata.Name, asked.Choices)
	}
	if got := wantMade(t, nil, "--url", listing(t, "k", "llama")+"/v1", "--api-key", "k").Run.Spec.Workload.Model; got != "llama" {
		t.Errorf("model %q behind a key", got)
	}
	f := func(want, url string) {
		t.Helper()
		if _, err := made(t, nil, "--url", url); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	f("serves 2 models, choose one: big, small", listing(t, "", "small", "big"))
	f("lists no model", listing(t, ""))
	f("401 Unauthorized", listing(t, "k", "llama"))
}

// Familiar names mean what they mean elsewhere.
func TestFamiliarNames(t *testing.T) {
	s := wantMade(t, nil, with("--concurrency", "1,8", "--input-tokens", "1000", "--output-tokens", "200", "--num-prompts", "50")...).Run.Spec
	if got := fmt.Sprint(s.Workload.Prompt.Scenarios, s.Load.Concurrency, s.Load.Requests); got != "[D(1000,200)] [1 8] 50" {
		t.Error(got)
	}
	s = wantMade(t, nil, with("--request-rate", "2.5", "--output-tokens", "20")...).Run.Spec
	if got := fmt.Sprint(s.Workload.Prompt.Scenarios, s.Load.Rate); got != "[D(512,20)] [2.5]" {
		t.Error(got)
	}
}

// Every option that is wrong is named once, in words, without a place in a document
// that nobody wrote.
func TestAllFaultsAtOnce(t *testing.T) {
	_, err := made(t, nil, with("--num-concurrency", "a", "--traffic-scenario", "D(100)", "--slo", "foo<3", "--slo", "ttft<3")...)
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	for _, want := range []string{
		`--traffic-scenario: scenario "D(100)": wrong number of numbers, want D(in,out)`,
		`--num-concurrency: got "a", want whole numbers above zero`,
		`--slo "foo<3": unknown metric foo`,
		`--slo "ttft<3": ttft is a time and needs a unit: want ttft<3s or ttft<3ms`,
	} {
		n := 0
		for _, line := range lines {
			if strings.Contains(line, want) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%q is said %d times in\n%v", want, n, err)
		}
	}
	if len(lines) != 4 || strings.ContainsAny(err.Error(), "^$") {
		t.Errorf("%d lines, want 4 without a regular expression:\n%v", len(lines), err)
	}
}

// What only the document's rules refuse is explained by the option.
func TestExplain(t *testing.T) {
	asked, err := made(t, nil, with("--server-engine", "a b/c", "--seed", "9007199254740999", "--cost-per-gpu-hour", "-1", "--price-input", "-2", "--price-output", "-3")...)
	if err != nil {
		t.Fatal(err)
	}
	_, faults := spec.Parse("", asked.Source)
	text := fmt.Sprint(Explain(faults, FlagPaths))
	for _, want := range []string{"--seed: got 9007199254740999, ", "--cost-per-gpu-hour: got -1, ", "--price-input: got -2, ", "--price-output: got -3, "} {
		if !strings.Contains(text, want) || strings.Contains(text, "spec.") {
			t.Errorf("want %q and no path of the spec:\n%s", want, text)
		}
	}
}

// A plan is described in two lines: what, and how long.
func TestStory(t *testing.T) {
	asked := wantMade(t, nil, "--url", shut, "--model", "m", "--seed", "7")
	p, err := plan.New(asked.Run)
	if err != nil {
		t.Fatal(err)
	}
	want := "measuring N(480,240)/(300,150) at 1, 4, 16, 64 users: 30s each after 5s of warm-up, 3 launches for confidence intervals\ntakes about 7 min (seed 7)"
	if got := strings.Join(Story(p), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Each run has its own seed, unless one is given.
func TestSeed(t *testing.T) {
	v := Values{Given: map[string][]string{"url": {shut}, "model": {"m"}}, Lookup: func(string) (string, bool) { return "", false }, NewSeed: func() int64 { return 42 }}
	asked, err := Make(t.Context(), v)
	if err != nil || asked.Run.Spec.Seed != 42 {
		t.Errorf("seed %d, want the one that was drawn (%v)", asked.Run.Spec.Seed, err)
	}
	v.Given["seed"] = []string{"7"}
	if asked, err = Make(t.Context(), v); err != nil || asked.Run.Spec.Seed != 7 {
		t.Errorf("seed %d, want the one that was given (%v)", asked.Run.Spec.Seed, err)
	}
}

// A server that was started in the line above may not listen yet: it is waited for,
// and one that never comes is refused as before.
func TestServerThatComesUp(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"data": [{"id": "late"}]}`)
	})}
	defer server.Close()
	time.AfterFunc(3*knockAgain, func() {
		if again, err := net.Listen("tcp", address); err == nil {
			server.Serve(again)
		}
	})
	given := map[string][]string{"url": {"http://" + address}}
	none := func(string) (string, bool) { return "", false }
	asked, err := Make(t.Context(), Values{Given: given, Lookup: none, Patience: time.Minute})
	if err != nil || asked.Run.Spec.Workload.Model != "late" {
		t.Errorf("%v, model %q", err, asked.Run.Spec.Workload.Model)
	}
	given["url"] = []string{shut}
	if _, err := Make(t.Context(), Values{Given: given, Lookup: none, Patience: 2 * knockAgain}); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("%v, want refused", err)
	}
}

// An evaluation asks every question once: neither a time nor a warm-up is part of it.
func TestStoryOfAnEvaluation(t *testing.T) {
	asked := wantMade(t, nil, "--url", shut, "--model", "m", "--seed", "7")
	asked.Run.Spec.Evaluation = &spec.Evaluation{Tasks: []spec.Task{{Name: "gsm8k", Family: spec.FamilyGSM8K, DatasetRef: "sha256:" + strings.Repeat("0", 64), Path: "test.jsonl"}}}
	asked.Run.Spec.Load = &spec.Load{Concurrency: []int{1, 64}, Requests: 1319}
	p, err := plan.New(asked.Run)
	if err != nil {
		t.Fatal(err)
	}
	want := "asking every question of gsm8k once at 1, 64 users: 1319 requests each, 3 launches, whose differences are the system's own noise"
	if got := Story(p)[0]; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
