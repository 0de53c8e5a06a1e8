// Package kubernetes holds the operator against a real cluster: etcd, the API server, its
// controllers and scheduler, JobSet and Kueue with their webhooks, all built from pinned
// modules (build.sh) and started on loopback for one test. Nodes are ours (Node), where many
// cases are to be fast, or real ones (Kubelet), where pods are containers.
package kubernetes

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A Cluster is a running control plane.
type Cluster struct {
	client.Client
	Config *rest.Config

	t    testing.TB
	dir  string // of certificates, logs and etcd
	bin  string
	host string // of the API server
	ca   []byte

	// real says that nodes are kubelets, which say every ten seconds that they live.
	real bool
}

// patience is how long anything may take on a machine that has other things to do.
const patience = 3 * time.Minute

// token is the administrator's. The server listens on loopback and ends with the test.
const token = "tests"

// Start starts a cluster that ends with the test and whose nodes are ours.
func Start(t testing.TB) *Cluster { return startCluster(t, false) }

// StartReal starts a cluster that ends with the test and whose nodes are real.
func StartReal(t testing.TB) *Cluster { return startCluster(t, true) }

func startCluster(t testing.TB, kubelets bool) *Cluster {
	t.Helper()
	out, err := exec.Command("./build.sh", "--folder").Output()
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{t: t, dir: t.TempDir(), bin: strings.TrimSpace(string(out)), real: kubelets}
	for _, name := range []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "kubectl", "jobset", "kueue", "helm", "kwok"} {
		if _, err := os.Stat(filepath.Join(c.bin, name)); err != nil {
			t.Fatalf("%s is not built: make test-kubernetes builds it (%v)", name, err)
		}
	}
	c.ca = certificates(t, c.dir)
	c.controlPlane()
	c.extensions()
	return c
}

// controlPlane starts etcd, the API server, the controllers and the scheduler.
func (c *Cluster) controlPlane() {
	store, peer := "http://"+free(c.t), "http://"+free(c.t)
	c.start("etcd", "--data-dir", c.path("etcd"), "--listen-client-urls", store, "--advertise-client-urls", store,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default="+peer, "--unsafe-no-fsync")
	c.host = free(c.t)
	_, port, _ := net.SplitHostPort(c.host)
	c.write("tokens.csv", token+",admin,admin,system:masters\n")
	c.start("kube-apiserver", "--etcd-servers="+store, "--secure-port="+port, "--bind-address=127.0.0.1",
		"--tls-cert-file="+c.path("tls.crt"), "--tls-private-key-file="+c.path("tls.key"), "--client-ca-file="+c.path("ca.crt"),
		"--service-account-key-file="+c.path("sa.key"), "--service-account-signing-key-file="+c.path("sa.key"),
		"--service-account-issuer=https://kubernetes.default", "--token-auth-file="+c.path("tokens.csv"),
		"--authorization-mode=RBAC", "--service-cluster-ip-range="+services, "--enable-aggregator-routing")
	c.Config = &rest.Config{Host: "https://" + c.host, BearerToken: token, TLSClientConfig: rest.TLSClientConfig{CAData: c.ca}, QPS: 200, Burst: 400, WarningHandler: rest.NoWarnings{}}
	c.ready("https://" + c.host + "/readyz")
	kubeconfig := c.write("kubeconfig", fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: x,
clusters: [{name: c, cluster: {server: "https://%s", certificate-authority: %q}}],
users: [{name: u, user: {token: %s}}], contexts: [{name: x, context: {cluster: c, user: u}}]}`, c.host, c.path("ca.crt"), token))
	controllers := "*"
	if !c.real {
		controllers = "*,-node-lifecycle-controller,-taint-eviction-controller"
	}
	c.start("kube-controller-manager", "--kubeconfig="+kubeconfig, "--service-account-private-key-file="+c.path("sa.key"), "--root-ca-file="+c.path("ca.crt"),
		"--leader-elect=false", "--controllers="+controllers, "--bind-address=127.0.0.1", "--secure-port="+port1(c.t))
	c.start("kube-scheduler", "--kubeconfig="+kubeconfig, "--leader-elect=false", "--bind-address=127.0.0.1", "--secure-port="+port1(c.t))
	var err error
	if c.Client, err = client.New(c.Config, client.Options{}); err != nil {
		c.t.Fatal(err)
	}
}

// extensions starts JobSet and Kueue with their CRDs and webhooks, and gives the cluster
// our own CRD.
func (c *Cluster) extensions() {
	for _, glob := range []string{c.module("jobset", "crd/bases/*.yaml"), c.module("kueue", "crd/bases/*.yaml"), "../../config/crd/*.yaml"} {
		files, err := filepath.Glob(glob)
		if err != nil || len(files) == 0 {
			c.t.Fatal("no CRD in ", glob, err)
		}
		for _, file := range files {
			crd := objects(c.t, read(c.t, file))[0]
			c.apply(crd)
			c.served(crd)
		}
	}
	c.Apply([]byte("{apiVersion: v1, kind: Namespace, metadata: {name: jobset-system}}\n---\n{apiVersion: v1, kind: Namespace, metadata: {name: kueue-system}}"))
	for _, x := range []struct{ name, config string }{
		{"jobset", "apiVersion: config.jobset.x-k8s.io/v1alpha1\nmetrics: {bindAddress: \"0\"}\n"},
		{"kueue", "apiVersion: config.kueue.x-k8s.io/v1beta2\nmetrics: {bindAddress: \"0\"}\nnamespace: kueue-system\nintegrations: {frameworks: [jobset.x-k8s.io/jobset]}\n"},
	} {
		hook, health := free(c.t), free(c.t)
		_, port, _ := net.SplitHostPort(hook)
		config := c.write(x.name+".yaml", fmt.Sprintf("%skind: Configuration\nleaderElection: {leaderElect: false}\ninternalCertManagement: {enable: false}\n"+
			"health: {healthProbeBindAddress: %q}\nwebhook: {port: %s, certDir: %s}\n", x.config, health, port, c.dir))
		args := []string{"--config", config}
		if x.name == "kueue" {
			c.kueueCertificates()
			args = append(args, "--feature-gates=VisibilityOnDemand=false")
		}
		c.start(x.name, args...)
		c.ready("http://" + health + "/readyz")
		c.webhooks(x.name, hook)
	}
}

// served waits until the objects of a CRD can be asked for, without which Kueue ends.
func (c *Cluster) served(crd *unstructured.Unstructured) {
	c.t.Helper()
	group, _, _ := unstructured.NestedString(crd.Object, "spec", "group")
	kind, _, _ := unstructured.NestedString(crd.Object, "spec", "names", "kind")
	versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
	for _, version := range versions {
		list := &unstructured.UnstructuredList{}
		list.SetAPIVersion(group + "/" + version.(map[string]any)["name"].(string))
		list.SetKind(kind + "List")
		Eventually(c.t, kind, func(ctx context.Context) error { return c.List(ctx, list) })
	}
}

// kueueCertificates puts certificates where Kueue looks for those of its metrics, whatever
// its configuration says. They are removed with the cluster.
func (c *Cluster) kueueCertificates() {
	const dir = "/etc/kueue/metrics/certs"
	if _, err := os.Stat("/etc/kueue"); err == nil {
		return // another's, and good enough: nobody reads its metrics
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		c.t.Fatalf("Kueue wants certificates in %s, which takes root: %v", dir, err)
	}
	c.t.Cleanup(func() { os.RemoveAll("/etc/kueue") })
	for _, name := range []string{"tls.crt", "tls.key"} {
		if err := os.WriteFile(filepath.Join(dir, name), read(c.t, c.path(name)), 0o600); err != nil {
			c.t.Fatal(err)
		}
	}
}

// webhooks has the API server reach the webhooks of a program that is no pod.
func (c *Cluster) webhooks(name, address string) {
	for _, o := range objects(c.t, read(c.t, c.module(name, "webhook/manifests.yaml"))) {
		hooks, _, _ := unstructured.NestedSlice(o.Object, "webhooks")
		for _, hook := range hooks {
			path, _, _ := unstructured.NestedString(hook.(map[string]any), "clientConfig", "service", "path")
			hook.(map[string]any)["clientConfig"] = map[string]any{"url": "https://" + address + path, "caBundle": base64(c.ca)}
		}
		o.Object["webhooks"] = hooks
		o.SetName(name + "-" + o.GetName())
		c.apply(o)
	}
}

// module is a file of the settings that come with a module.
func (c *Cluster) module(name, file string) string {
	return filepath.Join(c.bin, name+".module", "config/components", file)
}

// Apply applies YAML documents, as kubectl apply --server-side does.
func (c *Cluster) Apply(text []byte) {
	c.t.Helper()
	for _, o := range objects(c.t, text) {
		c.apply(o)
	}
}

func (c *Cluster) apply(o *unstructured.Unstructured) {
	c.t.Helper()
	// What was just installed may not be served yet, nor its webhook called.
	Eventually(c.t, "apply "+o.GetKind()+" "+o.GetName(), func(ctx context.Context) error {
		return c.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(o), client.FieldOwner("tests"), client.ForceOwnership)
	})
}

// Eventually waits until try succeeds.
func Eventually(t testing.TB, what string, try func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		err := try(ctx)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s: %v", what, err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (c *Cluster) path(name string) string { return filepath.Join(c.dir, name) }

func (c *Cluster) write(name, text string) string {
	if err := os.WriteFile(c.path(name), []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
	return c.path(name)
}

// start starts a server.
func (c *Cluster) start(name string, args ...string) {
	c.launch(name, exec.Command(filepath.Join(c.bin, name), args...))
}

// launch starts a process that is killed with the test: the API server takes a minute to end
// in peace.
func (c *Cluster) launch(name string, cmd *exec.Cmd) {
	log, err := os.Create(c.path(name + ".log"))
	if err != nil {
		c.t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr, cmd.Env = log, log, append(os.Environ(), "KUBECONFIG="+c.path("kubeconfig"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	c.t.Cleanup(func() {
		early := false
		select {
		case <-ended:
			early = true
		default:
			cmd.Process.Kill()
			<-ended
		}
		log.Close()
		if c.t.Failed() || early {
			text, _ := os.ReadFile(c.path(name + ".log"))
			c.t.Logf("%s (ended by itself: %v) said last:\n%s", name, early, text[max(0, len(text)-2000):])
		}
	})
}

// ready waits until a server says that it is.
func (c *Cluster) ready(url string) {
	http := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}, Timeout: 5 * time.Second} // whether it is up, on loopback
	Eventually(c.t, url, func(ctx context.Context) error {
		request, err := newRequest(ctx, url)
		if err != nil {
			return err
		}
		answer, err := http.Do(request)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if answer.StatusCode != 200 {
			return fmt.Errorf("status %s", answer.Status)
		}
		return nil
	})
}

func newRequest(ctx context.Context, url string) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err == nil {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	return request, err
}

// objects are the documents of a YAML file.
func objects(t testing.TB, text []byte) (all []*unstructured.Unstructured) {
	t.Helper()
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 1<<16)
	for {
		o := &unstructured.Unstructured{}
		switch err := decoder.Decode(&o.Object); {
		case err == io.EOF:
			return all
		case err != nil:
			t.Fatal(err)
		case len(o.Object) > 0:
			all = append(all, o)
		}
	}
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// free is an address of loopback that nobody listens on.
func free(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func port1(t testing.TB) string {
	_, port, _ := net.SplitHostPort(free(t))
	return port
}
