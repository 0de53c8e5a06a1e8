package kubernetes

import (
	"os"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"assay/suite/cordon"
)

// cordoned takes a node out of service and puts it back through kubectl and the API server,
// with the reason where people look for it.
func cordoned(t *testing.T, c *Cluster, node *Node) {
	t.Setenv("PATH", c.bin+":"+os.Getenv("PATH"))
	t.Setenv("KUBECONFIG", c.path("kubeconfig"))
	found, state, err := cordon.Find(t.Context(), "kubernetes", node.Name)
	if err != nil || state.Out {
		t.Fatalf("%s: %+v, %v, want it in service", node.Name, state, err)
	}
	const why = `disk 60 % behind; "see" runs/nodes=1`
	if state, err = found.Out(t.Context(), node.Name, why); err != nil || !state.Out || state.Why != why {
		t.Fatalf("cordon: %+v, %v", state, err)
	}
	var seen corev1.Node
	if err := c.Get(t.Context(), client.ObjectKey{Name: node.Name}, &seen); err != nil || !seen.Spec.Unschedulable || seen.Annotations["assay.dev/cordoned-because"] != why {
		t.Errorf("the API server has %v, %v, %v", seen.Spec.Unschedulable, seen.Annotations, err)
	}
	if state, err = found.Back(t.Context(), node.Name); err != nil || state.Out || state.Why != "" {
		t.Errorf("uncordon: %+v, %v", state, err)
	}
	if _, _, err := cordon.Find(t.Context(), "kubernetes", "nobody"); err == nil {
		t.Error("a node that is not there was found")
	}
}
