package spec

import (
	"reflect"
	"strings"
	"testing"
)

func TestSweepRules(t *testing.T) {
	const scenarios, sizes = "spec.workload.prompt.scenarios", "spec.load.batchSizes"
	sweep := patch{scenarios, []string{"D(100,100)", "D(100,1000)"}}
	embed := patch{"spec.workload.prompt", map[string]any{"task": TextToEmbeddings, "scenarios": []string{"E(64)"}}}
	batch := patch{sizes, []int{1, 8}}
	f := func(rule, file, path, message string, patches ...patch) {
		t.Helper()
		wantFault(t, patched(t, example(t, file), patches...), rule, path, message)
	}
	f("A80", minimal, scenarios, "give scenario or scenarios, not both", sweep, patch{"spec.workload.prompt.scenario", "D(1,1)"})
	f("A80", minimal, scenarios, "names D(1,1) twice: each must be a point of its own", patch{scenarios, []string{"D(1,1)", "D(2,2)", "D(1,1)"}})
	f("A80", "sessions.yaml", scenarios, "cannot be combined with workload.session, which shapes the requests itself", sweep)
	f("A80", "slo-search.yaml", scenarios, "cannot be combined with load.search: a search finds the load of one shape: make a run for each", sweep)
	f("A80", "mlperf-server.yaml", scenarios, "cannot be combined with load.mlperf: a scenario of MLPerf has one workload", sweep)
	f("A80", "trace-replay.yaml", scenarios, "cannot be combined with load.traceRef: a trace says itself what is asked", sweep)
	f("A80", minimal, scenarios, "cannot be combined with workload.prompt.dataset, which shapes the requests itself", sweep, patch{"spec.workload.prompt.dataset", map[string]any{"path": "a.txt"}})
	f("A33", minimal, scenarios+"[1]", "does not shape text-to-text: want one such as D(512,128)", patch{scenarios, []string{"D(1,1)", "E(64)"}})
	f("A33", minimal, scenarios+"[0]", "means must be above zero and minima not above their maxima", patch{scenarios, []string{"U(9,2)/(1,4)"}})
	f("A33", minimal, "spec.workload.sequenceLengthMix", "must hold the mean of each point of the sweep, with equal weights: leave it out", sweep)
	f("A33", minimal, scenarios+"[0]", "give scenarios or distribution, not both", sweep, patch{"spec.workload.prompt.distribution", "normal"})
	f("A81", minimal, sizes, "belongs to text-to-embeddings and text-to-rerank without a dataset", batch)
	f("A81", minimal, sizes, "names 8 twice: each must be a point of its own", embed, patch{sizes, []int{8, 8}})
	f("A81", minimal, sizes, "give load.batchSizes or prompt.details.documents, not both", embed, batch, patch{"spec.workload.prompt.details", map[string]any{"documents": 2}})
}

const sweeping = `
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: sweep}
spec:
  workload:
    model: m
    prompt: {PROMPT}
  target: {url: "http://127.0.0.1:8000"}
  load: {concurrency: [1], LOAD}
`

func sweepOf(t *testing.T, prompt, load string) Run {
	t.Helper()
	text := strings.NewReplacer("PROMPT", prompt, "LOAD", load).Replace(sweeping)
	doc, faults := Parse("sweep.yaml", []byte(text))
	if !Valid(faults) {
		t.Fatalf("not valid:%s\n%s", lines(faults), text)
	}
	resolved, _ := Resolve(*doc.Run)
	return resolved
}

// The mix of a sweep holds the mean of every point, so that rules about lengths
// look at each of them.
func TestSweepMix(t *testing.T) {
	f := func(prompt, load string, want ...SequenceLength) {
		t.Helper()
		if got := sweepOf(t, prompt, load).Spec.Workload.SequenceLengthMix; !reflect.DeepEqual(got, want) {
			t.Errorf("mix of %s %s = %v, want %v", prompt, load, got, want)
		}
	}
	f(`scenarios: ["D(100,10)", "N(480,240)/(300,150)"]`, "requests: 9", SequenceLength{100, 10, 0.5}, SequenceLength{480, 300, 0.5})
	f(`scenarios: ["D(100,10)"]`, "requests: 9", SequenceLength{100, 10, 1})
	f(`task: text-to-embeddings, scenarios: ["E(64)", "E(128)"]`, "batchSizes: [1, 8]",
		SequenceLength{64, 1, 0.25}, SequenceLength{512, 1, 0.25}, SequenceLength{128, 1, 0.25}, SequenceLength{1024, 1, 0.25})
	f(`task: text-to-rerank, scenario: "R(64,100)"`, "batchSizes: [2, 4]", SequenceLength{228, 1, 0.5}, SequenceLength{356, 1, 0.5})
}

// The workload of a point is the one that a run of that point alone would have.
func TestAt(t *testing.T) {
	sweep := sweepOf(t, `task: text-to-embeddings, scenarios: ["E(64)", "E(128)"]`, "batchSizes: [1, 8]").Spec.Workload
	alone := sweepOf(t, `task: text-to-embeddings, scenario: "E(128)", details: {documents: 8}`, "requests: 0").Spec.Workload
	if got := sweep.At("E(128)", 8); !reflect.DeepEqual(got, alone) {
		t.Errorf("At(E(128), 8) = %+v, want %+v", got, alone)
	}
	if got := alone.At("", 0); !reflect.DeepEqual(got, alone) {
		t.Errorf("At of no sweep = %+v, want the workload itself", got)
	}
}

// Documents written before there were sweeps keep their digest, and a sweep is
// another question than each of its points.
func TestSweepDigest(t *testing.T) {
	digest := func(prompt, load string) string {
		d, err := WorkloadDigest(sweepOf(t, prompt, load))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	const before = "sha256:fc912c68c002e5d4e77558c5f50e2c4acc2d0667ae41ad33fd944390e88ecb86"
	if got := digest(`scenario: "D(100,10)"`, "requests: 9"); got != before {
		t.Errorf("digest of a document without a sweep = %s, want %s as before", got, before)
	}
	if digest(`scenarios: ["D(100,10)"]`, "requests: 9") == before {
		t.Error("a sweep has the digest of its only point")
	}
}
