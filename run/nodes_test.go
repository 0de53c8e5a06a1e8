package run

import (
	"testing"

	"assay/bundle"
	"assay/plan"
	"assay/record"
	"assay/spec"
)

// Every host has its own pod, node and devices; one that says nothing says why.
func TestHostKeys(t *testing.T) {
	far := record.Environment{}
	for name, value := range map[string]string{
		"env.SLURM_JOB_ID": "42", "env.SLURMD_NODENAME": "node-7", "env.POD_UID": "p-1", "host.name": "other", "gpu.0.uuid": "GPU-b", "gpu.1.uuid": "GPU-a",
	} {
		far.Set(name, value)
	}
	bare := record.Environment{}
	bare.Set("host.name", "bare")
	asked := spec.Run{}
	asked.Spec.Observability.Correlation.StableJoinKeys = []string{"run_id", "job_uid", "pod_uid", "node_name", "gpu_uuid"}
	e := &execution{plan: plan.Plan{Run: asked}, opts: Options{Nodes: []bundle.Node{{Name: "a", Environment: far}, {Name: "b", Environment: bare}, {Name: "silent"}}}}
	nodes, err := e.nodes()
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"job_uid": "42", "pod_uid": "p-1", "node_name": "node-7", "gpu_uuid": "GPU-a,GPU-b"} {
		if got := nodes[0].Environment["join."+key].Value; got != want {
			t.Errorf("%s of the first host is %v, want %s", key, got, want)
		}
	}
	if got := nodes[1].Environment["join.node_name"].Value; got != "bare" {
		t.Errorf("the second host is called %v, want bare", got)
	}
	if fact := nodes[1].Environment["join.pod_uid"]; fact.Value != nil || fact.Unavailable == "" {
		t.Errorf("the second host has pod %+v, want none and why", fact)
	}
	if _, there := nodes[0].Environment["join.run_id"]; there {
		t.Error("a host has a run of its own")
	}
	if _, there := far["join.pod_uid"]; there {
		t.Error("what the launcher captured was changed")
	}
}
