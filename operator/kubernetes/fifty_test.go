package kubernetes

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// stages are what KWOK has become of a node and its pods: the node is ready, a pod runs for
// two or three seconds and says at its end what assay would, and one that is deleted goes.
const stages = `
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: node-is-ready}
spec:
  resourceRef: {apiGroup: v1, kind: Node}
  selector:
    matchExpressions: [{key: '.status.conditions.[] | select( .type == "Ready" ) | .status', operator: NotIn, values: ["True"]}]
  next:
    statusTemplate: |
      conditions: [{type: Ready, status: "True", reason: Tests, message: made up, lastHeartbeatTime: {{ Now | Quote }}, lastTransitionTime: {{ Now | Quote }}}]
      allocatable: {cpu: "64", memory: 256Gi, pods: "500"}
      capacity: {cpu: "64", memory: 256Gi, pods: "500"}
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: pod-begins}
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector:
    matchExpressions: [{key: .metadata.deletionTimestamp, operator: DoesNotExist}, {key: .status.startTime, operator: DoesNotExist}]
  delay: {durationMilliseconds: 500}
  next:
    statusTemplate: |
      phase: Running
      startTime: {{ Now | Quote }}
      conditions: [{type: Ready, status: "True", lastTransitionTime: {{ Now | Quote }}}]
      containerStatuses: [{name: assay, image: "none", imageID: "none", ready: true, restartCount: 0, state: {running: {startedAt: {{ Now | Quote }}}}}]
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: pod-ends}
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector:
    matchExpressions: [{key: .metadata.deletionTimestamp, operator: DoesNotExist}, {key: .status.phase, operator: In, values: [Running]}]
  delay: {durationMilliseconds: 2000, jitterDurationMilliseconds: 3000}
  next:
    statusTemplate: |
      phase: Succeeded
      containerStatuses: [{name: assay, image: "none", imageID: "none", ready: false, restartCount: 0, state: {terminated: {exitCode: 0, reason: Completed,
        startedAt: {{ .status.startTime | Quote }}, finishedAt: {{ Now | Quote }}, message: '{"runId":"r","directory":"/runs/r","status":"completed","digest":"sha256:0"}'}}}]
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: pod-goes}
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector:
    matchExpressions: [{key: .metadata.deletionTimestamp, operator: Exists}]
  next: {delete: true, finalizers: {empty: true}}
`

// addFakeNode gives the cluster a node whose pods KWOK makes up.
func addFakeNode(t *testing.T, c *Cluster, name string) {
	t.Helper()
	c.start("kwok", "--kubeconfig", c.path("kubeconfig"), "--config", c.write("stages.yaml", stages), "--manage-all-nodes=false",
		"--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake", "--node-lease-duration-seconds=0", "--server-address="+free(t))
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: name, Annotations: map[string]string{"kwok.x-k8s.io/node": "fake"}, Labels: map[string]string{corev1.LabelHostname: name, "rack": "r2", "pool": "tests"},
	}}
	if err := c.Create(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	c.untaint(name)
	Eventually(t, "KWOK's node", func(ctx context.Context) error {
		if err := c.Get(ctx, client.ObjectKeyFromObject(node), node); err != nil || len(node.Status.Allocatable) == 0 {
			return fmt.Errorf("nobody has said what %s holds: %v", name, err)
		}
		return nil
	})
}

// Fifty runs at once, each of two pods, come to their end: Kubernetes, JobSet, Kueue and the
// operator are real, and KWOK makes up what their containers do. When they are deleted
// nothing of them is left in the cluster or in the operator.
func fifty(t *testing.T, c *Cluster) {
	addFakeNode(t, c, "node-2")
	defer retire(t, c, "node-2") // whose pods measure nothing
	goroutines, heap := inUse()
	var all []*unstructured.Unstructured
	for i := range 50 {
		text := strings.Replace(string(run(t, fmt.Sprintf("many-%02d", i), "1s", "queue: benchmarks, resources: {cpu: 100m}, nodeSelector: {kubernetes.io/hostname: node-2}")),
			"concurrency: [1]", "concurrency: [2], generators: 2, launch: {kind: environment}", 1)
		c.Apply([]byte(text))
		all = append(all, objects(t, []byte(text))...)
	}
	for _, u := range all {
		phase(t, c, u.GetName(), "Succeeded")
	}
	for _, u := range all {
		if err := c.Delete(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	for _, u := range all {
		gone(t, c, u)
	}
	nothingLeft(t, c, "many-")
	Eventually(t, "goroutines and memory", func(context.Context) error {
		now, held := inUse()
		if now > goroutines+25 || held > heap+32<<20 {
			return fmt.Errorf("%d goroutines and %d bytes before fifty runs, %d and %d after", goroutines, heap, now, held)
		}
		return nil
	})
}

// inUse is what this process, which is the operator too, holds.
func inUse() (goroutines int, heap uint64) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return runtime.NumGoroutine(), m.HeapAlloc
}

// nothingLeft wants no object whose name holds a word.
func nothingLeft(t *testing.T, c *Cluster, word string) {
	t.Helper()
	for _, kind := range []struct{ version, kind string }{
		{"jobset.x-k8s.io/v1alpha2", "JobSetList"}, {"batch/v1", "JobList"}, {"kueue.x-k8s.io/v1beta2", "WorkloadList"}, {"v1", "PodList"},
		{"v1", "ConfigMapList"}, {"v1", "SecretList"}, {"v1", "ServiceList"},
	} {
		Eventually(t, "no "+kind.kind, func(ctx context.Context) error {
			list := &unstructured.UnstructuredList{}
			list.SetAPIVersion(kind.version)
			list.SetKind(kind.kind)
			if err := c.List(ctx, list, client.InNamespace("default")); err != nil {
				return err
			}
			for _, o := range list.Items {
				if strings.Contains(o.GetName(), word) {
					return fmt.Errorf("%s is left", o.GetName())
				}
			}
			return nil
		})
	}
}

// retire keeps new pods off a node.
func retire(t *testing.T, c *Cluster, name string) {
	t.Helper()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if err := c.Patch(t.Context(), node, client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"unschedulable":true}}`))); err != nil {
		t.Error(err)
	}
}
