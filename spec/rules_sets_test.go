package spec

import (
	"fmt"
	"strings"
	"testing"
)

// Hosts that cannot be cut into sets of one size are refused before anything starts.
func TestSetsAgree(t *testing.T) {
	f := func(launch, want string) {
		t.Helper()
		source := fmt.Sprintf("apiVersion: assay.dev/v1alpha1\nkind: BenchmarkRun\nmetadata: {name: s}\nspec:\n  workload: {model: collectives, precision: fp32}\n  intent: {workloadType: training}\n  collectives: {ranks: [2], launch: {%s}}\n", launch)
		_, faults := Parse("", []byte(source))
		var texts []string
		for _, one := range faults {
			texts = append(texts, one.Error())
		}
		got := strings.Join(texts, "; ")
		if want == "" && strings.Contains(got, "launch") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", launch, got, want)
		}
	}
	f("kind: ssh, hosts: [a, b, c, d], sets: 2", "")
	f("kind: slurm, slurm: {nodes: 4}, sets: 2", "")
	f("namespaces: [a, b, c, d], sets: 2", "")
	f("kind: slurm, slurm: {nodes: 3}, sets: 2", "multiple of it")
	f("kind: slurm, slurm: {nodes: 4, tasksPerNode: 1}, sets: 4", "no room for a world of 2")
	f("sets: 2", "this host alone is one set")
	f("namespaces: [a, b, c], sets: 2", "names 1 for a world of 2 ranks")
	f("namespaces: [a, b, c, d, e], sets: 2", "cannot be cut into sets of one size")
	f("kind: environment, sets: 2", "placed the ranks already")
}
