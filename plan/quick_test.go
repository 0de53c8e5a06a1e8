package plan

import (
	"testing"

	"assay/spec"
)

// A quick look has one launch, can be written down and promises no effect; without it
// the spec's launches stay.
func TestQuick(t *testing.T) {
	f := func(trials string, launches, effects int) {
		t.Helper()
		doc, faults := spec.Parse("test.yaml", []byte(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: t},
			spec: {workload: {model: m}, target: {url: "http://127.0.0.1:1"}, load: {concurrency: [1]}, trials: `+trials+`}}`))
		if !spec.Valid(faults) {
			t.Fatal(faults)
		}
		p, err := New(*doc.Run)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Encode(); err != nil || len(p.Launches) != launches || len(p.Precision.Effects) != effects {
			t.Errorf("%s: %d launches, %d effects, %v; want %d and %d", trials, len(p.Launches), len(p.Precision.Effects), err, launches, effects)
		}
	}
	f(`{quick: true}`, 1, 0)
	f(`{quick: true, minReplicates: 5}`, 1, 0)
	f(`{minReplicates: 5}`, 5, len(launchCVs))
}
