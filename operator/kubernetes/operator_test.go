package kubernetes

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"assay/operator"
	"assay/spec"
	"assay/tests/program"
	"assay/tests/whole"
)

func TestMain(m *testing.M) { os.Exit(program.Main(m)) }

// queues are a quota of four processors, of which a run takes two.
const queues = `
apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: racks}
spec: {levels: [{nodeLabel: rack}, {nodeLabel: kubernetes.io/hostname}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: tests}
spec: {nodeLabels: {pool: tests}, topologyName: racks}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: cluster}
spec:
  namespaceSelector: {}
  stopPolicy: Hold
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: tests, resources: [{name: cpu, nominalQuota: 4}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: benchmarks, namespace: default}
spec: {clusterQueue: cluster}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: bundles}
spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteMany], hostPath: {path: /nowhere}, storageClassName: tests}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: bundles, namespace: default}
spec: {accessModes: [ReadWriteMany], storageClassName: tests, volumeName: bundles, resources: {requests: {storage: 1Gi}}}
`

// run is a BenchmarkRun of the simulator that measures for so long.
func run(t *testing.T, name, duration, placement string) []byte {
	return fmt.Appendf(nil, `
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: %s, namespace: default}
spec:
  workload: {model: sim, tokenizer: {kind: server}, sequenceLengthMix: [{inputTokens: 16, outputTokens: 4, weight: 1}]}
  target:
    url: http://%s
    server: {command: [%s, sim, --addr, %q], ready: {interval: 50ms}}
  load: {concurrency: [1], duration: %s, warmup: {duration: 100ms}, calibrate: false}
  trials: {quick: true}
  kubernetes: {%s}
`, name, addressOf(name), program.Path(t), addressOf(name), duration, placement)
}

// addressOf is a port of its own for each test's server.
func addressOf(name string) string {
	sum := 0
	for _, r := range name {
		sum = (sum*31 + int(r)) % 9000
	}
	return fmt.Sprintf("127.0.0.1:%d", 20000+sum)
}

const inQueue = "queue: benchmarks, resources: {cpu: \"2\"}, requiredTopology: rack"

// wanted skips a test unless the cluster is asked for: make test-kubernetes builds its
// servers and runs them.
func wanted(t *testing.T) {
	t.Helper()
	if os.Getenv(whole.Variable) != "kubernetes" {
		t.Skipf("starts a Kubernetes cluster: make test-kubernetes runs it, or %s=kubernetes", whole.Variable)
	}
}

// TestOperator takes runs through a real cluster. The operator has the permissions of its
// own manifests and no others.
func TestOperator(t *testing.T) {
	wanted(t)
	c := Start(t)
	install(t, c, operator.Options{Claim: "bundles"})
	c.Apply([]byte(queues))
	node := c.AddNode("node-1", program.Path(t))
	stop := startOperator(t, c)
	defer func() { stop() }()
	t.Run("kustomize", func(t *testing.T) { kustomize(t, c) })
	t.Run("happy", func(t *testing.T) { happy(t, c, node) })
	t.Run("rejected", func(t *testing.T) { rejected(t, c) })
	t.Run("frozen", func(t *testing.T) { frozen(t, c) })
	t.Run("evicted", func(t *testing.T) { evicted(t, c, node) })
	t.Run("company", func(t *testing.T) { company(t, c) })
	t.Run("restarted", func(t *testing.T) {
		c.Apply(run(t, "restarted", "5s", ""))
		phase(t, c, "restarted", "Running")
		stop() // another operator goes on by what the cluster holds
		stop = startOperator(t, c)
		phase(t, c, "restarted", "Succeeded")
	})
	t.Run("deleted", func(t *testing.T) { deleted(t, c, node) })
	t.Run("several", func(t *testing.T) { several(t, c, node) })
	t.Run("cordoned", func(t *testing.T) { cordoned(t, c, node) })
	scheduled(t, c) // which wait for the next minute
	t.Run("fifty", func(t *testing.T) { fifty(t, c) })
	t.Run("upgrade", func(t *testing.T) { upgrade(t, c) })
	t.Run("schedules", func(t *testing.T) { schedules(t, c, node) })
	t.Run("webhook", func(t *testing.T) {
		stop()
		webhooked(t, c)
	})
}

// install applies the manifests of an operator, which is this process.
func install(t *testing.T, c *Cluster, o operator.Options) {
	t.Helper()
	manifests, err := operator.Manifests(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects(t, manifests) {
		if o.GetKind() == "Deployment" {
			if err := unstructured.SetNestedField(o.Object, int64(0), "spec", "replicas"); err != nil {
				t.Fatal(err)
			}
		}
		c.apply(o)
	}
}

// startOperator starts the operator as its service account.
func startOperator(t *testing.T, c *Cluster, changes ...func(*operator.Options)) (stop func()) {
	t.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "assay-operator", Namespace: "assay-system"}}
	asked := &authenticationv1.TokenRequest{}
	Eventually(t, "token", func(ctx context.Context) error { return c.SubResource("token").Create(ctx, account, asked) })
	cfg := rest.CopyConfig(c.Config)
	cfg.BearerToken = asked.Status.Token
	ctx, cancel := context.WithCancel(context.Background())
	options := operator.Options{Image: "assay:tests", Claim: "bundles", LeaderNamespace: "assay-system"}
	for _, change := range changes {
		change(&options)
	}
	ended := make(chan error, 1)
	go func() { ended <- operator.Run(ctx, cfg, options) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the operator ended with %v", err)
		}
	}
	return stop
}

// statusOf is the status of a run.
func statusOf(ctx context.Context, c *Cluster, name string) (s spec.Status, err error) {
	u := &unstructured.Unstructured{}
	u.SetAPIVersion(spec.APIVersion)
	u.SetKind(spec.KindBenchmarkRun)
	if err := c.Get(ctx, client.ObjectKey{Namespace: "default", Name: name}, u); err != nil {
		return s, err
	}
	data, err := json.Marshal(u.Object["status"])
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	return s, err
}

// lastPhases are those that a run stays in.
var lastPhases = []string{"Succeeded", "Partial", "Failed", "Void"}

// phase waits until a run has come to a phase.
func phase(t *testing.T, c *Cluster, name, want string) (s spec.Status) {
	t.Helper()
	Eventually(t, name+" "+want, func(ctx context.Context) (err error) {
		s, err = statusOf(ctx, c, name)
		if err == nil && s.Phase != want && slices.Contains(lastPhases, s.Phase) {
			t.Fatalf("%s is %s, want %s: %+v", name, s.Phase, want, s.Conditions)
		}
		if err == nil && s.Phase != want {
			err = fmt.Errorf("phase is %q: %+v", s.Phase, s.Conditions)
		}
		return err
	})
	return s
}

func conditionOf(s spec.Status, name string) spec.Condition {
	for _, c := range s.Conditions {
		if c.Type == name {
			return c
		}
	}
	return spec.Condition{}
}

// hold has the queue admit nothing, or everything that there is room for.
func hold(t *testing.T, c *Cluster, policy string) {
	t.Helper()
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": map[string]any{"name": "cluster"}}}
	patch := client.RawPatch("application/merge-patch+json", fmt.Appendf(nil, `{"spec":{"stopPolicy":%q}}`, policy))
	if err := c.Patch(t.Context(), u, patch); err != nil {
		t.Fatal(err)
	}
}

// A run waits in its queue, is admitted, measures, and leaves a bundle that verifies and
// holds what the scheduler did.
func happy(t *testing.T, c *Cluster, node *Node) {
	c.Apply(run(t, "happy", "1s", inQueue))
	if s := phase(t, c, "happy", "Queued"); s.Scheduling.Workload == "" {
		Eventually(t, "workload", func(ctx context.Context) error {
			if s, err := statusOf(ctx, c, "happy"); err != nil || s.Scheduling.Workload == "" {
				return fmt.Errorf("no workload: %v %v", s, err)
			}
			return nil
		})
	}
	time.Sleep(2 * time.Second) // Kubernetes stamps whole seconds, and the wait is to be seen
	hold(t, c, "None")
	s := phase(t, c, "happy", "Succeeded")
	if s.RunID == "" || s.BundleDigest == "" || !strings.HasPrefix(s.RunDirectory, "pvc://bundles/") || s.SelectedSchedulerPath != "kueue-topology-aware" {
		t.Errorf("status is %+v", s)
	}
	if got := s.Scheduling; got.ClusterQueue != "cluster" || !slices.Equal(got.Nodes, []string{"node-1"}) || got.QueueWaitSeconds <= 0 || !slices.Equal(got.Topology, []string{"kubernetes.io/hostname=node-1"}) {
		t.Errorf("scheduling is %+v", got)
	}
	dir := filepath.Join(node.Runs, s.RunID)
	if got := program.Run(t, t.TempDir(), "verify", dir); got.Code != 0 {
		t.Errorf("verify: %s", got.Text())
	}
	var manifest struct {
		Digest      string
		Environment map[string]struct{ Value any }
	}
	if err := json.Unmarshal(read(t, filepath.Join(dir, "manifest.json")), &manifest); err != nil {
		t.Fatal(err)
	}
	e := manifest.Environment
	if manifest.Digest != s.BundleDigest || e["scheduler.kind"].Value != "kueue" || e["scheduler.queue_wait_seconds"].Value != s.Scheduling.QueueWaitSeconds ||
		e["scheduler.job"].Value != "default/happy" || fmt.Sprint(e["scheduler.nodes"].Value) != "[node-1]" {
		t.Errorf("the bundle %s says of its scheduling %v, and the status %+v", manifest.Digest, e["scheduler.job"], s.Scheduling)
	}
}

// A spec that assay validate refuses is refused in its words, and nothing is made.
func rejected(t *testing.T, c *Cluster) {
	text := strings.Replace(string(run(t, "rejected", "1s", "resources: {cpu: lots}")), "concurrency: [1]", "concurrency: [1, 1]", 1)
	c.Apply([]byte(text))
	s := phase(t, c, "rejected", "Failed")
	file := filepath.Join(t.TempDir(), "run.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	got := conditionOf(s, "Validated")
	said := program.Run(t, t.TempDir(), "validate", file).Stdout
	if got.Status != "False" || got.Reason != "SpecInvalid" || !strings.Contains(got.Message, "spec.kubernetes.resources.cpu") {
		t.Errorf("Validated is %+v", got)
	}
	for line := range strings.Lines(got.Message) {
		if !strings.Contains(said, strings.TrimSpace(line)) {
			t.Errorf("the condition says %q, and assay validate\n%s", line, said)
		}
	}
	none(t, c, "rejected")
}

// none wants nothing in the cluster that belongs to a run.
func none(t *testing.T, c *Cluster, name string) {
	t.Helper()
	j := jobSet(name)
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(j), j); !apierrors.IsNotFound(err) {
		t.Errorf("there is a JobSet %s: %v", name, err)
	}
}

func jobSet(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": map[string]any{"name": name, "namespace": "default"}}}
}

// What a run asks does not change, and what Kueue alone could do is refused at once.
func frozen(t *testing.T, c *Cluster) {
	changed := objects(t, []byte(strings.Replace(string(run(t, "happy", "1s", inQueue)), "duration: 1s", "duration: 2s", 1)))[0]
	err := c.Client.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(changed), client.FieldOwner("tests"), client.ForceOwnership)
	if err == nil || !strings.Contains(err.Error(), "the spec of a run does not change") {
		t.Errorf("changed: %v", err)
	}
	without := objects(t, run(t, "without", "1s", "requiredTopology: rack"))[0]
	err = c.Client.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(without), client.FieldOwner("tests"))
	if err == nil || !strings.Contains(err.Error(), "want spec.kubernetes.queue beside them") {
		t.Errorf("topology without a queue: %v", err)
	}
}

// Kueue takes a run back while it measures: it is void by name, its pod seals what it has,
// and nothing of it is started again.
func evicted(t *testing.T, c *Cluster, node *Node) {
	c.Apply(run(t, "evicted", "10m", inQueue))
	s := phase(t, c, "evicted", "Running")
	begun(t, node.Runs, "evicted")
	w := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload", "metadata": map[string]any{"name": s.Scheduling.Workload, "namespace": "default"}}}
	if err := c.Patch(t.Context(), w, client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"active":false}}`))); err != nil {
		t.Fatal(err)
	}
	s = phase(t, c, "evicted", "Void")
	got := conditionOf(s, "Void")
	if !slices.Contains([]string{"Evicted", "Suspended"}, got.Reason) || len(s.VoidLaunches) != 1 || !strings.HasPrefix(s.VoidLaunches[0], "evicted: ") {
		t.Errorf("void as %+v: %v", got, s.VoidLaunches)
	}
	gone(t, c, jobSet("evicted"))
	sealed(t, node, "evicted")
}

// gone waits until an object is.
func gone(t *testing.T, c *Cluster, o client.Object) {
	t.Helper()
	Eventually(t, o.GetName()+" goes", func(ctx context.Context) error {
		err := c.Get(ctx, client.ObjectKeyFromObject(o), o)
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("still there: %v", err)
	})
}

// begun waits until a run has a bundle to seal: a container runs a moment before that.
func begun(t *testing.T, runs, name string) {
	t.Helper()
	Eventually(t, "beginning of "+name, func(context.Context) error {
		if found, _ := filepath.Glob(filepath.Join(runs, "*__"+name)); len(found) == 0 {
			return fmt.Errorf("no bundle in %s", runs)
		}
		return nil
	})
}

// sealed wants the bundle of a run that was cut off, sealed as aborted.
func sealed(t *testing.T, node *Node, name string) {
	t.Helper()
	Eventually(t, "bundle of "+name, func(context.Context) error {
		files, _ := filepath.Glob(filepath.Join(node.Runs, "*__"+name, "manifest.json"))
		if len(files) != 1 {
			return fmt.Errorf("sealed bundles: %v", files)
		}
		if text := string(read(t, files[0])); !strings.Contains(text, `"aborted"`) {
			return fmt.Errorf("not sealed as aborted: %.300s", text)
		}
		return nil
	})
}

// An exclusive run whose node has other pods is void, and they are named.
func company(t *testing.T, c *Cluster) {
	other := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "other", Namespace: "default"}, Spec: corev1.PodSpec{
		NodeName: "node-1", Containers: []corev1.Container{{Name: "c", Image: "none", Args: []string{"sim", "--addr", free(t)}}},
	}}
	if err := c.Create(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	c.Apply(run(t, "company", "1s", "exclusive: true"))
	s := phase(t, c, "company", "Void")
	if got := conditionOf(s, "Void"); got.Reason != "NotIsolated" || !strings.Contains(got.Message, "default/other") {
		t.Errorf("void as %+v", got)
	}
	if err := c.Delete(t.Context(), other); err != nil {
		t.Fatal(err)
	}
}

// A run that is deleted while it measures goes when its pod has sealed its bundle.
func deleted(t *testing.T, c *Cluster, node *Node) {
	text := run(t, "deleted", "10m", "")
	c.Apply(text)
	phase(t, c, "deleted", "Running")
	begun(t, node.Runs, "deleted")
	u := objects(t, text)[0]
	if err := c.Delete(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	gone(t, c, u)
	none(t, c, "deleted")
	sealed(t, node, "deleted")
}

// A run that was made under the CRD before this one is carried out under this one, and what
// the cluster held of it stays.
func upgrade(t *testing.T, c *Cluster) {
	crd := objects(t, read(t, "../../config/crd/benchmarkruns.assay.dev.yaml"))[0]
	older := crd.DeepCopy()
	versions, _, _ := unstructured.NestedSlice(older.Object, "spec", "versions")
	version := versions[0].(map[string]any)
	for _, field := range [][]string{{"spec", "properties", "kubernetes"}, {"status", "properties", "scheduling"}} {
		unstructured.RemoveNestedField(version, append([]string{"schema", "openAPIV3Schema", "properties"}, field...)...)
	}
	unstructured.RemoveNestedField(version, "schema", "openAPIV3Schema", "properties", "spec", "x-kubernetes-validations")
	older.Object["spec"].(map[string]any)["versions"] = versions
	c.apply(older)
	time.Sleep(time.Second) // an API server serves a CRD a moment after it took it
	text := strings.Replace(string(run(t, "older", "1s", "")), "kubernetes: {}", "", 1)
	c.Apply([]byte(text))
	c.apply(crd)
	phase(t, c, "older", "Succeeded")
	s := phase(t, c, "happy", "Succeeded")
	if s.RunID == "" {
		t.Errorf("after the upgrade, the status of an older run is %+v", s)
	}
}
