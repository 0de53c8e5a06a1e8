package run

import (
	"strings"
	"testing"

	"assay/plan"
	"assay/spec"
)

func documentOf(fields string) []byte {
	return []byte(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: t}, spec: {` + fields + `}}`)
}

func planOf(t *testing.T, fields string) plan.Plan {
	t.Helper()
	doc, faults := spec.Parse("test.yaml", documentOf(fields))
	if !spec.Valid(faults) {
		t.Fatal(faults)
	}
	p, err := plan.New(*doc.Run)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const endpoint = `target: {url: "http://127.0.0.1:1"}`

// What cannot be run is refused by name, all of it at once; nothing that was
// asked is ignored.
func TestRefuse(t *testing.T) {
	f := func(fields string, want ...string) {
		t.Helper()
		_, err := accept(planOf(t, fields))
		if len(want) == 0 {
			if err != nil {
				t.Errorf("{%s} is refused: %v", fields, err)
			}
			return
		}
		for _, path := range want {
			if err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("{%s}: error %v does not name %s", fields, err, path)
			}
		}
	}
	const others = `, {name: component, enabled: false, suites: []}, {name: end_to_end, enabled: false, suites: []}`
	f(`workload: {model: m}, ` + endpoint + `, load: {concurrency: [1]}`)
	f(`workload: {model: m}, `+endpoint+`, load: {concurrency: [1]}, layers: [{name: micro, enabled: true, suites: [{name: unheard-of}]}`+others+`]`, "spec.layers[0].suites[0]", "unheard-of")
	f(`workload: {model: m}, ` + endpoint + `, load: {concurrency: [1]}, layers: [{name: micro, enabled: true, suites: [{name: modern-llm}]}` + others + `]`)
	f(`workload: {model: m}, `+endpoint+`, load: {concurrency: [1]}, sinks: {rawArtifacts: {store: s3, pathTemplate: "s3://b/${RUN_ID}"}}`, "spec.sinks.rawArtifacts.store", "spec.sinks.rawArtifacts.pathTemplate")
	f(`workload: {model: m}, ` + endpoint + `, load: {concurrency: [1]}, sinks: {rawArtifacts: {pathTemplate: "file:///archive/${RUN_ID}"}}`)
	f(`workload: {model: m, concurrencyModel: open_loop}, ` + endpoint + `, load: {rate: [1], prefillConcurrency: 2, cancel: {share: 0.5, after: 1s}}`)
	f(`workload: {model: m, concurrencyModel: open_loop}, ` + endpoint + `, load: {stages: [{duration: 1s, rate: 5}]}`)
	f(`workload: {model: m, concurrencyModel: open_loop}, `+endpoint+`, load: {stages: [{duration: 1s, rate: 5}], warmup: {requests: 3}}`, "warmup.requests")
	f(`workload: {model: m, concurrencyModel: open_loop}, `+endpoint+`, load: {traceRef: "none.jsonl", trace: {format: mooncake}}`, "none.jsonl")
	f(`workload: {model: m}, ` + endpoint + `, load: {stages: [{duration: 1s, concurrency: 5}]}`)
	f(`workload: {model: m, prompt: {distribution: uniform, spread: 0.1, prefixTokens: 5}}, ` + endpoint + `, load: {concurrency: [1]}`)
	f(`workload: {model: m, datasetRef: "sha256:`+strings.Repeat("0", 64)+`"}, `+endpoint+`, load: {concurrency: [1]}`, "prompt.dataset")
}

// Every refusal can happen: its test of a spec is true for one and false for the
// resolved minimal document.
func TestRefusalsAreOffByDefault(t *testing.T) {
	s := planOf(t, `workload: {model: m}, `+endpoint+`, load: {concurrency: [1]}`).Run.Spec
	for _, b := range beyond {
		if b.asked(s) {
			t.Errorf("the minimal document is refused for %s", b.path)
		}
	}
}

func TestLookup(t *testing.T) {
	look := lookup([]string{"A=1", "AB=2", "EMPTY="})
	f := func(name, want string, ok bool) {
		t.Helper()
		if got, found := look(name); got != want || found != ok {
			t.Errorf("lookup(%s) = %q, %v; want %q, %v", name, got, found, want, ok)
		}
	}
	f("A", "1", true)
	f("AB", "2", true)
	f("EMPTY", "", true)
	f("B", "", false)
	f("", "", false)
}
