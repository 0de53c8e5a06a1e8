package plan

import (
	"slices"
	"testing"
)

// Launches take the sizes of a study in orders of their own, each size once.
func TestStepsAreShuffled(t *testing.T) {
	p, err := New(parse(t, `apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: sizes}
spec:
  intent: {workloadType: training}
  workload: {model: m}
  train: {ranks: [1, 2, 4, 8], single: true}
  trials: {minReplicates: 5}
`))
	if err != nil {
		t.Fatal(err)
	}
	orders := map[int]bool{} // first points
	for _, l := range p.Launches {
		orders[l.Order[0]] = true
		if got := slices.Sorted(slices.Values(l.Order)); !slices.Equal(got, []int{0, 1, 2, 3, 4}) {
			t.Errorf("launch %d has points %v", l.Index, got)
		}
	}
	if len(orders) < 2 {
		t.Errorf("every launch begins with the same size: %v", orders)
	}
}
