package run

import (
	"slices"
	"testing"

	"assay/bundle"
	"assay/plan"
	"assay/spec"
)

// An earlier run asked the prompts of a launch where it drew them from one workload and one seed,
// asked them of one address whose server it did not start, and got so far.
func TestEarlierRunAsks(t *testing.T) {
	planned := func(change func(*spec.Run)) plan.Plan {
		doc, faults := spec.Parse("run.yaml", []byte(`
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: t}
spec:
  workload: {model: m, sequenceLengthMix: [{inputTokens: 64, outputTokens: 8, weight: 1}]}
  target: {url: "http://127.0.0.1:8000"}
  load: {concurrency: [1], duration: 1s}
  seed: 7
`))
		if !spec.Valid(faults) {
			t.Fatal(faults)
		}
		change(doc.Run)
		p, err := plan.New(*doc.Run)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	same := func(*spec.Run) {}
	made := func(launches ...int) (list []bundle.LaunchInfo) {
		for _, index := range launches {
			list = append(list, bundle.LaunchInfo{Index: index})
		}
		return list
	}
	now := planned(same)
	for _, tt := range []struct {
		name   string
		change func(*spec.Run)
		made   []bundle.LaunchInfo
		want   []bool // of the launches
	}{
		{"the same", same, made(0, 1, 2), []bool{true, true, true}},
		{"by another name", func(r *spec.Run) { r.Spec.Target.URL = "http://localhost:8000/" }, made(0, 1, 2), []bool{true, true, true}},
		{"another load", func(r *spec.Run) { r.Spec.Load.Concurrency = []int{4} }, made(0, 1, 2), []bool{true, true, true}},
		{"killed in its second launch, and resumed", same, made(0), []bool{true, false, false}},
		{"another seed", func(r *spec.Run) { r.Spec.Seed = 8 }, made(0, 1, 2), []bool{false, false, false}},
		{"another workload", func(r *spec.Run) { r.Spec.Workload.SequenceLengthMix[0].InputTokens = 65 }, made(0, 1, 2), []bool{false, false, false}},
		{"another server", func(r *spec.Run) { r.Spec.Target.URL = "http://127.0.0.1:8001" }, made(0, 1, 2), []bool{false, false, false}},
		{"a server of its own", func(r *spec.Run) { r.Spec.Target.Server = &spec.Server{Command: []string{"engine"}} }, made(0, 1, 2), []bool{false, false, false}},
	} {
		earlier := earlierRun{plan: planned(tt.change), made: tt.made}
		var got []bool
		for _, l := range now.Launches {
			got = append(got, earlier.asks(now, l.Seed))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: asked %v, want %v", tt.name, got, tt.want)
		}
	}
}
