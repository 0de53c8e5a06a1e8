package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"assay/tests/program"
)

// A network is a bridge of this machine and hosts behind it, each a network namespace
// with a mount namespace of its own and an sshd in it.
type network struct {
	dir   string
	name  string
	hosts []*host
}

type host struct {
	namespace, address, port string
	sshd                     *exec.Cmd
}

// options are what ssh needs to know of a host that nobody else knows.
func (n network) options() string {
	return fmt.Sprintf("-i %s/key -o IdentitiesOnly=yes -o UserKnownHostsFile=%s/known -F none", n.dir, n.dir)
}

// file writes a host file and returns its path.
func (n network) file(t *testing.T, slots int) string {
	t.Helper()
	var lines []string
	for _, h := range n.hosts {
		lines = append(lines, fmt.Sprintf("root@%s slots=%d %s", h.address, slots, n.options()))
	}
	path := filepath.Join(n.dir, fmt.Sprintf("hosts-%d", slots))
	if err := os.WriteFile(path, []byte("# made by a test\n"+strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// networks counts those that were made.
var networks atomic.Int32

// newNetwork makes one. Before each sshd starts, its mount namespace does what mount
// says: the hosts share this machine's disk, and must not share everything on it.
func newNetwork(t *testing.T, hosts int, mount string) network {
	t.Helper()
	needs(t, "ip", "sshd", "ssh", "ssh-keygen", "unshare")
	if out, err := exec.Command("unshare", "--net", "--mount", "--uts", "true").CombinedOutput(); err != nil {
		t.Skipf("this machine gives no namespaces: want root and a kernel that allows them: %s", out)
	}
	number := int(networks.Add(1)) + os.Getpid()%200   // the one before may still be going away
	dir, err := os.MkdirTemp("/run", "assay-cluster-") // hosts may have a /tmp of their own
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	n := network{dir: dir, name: fmt.Sprintf("asc%d", number)}
	if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
		t.Fatal(err)
	}
	do(t, "ssh-keygen -q -t ed25519 -N @ -f "+n.dir+"/key")
	do(t, "ssh-keygen -q -t ed25519 -N @ -f "+n.dir+"/hostkey")
	t.Cleanup(func() {
		for _, h := range n.hosts {
			_ = exec.Command("ip", "netns", "del", h.namespace).Run()
		}
		_ = exec.Command("ip", "link", "del", n.name).Run()
	})
	if out, err := exec.Command("ip", "link", "add", n.name, "type", "bridge").CombinedOutput(); err != nil {
		t.Skipf("this machine makes no bridges between namespaces: want root and a kernel with bridge and veth: %s", out)
	}
	do(t, fmt.Sprintf("ip addr add 10.79.%d.254/24 dev %s", number, n.name))
	do(t, "ip link set "+n.name+" up")
	for i := range hosts {
		h := &host{namespace: fmt.Sprintf("%sn%d", n.name, i), address: fmt.Sprintf("10.79.%d.%d", number, i+1), port: fmt.Sprintf("%sp%d", n.name, i)}
		n.hosts = append(n.hosts, h)
		do(t, "ip netns add "+h.namespace)
		do(t, fmt.Sprintf("ip link add %s type veth peer name eth0 netns %s", h.port, h.namespace))
		do(t, fmt.Sprintf("ip link set %s master %s up", h.port, n.name))
		do(t, fmt.Sprintf("ip -n %s addr add %s/24 dev eth0", h.namespace, h.address))
		do(t, fmt.Sprintf("ip -n %s link set eth0 up", h.namespace))
		do(t, fmt.Sprintf("ip -n %s link set lo up", h.namespace))
	}
	n.serve(t, mount)
	return n
}

// serve starts the sshd of each host and waits until it answers.
func (n network) serve(t *testing.T, mount string) {
	t.Helper()
	public, err := os.ReadFile(n.dir + "/hostkey.pub")
	if err != nil {
		t.Fatal(err)
	}
	var known strings.Builder
	for i, h := range n.hosts {
		config := filepath.Join(n.dir, fmt.Sprintf("sshd-%d", i))
		text := fmt.Sprintf("ListenAddress %s\nHostKey %s/hostkey\nAuthorizedKeysFile %s/key.pub\nPidFile none\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\n", h.address, n.dir, n.dir)
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		script := fmt.Sprintf("hostname host%d; %s; exec $(command -v sshd) -D -e -f %s", i, mount, config)
		h.sshd = background(t, config+".log", "ip", "netns", "exec", h.namespace, "unshare", "--mount", "--uts", "sh", "-c", script)
		fmt.Fprintf(&known, "%s %s", h.address, public)
	}
	if err := os.WriteFile(n.dir+"/known", []byte(known.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, h := range n.hosts {
		args := append(strings.Fields(n.options()), "-o", "BatchMode=yes", "root@"+h.address, "true")
		soon(t, "sshd answers at "+h.address, func() bool { return exec.Command("ssh", args...).Run() == nil })
	}
}

// unshared hides a folder of this machine from hosts, and nothing else: what a run starts
// there may lie beside it, where the tree is in /tmp.
func unshared(dir string) string { return "mount -t tmpfs none " + dir }

// apart hides this program from hosts, which then get a copy of it.
func apart(t *testing.T) string {
	return "mount -t tmpfs none " + filepath.Dir(program.Path(t))
}

// slow bounds what a host sends, as tc's token bucket says.
func (h *host) slow(t *testing.T, bucket string) {
	t.Helper()
	words := append([]string{"netns", "exec", h.namespace, "tc", "qdisc", "add", "dev", "eth0", "root", "tbf"}, strings.Fields(bucket)...)
	if out, err := exec.Command("ip", words...).CombinedOutput(); err != nil {
		t.Skipf("this machine slows no links: want tc and a kernel with sch_tbf: %s", out)
	}
}
