package kubernetes

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A Kubelet is a real node: Kubernetes' own kubelet, Debian's containerd, runc and CNI
// plugins, on this machine. Its pods are containers with addresses of their own, made from
// images that are imported. It lives in namespaces of its own for processes and mounts, so
// that nothing of it outlives the test.
type Kubelet struct {
	Name    string
	Volumes string // a folder of this machine that hostPath volumes may name

	c *Cluster
}

// The network of the pods. Its first address is this machine's, where names are looked up.
const (
	bridge  = "assay-tests0"
	network = "10.244.77.0/24"
	gateway = "10.244.77.1"
)

// withoutKubelet says why no kubelet can run here; empty means that it can.
func withoutKubelet() string {
	if os.Geteuid() != 0 {
		return "a kubelet makes namespaces, mounts and cgroups, which takes root"
	}
	for _, program := range []string{"containerd", "containerd-shim-runc-v2", "ctr", "runc", "ip", "unshare", "mount"} {
		if _, err := exec.LookPath(program); err != nil {
			return program + " is not installed: make test-kubernetes installs containerd, runc and CNI's plugins where no systemd would start them"
		}
	}
	for _, plugin := range []string{"bridge", "host-local", "loopback"} {
		if _, err := os.Stat(filepath.Join(plugins, plugin)); err != nil {
			return "CNI's plugin " + plugin + " is not in " + plugins + ": install containernetworking-plugins"
		}
	}
	if found, _ := filepath.Glob("/sys/fs/cgroup/*/kubepods"); len(found) > 0 {
		return "this machine has a kubelet of its own: " + found[0]
	}
	if _, err := os.Stat("/sys/fs/cgroup/kubepods"); err == nil {
		return "this machine has a kubelet of its own: /sys/fs/cgroup/kubepods"
	}
	if _, err := os.Stat("/sys/class/net/" + bridge); err == nil {
		return "there is a network " + bridge + ": does another test use it? ip link delete " + bridge + " removes it"
	}
	if out, err := exec.Command("unshare", "--mount", "--pid", "--fork", "--mount-proc", "mount", "-t", "tmpfs", "tests", "/mnt").CombinedOutput(); err != nil {
		return fmt.Sprintf("this kernel or container lets nobody mount: %v: %s", err, out)
	}
	return ""
}

// plugins is where Debian puts CNI's.
const plugins = "/usr/lib/cni"

// containerdConfig keeps everything below one folder. Scores of the OOM killer cannot be
// lowered everywhere.
const containerdConfig = `version = 2
root = "%[1]s/containerd"
state = "%[1]s/containerd-state"
[grpc]
  address = "%[1]s/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "` + pauseImage + `"
  restrict_oom_score_adj = true
  disable_hugetlb_controller = true
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "` + plugins + `"
    conf_dir = "%[1]s/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
`

const networkConfig = `{"cniVersion": "0.4.0", "name": "tests", "plugins": [{"type": "bridge", "bridge": "` + bridge + `", "isGateway": true, "ipMasq": false,
"ipam": {"type": "host-local", "ranges": [[{"subnet": "` + network + `"}]], "routes": [{"dst": "0.0.0.0/0"}], "dataDir": %q}}]}
`

// kubeletConfig has no server: nobody but this test may start containers here.
const kubeletConfig = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
enableServer: false
healthzPort: 0
failCgroupV1: false
failSwapOn: false
cgroupDriver: cgroupfs
oomScoreAdj: 0
clusterDNS: [` + gateway + `]
clusterDomain: cluster.local
containerRuntimeEndpoint: unix://%[1]s/containerd.sock
podLogsDir: %[1]s/logs
evictionHard: {nodefs.available: "1%%", imagefs.available: "1%%", memory.available: 50Mi}
imageGCHighThresholdPercent: 100
syncFrequency: 5s
`

// life starts containerd, then the kubelet, as the first process of their namespace: all
// others end with it.
const life = `set -e
mkdir -p /run/containerd
mount -t tmpfs tests /run/containerd
containerd --config "$1/containerd.toml" >"$1/containerd.log" 2>&1 &
until [ -S "$1/containerd.sock" ]; do sleep 0.1; done
exec "$2" --config="$1/kubelet.yaml" --kubeconfig="$1/kubeconfig" --root-dir="$1/kubelet" --cert-dir="$1/kubelet/pki" --hostname-override="$3" --node-labels=rack=r1,pool=tests
`

// AddKubelet gives the cluster a real node. The caller has asked withoutKubelet before.
func (c *Cluster) AddKubelet(name string) *Kubelet {
	c.t.Helper()
	k := &Kubelet{Name: name, Volumes: c.path("volumes"), c: c}
	c.restoring()
	c.t.Cleanup(func() { sweep(c.t) }) // when everything else has ended
	for _, folder := range []string{"cni", "addresses", "logs", "volumes"} {
		if err := os.MkdirAll(c.path(folder), 0o755); err != nil {
			c.t.Fatal(err)
		}
	}
	if err := os.Chmod(k.Volumes, 0o777); err != nil { // pods run as somebody else
		c.t.Fatal(err)
	}
	c.write("containerd.toml", fmt.Sprintf(containerdConfig, c.dir))
	c.write("cni/10-tests.conflist", fmt.Sprintf(networkConfig, c.path("addresses")))
	c.write("kubelet.yaml", fmt.Sprintf(kubeletConfig, c.dir))
	c.t.Cleanup(func() { exec.Command("ip", "link", "delete", bridge).Run() })
	c.system("ip", "link", "add", bridge, "type", "bridge")
	c.system("ip", "address", "add", gateway+"/24", "dev", bridge)
	c.system("ip", "link", "set", bridge, "up")
	c.launch("kubelet", exec.Command("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
		"sh", "-c", life, "sh", c.dir, filepath.Join(c.bin, "kubelet"), name))
	c.t.Cleanup(func() {
		if c.t.Failed() {
			k.tell()
		}
	})
	Eventually(c.t, "node "+name, func(ctx context.Context) error {
		var node corev1.Node
		if err := c.Get(ctx, client.ObjectKey{Name: name}, &node); err != nil {
			return err
		}
		for _, condition := range node.Status.Conditions {
			if condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue && len(node.Spec.Taints) == 0 {
				return nil
			}
		}
		return fmt.Errorf("not ready: %+v, %+v", node.Status.Conditions, node.Spec.Taints)
	})
	return k
}

// Import packs a folder into an image of our own making and gives it to containerd.
func (k *Kubelet) Import(folder, reference string) {
	k.c.t.Helper()
	packed := k.c.path("image-" + filepath.Base(folder))
	folder, err := filepath.Abs(folder)
	if err != nil {
		k.c.t.Fatal(err)
	}
	k.c.system("go", "run", "-C", "../..", "./tests/release/oci", folder, packed, reference, runtime.GOARCH)
	k.c.system("tar", "-C", packed, "-cf", packed+".tar", ".")
	k.c.system("ctr", "--address", k.c.path("containerd.sock"), "--namespace", "k8s.io", "images", "import", packed+".tar")
}

// pauseImage holds the namespaces of a pod open.
const pauseImage = "docker.io/library/pause:tests"

// ImportPause imports that image.
func (k *Kubelet) ImportPause() {
	k.c.t.Helper()
	folder := k.c.path("pause")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(folder, "usr/local/bin/assay"), "./pause")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		k.c.t.Fatalf("%v: %s", err, out)
	}
	k.Import(folder, "pause:tests")
}

// tell logs what containerd and the containers said.
func (k *Kubelet) tell() {
	files, _ := filepath.Glob(k.c.path("logs/*/*/*.log"))
	for _, file := range append(files, k.c.path("containerd.log")) {
		text, _ := os.ReadFile(file)
		k.c.t.Logf("%s:\n%s", strings.TrimPrefix(file, k.c.dir), text[max(0, len(text)-1500):])
	}
}

// system runs a command that must succeed.
func (c *Cluster) system(name string, args ...string) {
	c.t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		c.t.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
}

// tunables are the settings of the kernel that a kubelet and its network change for the whole
// machine.
var tunables = []string{
	"vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops", "kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes",
	"net/ipv4/ip_forward",
}

// restoring has the test leave them as they are.
func (c *Cluster) restoring() {
	for _, name := range tunables {
		file := "/proc/sys/" + name
		before, err := os.ReadFile(file)
		if err != nil {
			continue // not of this kernel
		}
		c.t.Cleanup(func() {
			if err := os.WriteFile(file, before, 0o644); err != nil {
				c.t.Errorf("%s is not as it was: %v", name, err)
			}
		})
	}
}

// sweep removes the cgroups of pods once their processes have ended.
func sweep(t testing.TB) {
	roots, _ := filepath.Glob("/sys/fs/cgroup/*/kubepods")
	var left []string
	for range 100 {
		left = nil
		for _, root := range append(roots, "/sys/fs/cgroup/kubepods") {
			left = append(left, removed(root)...)
		}
		if len(left) == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("cgroups are left: %v", left)
}

// removed removes a tree of cgroups, and is what could not be removed.
func removed(root string) (left []string) {
	var folders []string
	filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			folders = append(folders, path)
		}
		return nil
	})
	for _, folder := range slices.Backward(folders) {
		if err := os.Remove(folder); err != nil {
			left = append(left, folder)
		}
	}
	return left
}
