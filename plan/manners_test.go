package plan

import (
	"fmt"
	"slices"
	"testing"

	"assay/spec"
)

// A library reads its environment when ranks join: every algorithm, protocol and
// setting of it has a world of its own, and the native backend, which does not, has
// one world for all.
func TestManners(t *testing.T) {
	t.Parallel()
	worlds := func(collectives string) (list []string) {
		t.Helper()
		doc, faults := spec.Parse("t", fmt.Appendf(nil, `{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: t},
spec: {workload: {model: none}, collectives: {ranks: [2], operations: [all_reduce, barrier], sizes: [1MiB], place: out_of_place, %s}}}`, collectives))
		if !spec.Valid(faults) {
			t.Fatal(faults)
		}
		p, err := New(*doc.Run)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range p.Worlds(p.Launches[0]) {
			list = append(list, fmt.Sprintf("%s %v %d", w.Points[0].Collective.Asked(), w.Points[0].Collective.Env, len(w.Points)))
		}
		return list
	}
	for _, tt := range []struct {
		collectives string
		want        []string
	}{
		{"algorithms: [auto, ring, tree]", []string{"auto [] 6"}},
		{"backend: nccl, algorithms: [auto, ring, nvls]", []string{"auto [] 2", "ring [NCCL_ALGO=Ring] 2", "nvls [NCCL_ALGO=NVLS] 2"}},
		{"backend: nccl, algorithms: [tree], protocols: [auto, ll128]", []string{"tree [NCCL_ALGO=Tree] 2", "tree ll128 [NCCL_ALGO=Tree NCCL_PROTO=LL128] 2"}},
		{"backend: nccl, stability: 5, settings: [{name: ctas, env: [NCCL_MIN_CTAS=16, NCCL_MAX_CTAS=16]}]", []string{"auto [] 3", "ctas [NCCL_MAX_CTAS=16 NCCL_MIN_CTAS=16] 2"}},
		{"backend: gloo, settings: [{name: one, env: [OMP_NUM_THREADS=1]}]", []string{"auto [] 2", "one [OMP_NUM_THREADS=1] 2"}},
	} {
		if got := worlds(tt.collectives); !slices.Equal(got, tt.want) {
			t.Errorf("%s: worlds %q, want %q", tt.collectives, got, tt.want)
		}
	}
}
