package bundle

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"assay/plan"
	"assay/spec"
)

// A plan whose launches follow from its seed is verified, whatever the seed of the manifest's
// inputs is called; one from which launches were taken, and the rest numbered anew, is not.
func TestSeedsOfPlan(t *testing.T) {
	const document = `
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: one}
spec:
  seed: 7
  workload: {model: m, sequenceLengthMix: [{inputTokens: 64, outputTokens: 16, weight: 1}]}
  target: {url: http://127.0.0.1:8101}
  trials: {minReplicates: 6}
  load: {concurrency: [4], duration: 1s}
`
	doc, faults := spec.Parse("test.yaml", []byte(document))
	if !spec.Valid(faults) {
		t.Fatal(faults)
	}
	honest, err := plan.New(*doc.Run)
	check(t, err)
	fewer := honest
	fewer.Launches = nil
	for _, l := range honest.Launches {
		if l.Index%2 == 1 {
			l.Index = len(fewer.Launches)
			fewer.Launches = append(fewer.Launches, l)
		}
	}
	half := strings.Replace(document, "minReplicates: 6", "minReplicates: 3", 1)
	tests := []struct {
		name, seed string
		document   string
		plan       plan.Plan
		want       string // of the failure; empty where there is none
	}{
		{"honest", "7", document, honest, ""},
		{"no seed told", "", document, honest, ""},
		{"every second launch left out", "7", half, fewer, "launch 1 has seed"},
		{"another seed", "9", document, honest, "was made with seed 9, its plan has seed 7"},
		{"another document", "7", half, honest, "spec.trials.minReplicates is 3 in spec.yaml and 6 in the plan"},
	}
	for _, tt := range tests {
		h := header()
		h.Spec = []byte(tt.document)
		h.Plan, err = json.Marshal(tt.plan)
		check(t, err)
		w := create(t, h)
		if tt.seed != "" {
			check(t, w.SetInputs(Inputs{Seeds: map[string]string{"run": tt.seed}}))
		}
		_, err = w.Seal(context.Background(), Completed, SealOptions{})
		check(t, err)
		r := verify(t, w.Dir())
		if r.Verified != (tt.want == "") {
			t.Errorf("%s: verified %v: %+v", tt.name, r.Verified, r.Failures())
		}
		if tt.want != "" && (len(r.Failures()) == 0 || !strings.Contains(r.Failures()[0].Detail, tt.want)) {
			t.Errorf("%s: %+v, want %q", tt.name, r.Failures(), tt.want)
		}
	}
}
