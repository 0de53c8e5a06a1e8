package plan

import (
	"slices"
	"testing"
)

// A suite is what the plan measures, or has a command, or is nobody's.
func TestPaths(t *testing.T) {
	p := planned(t, `workload: {model: m}, target: {url: "http://127.0.0.1:1"}, probe: {probes: [disk]}, layers: [
		{name: micro, enabled: true, suites: [{name: fio-storage}, {name: nccl-allreduce}, {name: modern-llm}, {name: ours, repoCommand: "make ours"}, {name: unheard-of}]},
		{name: component, enabled: false, suites: [{name: train-step}]}, {name: end_to_end, enabled: true, suites: [{name: serving-load}]}]`)
	want := []string{
		"spec.layers[0].suites[0] fio-storage: measured by this run",
		"spec.layers[0].suites[1] nccl-allreduce: not part of this run: assay comm --backend nccl --ops all_reduce",
		"spec.layers[0].suites[2] modern-llm: not part of this run: assay suite modern-llm",
		"spec.layers[0].suites[3] ours: not part of this run: make ours",
		"spec.layers[0].suites[4] unheard-of: nothing carries it out",
		"spec.layers[2].suites[0] serving-load: measured by this run",
	}
	var got []string
	for _, path := range p.Paths() {
		got = append(got, path.Field+" "+path.Suite+": "+path.String())
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
	for _, path := range planned(t, `workload: {model: m}, intent: {workloadType: mixed}, target: {url: "http://127.0.0.1:1"}`).Paths() {
		if !path.Here {
			t.Errorf("the default suite %s: %s", path.Suite, path)
		}
	}
}
