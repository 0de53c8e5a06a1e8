package bench

import (
	"reflect"
	"strings"
	"testing"

	"assay/spec"
	"assay/workload/scenario"
)

// made is what options ask for, with variables in place of the environment. No
// server is there to be asked for a tokenizer.
func made(t testing.TB, variables map[string]string, args ...string) (Asked, error) {
	t.Helper()
	v := Values{Given: map[string][]string{}, Lookup: func(name string) (string, bool) {
		value, ok := variables[name]
		return value, ok
	}}
	for i := 0; i+1 < len(args); i += 2 {
		name := strings.TrimPrefix(args[i], "--")
		v.Given[name] = append(v.Given[name], args[i+1])
	}
	return Make(t.Context(), v)
}

func wantMade(t testing.TB, variables map[string]string, args ...string) Asked {
	t.Helper()
	asked, err := made(t, variables, args...)
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	document, faults := spec.Parse("made.yaml", asked.Source)
	if !spec.Valid(faults) {
		t.Fatalf("%v: the document is not valid: %v\n%s", args, faults, asked.Source)
	}
	asked.Run = *document.Run
	return asked
}

// shut is an address at which nobody listens.
const shut = "http://127.0.0.1:1"

var least = []string{"--url", shut, "--model", "m", "--duration", "1s"}

func with(args ...string) []string { return append(append([]string{}, least...), args...) }

// Without a word one scenario is asked with four numbers of users; genai-bench's 45
// points and what it sweeps over for every task are a switch away.
func TestDefaults(t *testing.T) {
	if s := wantMade(t, nil, least...).Run.Spec; len(s.Workload.Prompt.Scenarios) != 1 || !reflect.DeepEqual(s.Load.Concurrency, []int{1, 4, 16, 64}) || s.Load.BatchSizes != nil {
		t.Errorf("%v at %v, want one scenario at four levels", s.Workload.Prompt.Scenarios, s.Load.Concurrency)
	}
	for _, task := range scenario.AllTasks {
		short := wantMade(t, nil, with("--task", task)...).Run.Spec
		s := wantMade(t, nil, with("--task", task, "--genai-bench-sweep", "true")...).Run.Spec
		scenarios := scenario.Defaults(task)
		if !reflect.DeepEqual(short.Workload.Prompt.Scenarios, scenarios[:1]) {
			t.Errorf("%s: %v, want genai-bench's first", task, short.Workload.Prompt.Scenarios)
		}
		batches := task == spec.TextToEmbeddings || task == spec.TextToRerank
		if !reflect.DeepEqual(s.Workload.Prompt.Scenarios, scenarios) || (len(s.Load.BatchSizes) == 7) != batches || (len(s.Load.Concurrency) == 1) != batches {
			t.Errorf("%s: scenarios %v, batch sizes %v, concurrency %v", task, s.Workload.Prompt.Scenarios, s.Load.BatchSizes, s.Load.Concurrency)
		}
	}
}

// Every backend becomes the API and the credentials that its servers want.
func TestBackends(t *testing.T) {
	variables := map[string]string{"AZURE_OPENAI_API_KEY": "k", "GCP_PROJECT_ID": "p"}
	for _, b := range Backends {
		for _, task := range b.APIs {
			if task.Task == spec.SpeechToText {
				continue // it needs recordings; genai-bench does not have it
			}
			asked := wantMade(t, variables, with("--api-backend", strings.ToUpper(b.Name), "--task", task.Task)...)
			if got := asked.Run.Spec.Target; got.API != task.API {
				t.Errorf("%s for %s: API %s, want %s", b.Name, task.Task, got.API, task.API)
			}
		}
		_, err := made(t, variables, with("--api-backend", b.Name)...)
		if (b.Missing != "") != (err != nil) {
			t.Errorf("%s: %v, want a refusal: %v", b.Name, err, b.Missing != "")
		}
	}
	if asked := wantMade(t, nil, with("--api-backend", "anthropic-messages", "--api-key", "k")...); asked.Run.Spec.Target.Auth != (spec.Auth{Kind: spec.AuthHeader, Header: "X-Api-Key", Env: keyVariable}) {
		t.Errorf("Anthropic's key: %+v", asked.Run.Spec.Target.Auth)
	}
}

// Limits, shares and repetitions become the fields that mean the same.
func TestLoad(t *testing.T) {
	f := func(want string, args ...string) {
		t.Helper()
		asked := wantMade(t, nil, append([]string{"--url", shut, "--model", "m"}, args...)...)
		if _, load, _ := strings.Cut(string(asked.Source), "\n  load:\n"); !strings.Contains(strings.Join(strings.Fields(load), " "), want) {
			t.Errorf("%v: got\n%s\nwant %s", args, load, want)
		}
	}
	f("duration: 15m requests: 300", "--max-time-per-run", "15", "--max-requests-per-run", "300")
	f("duration: 90s", "--max-time-per-run", "90s")
	f("duration: 30m requests: 300", "--max-requests-per-run", "300")
	f("duration: 30s")
	f("duration: 7m requests: 70 warmup: duration: 1m requests: 10", "--max-time-per-run", "10", "--max-requests-per-run", "100", "--warmup-ratio", "0.1", "--cooldown-ratio", "0.2")
	f("warmup: {}", "--warmup", "0s")
	f("concurrency: [1, 4]", "--num-concurrency", "1", "--num-concurrency", "4", "--num-concurrency", "1")
	f("concurrency: [1, 4]", "--num-concurrency", "1, 4")
	f("rate: [2.5] arrival: gamma burstiness: 0.5", "--rate", "2.5", "--arrival", "gamma", "--burstiness", "0.5")
	f("concurrency: [1, 4] batchSizes: [8]", "--task", "text-to-rerank", "--num-concurrency", "1,4", "--batch-size", "8")
	f("minReplicates: 5", "--launches", "5")
	f("duration: 10s warmup: duration: 2s", "--quick", "true")
	f("minReplicates: 3 quick: true", "--quick", "true")
	f("temperature: 0.7 ignoreEOS: false", "--additional-request-params", `{"temperature": 0.7, "ignore_eos": false, "top_p": 0.9}`)
}

func TestObjectives(t *testing.T) {
	asked := wantMade(t, nil, with("--slo", "ttft:p99<300ms", "--slo", "e2e:p99.9<=2s", "--slo", "error_rate<1%", "--slo", "tokens_per_second>500")...)
	want := []spec.Objective{
		{Metric: "ttft", Percentile: 99, Max: 300e6}, {Metric: "e2e", Percentile: 99.9, Max: 2e9},
		{Metric: "error_rate", MaxRatio: 0.01}, {Metric: "tokens_per_second", Min: 500},
	}
	if !reflect.DeepEqual(asked.Run.Spec.SLO, want) {
		t.Errorf("slo = %+v, want %+v", asked.Run.Spec.SLO, want)
	}
}

// Whatever cannot be meant is refused, with the option, what was got and what is
// wanted; all of it at once.
func TestRefusals(t *testing.T) {
	f := func(want string, args ...string) {
		t.Helper()
		_, err := made(t, nil, args...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
	f("missing argument: the address of the server", "--model", "m")
	f("does not list its models", "--url", shut)
	f("--model: missing: backend aws-bedrock has no list", "--api-backend", "aws-bedrock")
	f(`--api-backend: got "gpt"`, with("--api-backend", "gpt")...)
	f(`--task: got "chat"`, with("--task", "chat")...)
	f("--task: got text-to-embeddings, which assay cannot ask of aws-bedrock: want text-to-text", with("--api-backend", "aws-bedrock", "--task", "text-to-embeddings")...)
	f("--upload-results: assay does not upload", with("--upload-results", "true")...)
	f("--rate: got it beside --num-concurrency", with("--rate", "1", "--num-concurrency", "1")...)
	f("--duration: got it beside --max-time-per-run", with("--max-time-per-run", "1")...)
	f("--launches: got 1, want at least 3", with("--launches", "1")...)
	f("--launches: got it beside --quick", with("--launches", "3", "--quick", "true")...)
	f("want less than 1 together", with("--warmup-ratio", "0.5", "--cooldown-ratio", "0.5")...)
	f(`--traffic-scenario: scenario "I(1024, 1024)"`, with("--traffic-scenario", "I(1024, 1024)")...)
	f("--traffic-scenario dataset: got no data set", with("--traffic-scenario", "dataset")...)
	f("assay downloads nothing", with("--dataset-path", "squad/plain")...)
	f(`--slo "ttft": want such as`, with("--slo", "ttft")...)
	f("--additional-request-params: system_message", with("--additional-request-params", `{"system_message": "x"}`)...)
	f("--auth: got \"instance_principal\"", with("--api-backend", "oci-genai", "--auth", "instance_principal")...)
	f("--gcp-project-id: got nothing", with("--api-backend", "gcp-vertex")...)
	f("--experiment-folder-name: got \"a/b\"", with("--experiment-folder-name", "a/b")...)
	f("--metrics-time-unit: got \"us\"", with("--metrics-time-unit", "us")...)
}
