package kubernetes

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
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

// imageFolder is what make image packs.
const imageFolder = "../../bin/image"

// contained is a BenchmarkRun of the simulator inside of its container.
func contained(name, duration, placement string) []byte {
	return fmt.Appendf(nil, `
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: %s, namespace: default}
spec:
  workload: {model: sim, tokenizer: {kind: server}, sequenceLengthMix: [{inputTokens: 16, outputTokens: 4, weight: 1}]}
  target:
    url: http://127.0.0.1:18000
    server: {command: [assay, sim, --addr, "127.0.0.1:18000"], ready: {interval: 50ms}}
  load: {concurrency: [1], duration: %s, warmup: {duration: 100ms}, calibrate: false}
  trials: {quick: true}
  kubernetes: {%s}
`, name, duration, placement)
}

// TestKubelet takes runs through a cluster whose node is a real kubelet: Helm installs the
// operator, which is a pod, and so is every run, each of the image that make image packs.
func TestKubelet(t *testing.T) {
	wanted(t)
	if why := withoutKubelet(); why != "" {
		t.Skip("no real kubelet here: " + why)
	}
	if _, err := os.Stat(filepath.Join(imageFolder, "usr/local/bin/assay-operator")); err != nil {
		t.Fatalf("there is no image: make image makes it (%v)", err)
	}
	c := StartReal(t)
	k := c.AddKubelet("real-1")
	c.ServePods()
	k.ImportPause()
	k.Import(imageFolder, "assay:tests")
	c.Apply([]byte(strings.Replace(queues, "/nowhere", k.Volumes, 1)))
	t.Run("helm", func(t *testing.T) { helmInstalls(t, c) })
	t.Run("refused", func(t *testing.T) { refused(t, c) })
	t.Run("happy", func(t *testing.T) { realHappy(t, c, k) })
	t.Run("ranks", func(t *testing.T) { realRanks(t, c, k) })
	t.Run("deleted", func(t *testing.T) { realDeleted(t, c, k) })
	t.Run("store", func(t *testing.T) { realStore(t, c) })
	t.Run("helm goes", func(t *testing.T) { helmGoes(t, c) })
}

// helm runs Helm and is what it printed.
func (c *Cluster) helm(t *testing.T, args ...string) string {
	t.Helper()
	out, err := c.tryHelm(args...)
	if err != nil {
		t.Fatalf("helm %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return out
}

// tryHelm adds what Helm says of a fault.
func (c *Cluster) tryHelm(args ...string) (string, error) {
	cmd := exec.Command(filepath.Join(c.bin, "helm"), args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+c.path("kubeconfig"), "HELM_CACHE_HOME="+c.path("helm"), "HELM_CONFIG_HOME="+c.path("helm"), "HELM_DATA_HOME="+c.path("helm"))
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		out = append(out, said.Bytes()...)
	}
	return string(out), err
}

const chartFolder = "../../deploy/helm/assay-operator"

// chartSettings are for this cluster.
var chartSettings = []string{"--namespace", "assay-system", "--set", "image=assay:tests,claim=bundles,webhook=true"}

// helmInstalls has Helm check, render, install and upgrade the chart. It waits until the
// operators are ready, which ask the API server as their own account.
func helmInstalls(t *testing.T, c *Cluster) {
	if out := c.helm(t, "lint", "--strict", chartFolder); !strings.Contains(out, "0 chart(s) failed") {
		t.Errorf("lint: %s", out)
	}
	if out, err := c.tryHelm("template", "assay", chartFolder); err == nil || !strings.Contains(out, "no image of assay is published: build one (make image)") {
		t.Errorf("without an image: %v, %s", err, out)
	}
	for _, webhook := range []string{"false", "true"} {
		kinds := map[string]int{}
		for _, o := range objects(t, []byte(c.helm(t, "template", "assay", chartFolder, "--include-crds", "--namespace", "n", "--set", "image=assay:tests,webhook="+webhook))) {
			kinds[o.GetKind()]++
		}
		if got := kinds["ValidatingWebhookConfiguration"] == 1 && kinds["Service"] == 1; kinds["CustomResourceDefinition"] != 2 || kinds["Deployment"] != 1 || got != (webhook == "true") {
			t.Errorf("with webhook=%s, Helm renders %v", webhook, kinds)
		}
	}
	c.helm(t, slices.Concat([]string{"install", "assay", chartFolder, "--create-namespace", "--wait", "--timeout", "10m"}, chartSettings, []string{"--set", "replicas=1"})...)
	c.helm(t, slices.Concat([]string{"upgrade", "assay", chartFolder, "--wait", "--timeout", "10m"}, chartSettings, []string{"--set", "replicas=2"})...)
	var pods corev1.PodList
	if err := c.List(t.Context(), &pods, client.InNamespace("assay-system")); err != nil || len(pods.Items) != 2 {
		t.Errorf("%d operators after the upgrade: %v", len(pods.Items), err)
	}
	// The operators have put their certificate into the configuration, and the upgrade has
	// left it there.
	config := objects(t, []byte("{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: assay-operator}}"))[0]
	Eventually(t, "certificate", func(ctx context.Context) error {
		if err := c.Get(ctx, client.ObjectKeyFromObject(config), config); err != nil {
			return err
		}
		if text, _ := json.Marshal(config.Object["webhooks"]); !strings.Contains(string(text), `"caBundle":"LS0`) {
			return fmt.Errorf("none in %s", text)
		}
		return nil
	})
}

// helmGoes has Helm remove the operator. What it measured stays, and so do the CRDs, without
// which every run would go.
func helmGoes(t *testing.T, c *Cluster) {
	c.helm(t, "uninstall", "assay", "--namespace", "assay-system", "--wait", "--timeout", "10m")
	gone(t, c, objects(t, []byte("{apiVersion: apps/v1, kind: Deployment, metadata: {name: assay-operator, namespace: assay-system}}"))[0])
	gone(t, c, objects(t, []byte("{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: assay-operator}}"))[0])
	if s, err := statusOf(t.Context(), c, "contained"); err != nil || s.Phase != "Succeeded" {
		t.Errorf("the run is %s: %v", s.Phase, err)
	}
}

// refused has the API server refuse a bad run, through the Service of the operators, in the
// words of assay validate.
func refused(t *testing.T, c *Cluster) {
	text := string(contained("bad", "1s", "resources: {cpu: lots}"))
	var err error
	Eventually(t, "refusal", func(ctx context.Context) error {
		err = c.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(objects(t, []byte(text))[0]), client.FieldOwner("tests"), client.ForceOwnership)
		if err != nil {
			return nil
		}
		c.Delete(ctx, objects(t, []byte(text))[0]) // the API server learns of webhooks a moment after it has taken them
		return fmt.Errorf("a bad run was taken")
	})
	saysWhatValidateDoes(t, text, err)
}

// saysWhatValidateDoes wants every line of assay validate about a document in a refusal of
// the API server.
func saysWhatValidateDoes(t *testing.T, document string, err error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "run.yaml")
	if err := os.WriteFile(file, []byte(document), 0o644); err != nil {
		t.Fatal(err)
	}
	if !apierrors.IsInvalid(err) {
		t.Fatalf("the API server says %v", err)
	}
	said := program.Run(t, t.TempDir(), "validate", file)
	_, words, found := strings.Cut(err.Error(), "denied the request: ")
	if said.Code == 0 || !found {
		t.Fatalf("the API server says %v, assay validate %s", err, said.Text())
	}
	for line := range strings.Lines(words) {
		if !strings.Contains(said.Stdout, strings.TrimSpace(line)) {
			t.Errorf("the API server says %q, and assay validate\n%s", line, said.Stdout)
		}
	}
}

// podsOf are the pods of a run, in the order of their names.
func podsOf(t *testing.T, c *Cluster, name string) []corev1.Pod {
	t.Helper()
	var pods corev1.PodList
	if err := c.List(t.Context(), &pods, client.InNamespace("default"), client.MatchingLabels{"jobset.sigs.k8s.io/jobset-name": name}); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(pods.Items, func(a, b corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return pods.Items
}

// contains wants pods that were containers with addresses of their own.
func contains(t *testing.T, pods []corev1.Pod, want int) {
	t.Helper()
	_, subnet, _ := net.ParseCIDR(network)
	addresses := map[string]bool{}
	for _, pod := range pods {
		addresses[pod.Status.PodIP] = true
		for _, s := range pod.Status.ContainerStatuses {
			if !strings.HasPrefix(s.ContainerID, "containerd://") || !strings.Contains(s.ImageID, "sha256:") || s.RestartCount != 0 || !subnet.Contains(net.ParseIP(pod.Status.PodIP)) {
				t.Errorf("pod %s has address %s and %+v", pod.Name, pod.Status.PodIP, s)
			}
		}
	}
	if len(pods) != want || len(addresses) != want {
		t.Errorf("%d pods with %d addresses, want %d", len(pods), len(addresses), want)
	}
}

// A run waits in its queue, is admitted, measures in a container, and its bundle lies on the
// volume of its claim, verifies and holds what the scheduler did.
func realHappy(t *testing.T, c *Cluster, k *Kubelet) {
	c.Apply(contained("contained", "1s", "queue: benchmarks, resources: {cpu: \"1\"}, requiredTopology: rack"))
	phase(t, c, "contained", "Queued")
	hold(t, c, "None")
	s := phase(t, c, "contained", "Succeeded")
	if s.RunID == "" || !strings.HasPrefix(s.RunDirectory, "pvc://bundles/") || s.SelectedSchedulerPath != "kueue-topology-aware" || !slices.Equal(s.Scheduling.Nodes, []string{k.Name}) {
		t.Errorf("status is %+v", s)
	}
	contains(t, podsOf(t, c, "contained"), 1)
	facts := k.bundle(t, s)
	if facts["scheduler.kind"].Value != "kueue" || facts["launcher.image"].Value != "assay:tests" || fmt.Sprint(facts["scheduler.nodes"].Value) != "["+k.Name+"]" {
		t.Errorf("the bundle says of its scheduling %v, %v, %v", facts["scheduler.kind"], facts["launcher.image"], facts["scheduler.nodes"])
	}
}

// bundle verifies the bundle of a run and is its environment.
func (k *Kubelet) bundle(t *testing.T, s spec.Status) map[string]struct{ Value any } {
	t.Helper()
	dir := filepath.Join(k.Volumes, s.RunID)
	if got := program.Run(t, t.TempDir(), "verify", dir); got.Code != 0 {
		t.Fatalf("verify: %s", got.Text())
	}
	var manifest struct {
		Digest      string
		Environment map[string]struct{ Value any }
	}
	if err := json.Unmarshal(read(t, filepath.Join(dir, "manifest.json")), &manifest); err != nil {
		t.Fatal(err)
	}
	if manifest.Digest != s.BundleDigest {
		t.Errorf("the bundle is %s, and the status says %s", manifest.Digest, s.BundleDigest)
	}
	return manifest.Environment
}

// Ranks are containers that find each other by the name of the first.
func realRanks(t *testing.T, c *Cluster, k *Kubelet) {
	c.Apply([]byte(strings.Replace(world, "{exclusive: true}", "{}", 1)))
	s := phase(t, c, "world", "Succeeded")
	contains(t, podsOf(t, c, "world"), 2)
	if got := fmt.Sprint(k.bundle(t, s)["launcher.pods"].Value); got != "2" {
		t.Errorf("the bundle knows of %s pods", got)
	}
}

// A run that is deleted while it measures has time to seal its bundle: the kubelet asks its
// container to end and waits.
func realDeleted(t *testing.T, c *Cluster, k *Kubelet) {
	text := contained("leaves", "10m", "")
	c.Apply(text)
	phase(t, c, "leaves", "Running")
	begun(t, k.Volumes, "leaves")
	u := objects(t, text)[0]
	if err := c.Delete(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	gone(t, c, u)
	none(t, c, "leaves")
	sealed(t, &Node{Runs: k.Volumes}, "leaves")
}
