package kubernetes

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"assay/spec"
	"assay/tests/program"
)

// world is a run of collectives between two ranks, each a pod.
const world = `
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: world, namespace: default}
spec:
  intent: {workloadType: training}
  workload: {model: none, precision: fp32}
  collectives: {ranks: [2], operations: [all_reduce], sizes: [1KiB], iterations: 5, launch: {kind: environment}}
  kubernetes: {exclusive: true}
`

// Ranks and load generators are pods that know each other by a secret of their own, on nodes
// of their own where the run is exclusive, and one bundle comes back.
func several(t *testing.T, c *Cluster, node *Node) {
	c.AddNode("node-3", program.Path(t))
	load := strings.Replace(string(run(t, "spread", "1s", "queue: benchmarks, resources: {cpu: \"1\"}")), "concurrency: [1]", "concurrency: [3], generators: 3, launch: {kind: environment}", 1)
	c.Apply([]byte(load))
	one := sealedOnce(t, c, node, "spread")
	var manifest struct {
		Environment map[string]struct{ Value any }
	}
	if err := json.Unmarshal(read(t, filepath.Join(one, "manifest.json")), &manifest); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(manifest.Environment["launcher.pods"].Value); got != "3" {
		t.Errorf("the bundle knows of %s pods", got)
	}
	if logs, _ := filepath.Glob(filepath.Join(one, "raw", "*", "logs", "generator-*")); len(logs) == 0 {
		t.Error("the bundle has nothing of its load generators")
	}
	c.Apply([]byte(world))
	sealedOnce(t, c, node, "world")
	s, err := statusOf(t.Context(), c, "world")
	if err != nil || !slices.Equal(s.Scheduling.Nodes, []string{"node-1", "node-3"}) {
		t.Errorf("exclusive ranks were on %v (%v), want a node for each", s.Scheduling.Nodes, err)
	}
	secret := &corev1.Secret{}
	secret.Name, secret.Namespace = "world", "default"
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(secret), secret); err != nil || len(secret.Data["ASSAY_TOKEN"]) < 40 {
		t.Fatalf("the secret of the run: %v", err)
	}
	u := objects(t, []byte(world))[0]
	if err := c.Delete(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	gone(t, c, u)
	gone(t, c, secret) // it goes with its run
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(secret), secret); !apierrors.IsNotFound(err) {
		t.Errorf("the secret is still there: %v", err)
	}
	killedMember(t, c)
}

// A run that loses a pod ends, says so, and keeps nobody waiting.
func killedMember(t *testing.T, c *Cluster) {
	text := strings.Replace(string(run(t, "lost", "10m", "")), "concurrency: [1]", "concurrency: [2], generators: 2, launch: {kind: environment}", 1)
	c.Apply([]byte(text))
	phase(t, c, "lost", "Running")
	var pods corev1.PodList
	if err := c.List(t.Context(), &pods, client.InNamespace("default"), client.MatchingLabels{"jobset.sigs.k8s.io/jobset-name": "lost"}); err != nil || len(pods.Items) != 2 {
		t.Fatalf("%d pods: %v", len(pods.Items), err)
	}
	slices.SortFunc(pods.Items, func(a, b corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	if err := c.Delete(t.Context(), &pods.Items[1]); err != nil {
		t.Fatal(err)
	}
	s := ends(t, c, "lost")
	if s.Phase != "Void" && s.Phase != "Failed" {
		t.Errorf("a run that lost a pod is %s: %+v", s.Phase, s.Conditions)
	}
}

// ends waits until a run has come to an end, whichever.
func ends(t *testing.T, c *Cluster, name string) (s spec.Status) {
	t.Helper()
	Eventually(t, name+" ends", func(ctx context.Context) (err error) {
		if s, err = statusOf(ctx, c, name); err == nil && !slices.Contains(lastPhases, s.Phase) {
			err = fmt.Errorf("phase is %q: %+v", s.Phase, s.Conditions)
		}
		return err
	})
	return s
}

// sealedOnce waits for the end of a run and is its only bundle, which verifies.
func sealedOnce(t *testing.T, c *Cluster, node *Node, name string) string {
	t.Helper()
	s := phase(t, c, name, "Succeeded")
	all, _ := filepath.Glob(filepath.Join(node.Runs, "*__"+name))
	if len(all) != 1 || filepath.Base(all[0]) != s.RunID {
		t.Fatalf("bundles of %s: %v, and its status says %s", name, all, s.RunID)
	}
	if got := program.Run(t, t.TempDir(), "verify", all[0]); got.Code != 0 {
		t.Errorf("verify: %s", got.Text())
	}
	return all[0]
}
