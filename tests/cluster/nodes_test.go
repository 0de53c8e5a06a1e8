package cluster

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"assay/analysis/nodes"
	"assay/bundle"
	"assay/suite/acts"
	"assay/tests/whole"
)

// withGroups gives hosts the control groups of this machine, which ip netns exec takes away
// with the rest of /sys.
const withGroups = `if [ -d /sys/fs/cgroup ]; then
  mount -t cgroup2 none /sys/fs/cgroup && [ -f /sys/fs/cgroup/cpu.stat -o -f /sys/fs/cgroup/cgroup.controllers ] && grep -q cpu /sys/fs/cgroup/cgroup.controllers || {
    umount /sys/fs/cgroup 2>/dev/null; mount -t tmpfs none /sys/fs/cgroup; mkdir -p /sys/fs/cgroup/cpu; mount -t cgroup -o cpu none /sys/fs/cgroup/cpu; }
fi >/dev/null 2>&1`

// confine puts a host into a control group with one limit, of which version 1 and version 2
// of the kernel's interface have each their own name.
func confine(t *testing.T, h *host, controller string, v1, v2 [2]string) {
	t.Helper()
	dir, limit := filepath.Join("/sys/fs/cgroup", controller, "assay-"+h.namespace), v1
	if _, err := os.Stat(filepath.Dir(dir)); err != nil {
		dir, limit = filepath.Join("/sys/fs/cgroup", "assay-"+h.namespace), v2
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Skipf("this machine gives no control groups: %v", err)
	}
	t.Cleanup(func() {
		_ = h.sshd.Process.Kill()
		_ = h.sshd.Wait()
		soon(t, "the group is empty", func() bool { return syscall.Rmdir(dir) == nil })
	})
	if err := os.WriteFile(filepath.Join(dir, limit[0]), []byte(limit[1]), 0o644); err != nil {
		t.Skipf("this machine does not limit %s: %v", controller, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), fmt.Append(nil, h.sshd.Process.Pid), 0o644); err != nil {
		t.Fatal(err)
	}
}

// device is the number of the disk that a folder is on.
func device(t *testing.T, dir string) string {
	t.Helper()
	var stat syscall.Stat_t
	if err := syscall.Stat(dir, &stat); err != nil {
		t.Fatal(err)
	}
	number := fmt.Sprintf("%d:%d", stat.Dev>>8&0xfff, stat.Dev&0xff)
	if _, err := os.Stat("/sys/dev/block/" + number); err != nil {
		t.Skipf("%s is on no disk that could be slowed down", dir)
	}
	return number
}

// slowdowns are ways to make one host slow, each with the part that must be named.
var slowdowns = []struct {
	name, part string
	fact       string // that must be named beside it; empty where none can be seen
	slow       func(t *testing.T, h *host)
}{
	{"quota", nodes.Processor, "cgroup.cpu_limit_cores is 0.1 there and unlimited on the others", func(t *testing.T, h *host) {
		confine(t, h, "cpu", [2]string{"cpu.cfs_quota_us", "10000"}, [2]string{"cpu.max", "10000 100000"})
	}},
	{"link", nodes.Network, "", func(t *testing.T, h *host) {
		needs(t, "tc")
		if out, err := exec.Command("ip", "netns", "exec", h.namespace, "tc", "qdisc", "add", "dev", "eth0", "root", "tbf", "rate", "200mbit", "burst", "64kb", "latency", "50ms").CombinedOutput(); err != nil {
			t.Skipf("this machine cannot shape links: %s", out)
		}
	}},
	{"disk", nodes.Disk, "", func(t *testing.T, h *host) {
		number := device(t, os.TempDir())
		confine(t, h, "blkio", [2]string{"blkio.throttle.write_bps_device", number + " 8388608"}, [2]string{"io.max", number + " wbps=8388608 rbps=8388608"})
		_ = os.WriteFile(filepath.Join("/sys/fs/cgroup/blkio", "assay-"+h.namespace, "blkio.throttle.read_bps_device"), []byte(number+" 8388608"), 0o644)
	}},
}

// TestSlowNode probes four hosts of which one is slow by one cause: that host is named,
// for that reason, and no other.
func TestSlowNode(t *testing.T) {
	whole.Cluster(t)
	for _, tt := range slowdowns {
		t.Run(tt.name, func(t *testing.T) {
			n := newNetwork(t, 4, withGroups)
			tt.slow(t, n.hosts[2])
			dir := t.TempDir()
			said, code := assay(t, "probe", "speed", "disk", "network", "--hosts", n.file(t, 1), "--threads", "1",
				"--duration", "200ms", "--replicates", "5", "--file-size", "8MiB", "--progress", "none", "-o", dir)
			if code != 0 {
				t.Fatalf("exit %d\n%s", code, said)
			}
			t.Log("\n" + said)
			b := opened(t, dir)
			if len(b.Manifest.Nodes) != 4 || b.Manifest.Nodes[2].Environment["host.name"].Value != "host2" {
				t.Errorf("%d nodes were captured, want four with host2 as the third", len(b.Manifest.Nodes))
			}
			blamed(t, judged(t, b), n.hosts[2].address, tt.part, tt.fact)
		})
	}
}

// judged is how the hosts of a bundle were judged when it was sealed.
func judged(t *testing.T, b *bundle.Bundle) (r nodes.Report) {
	t.Helper()
	found, _ := filepath.Glob(filepath.Join(b.Dir, "derived", "*", "nodes.json"))
	if len(found) != 1 {
		t.Fatalf("%d files nodes.json in %s, want one", len(found), b.Dir)
	}
	data, err := os.ReadFile(found[0])
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// blamed wants one host to be slow, by one part first, with what is different about it.
func blamed(t *testing.T, r nodes.Report, name, part, fact string) {
	t.Helper()
	for _, n := range r.Nodes {
		switch {
		case n.Name != name && len(n.Causes) > 0:
			t.Errorf("%s was called slow: %s", n.Label(), n.Causes[0].Text())
		case n.Name != name:
		case len(n.Causes) == 0:
			if noise := quietest(r, part); noise > tooBusy {
				t.Skipf("hosts differ from themselves by %.0f %% in the quietest measure of the %s: others want this machine too much to tell that one is slow", 100*noise, part)
			}
			t.Errorf("%s was not called slow", n.Label())
		case n.Causes[0].Resource != part || !strings.Contains(n.Causes[0].Text(), fact):
			t.Errorf("%s is slow by its %s: %s; want its %s with %q", n.Label(), n.Causes[0].Resource, n.Causes[0].Text(), part, fact)
		}
	}
}

// tooBusy is the noise at which a host at a third of the others' speed is no longer told from
// equal ones: 3.5 times the noise is what it must be behind, by the logarithm.
const tooBusy = .3

// quietest is the least noise of the measures of a part.
func quietest(r nodes.Report, part string) float64 {
	least := math.Inf(1)
	for _, m := range r.Measures {
		if m.Resource == part {
			least = min(least, m.Noise)
		}
	}
	return least
}

// TestSlurmCordons measures nodes that Slurm gives, takes one out of service and puts it
// back: Slurm does it, and every act is kept with what spoke against it.
func TestSlurmCordons(t *testing.T) {
	whole.Cluster(t)
	newScheduler(t)
	dir := t.TempDir()
	said, code := assay(t, "probe", "speed", "network", "--launcher", "slurm", "--nodes", "3", "--threads", "1", "--duration", "30ms", "--replicates", "3", "--progress", "none", "-o", dir)
	if code != 0 {
		t.Fatalf("exit %d\n%s", code, said)
	}
	b := opened(t, dir)
	if len(b.Manifest.Nodes) != 3 || len(judged(t, b).Measures) < 3 {
		t.Fatalf("%d nodes and measures %+v, want three with speed and network", len(b.Manifest.Nodes), judged(t, b).Measures)
	}
	node := b.Manifest.Nodes[1].Name
	kept := filepath.Join(dir, "acts.jsonl")
	do := func(want int, text string, args ...string) {
		t.Helper()
		if said, code := assay(t, append(args, "--acts", kept)...); code != want || !strings.Contains(said, text) {
			t.Errorf("assay %s: exit %d, want %d with %q\n%s", strings.Join(args, " "), code, want, text, said)
		}
	}
	cordon := []string{"cordon", node, "--why", "fan 3 is loud", "--evidence", b.Dir}
	back := []string{"uncordon", node, "--why", "fan replaced", "--verified", b.Dir}
	if len(judged(t, b).Nodes[1].Causes) == 0 { // where others want the processors it may well look slow
		do(3, "does not show that node "+node+" is slow", cordon...)
	}
	do(2, "did not measure node elsewhere", "cordon", "elsewhere", "--why", "x", "--evidence", b.Dir)
	do(0, "is cordoned by slurm", append(cordon, "--anyway")...)
	if out := slurmSays(t, node); !strings.Contains(out, "DRAIN") || !strings.Contains(out, "fan 3 is loud") {
		t.Errorf("Slurm says %s", out)
	}
	do(1, "already", append(cordon, "--anyway")...)
	do(3, "", back...) // the bundle is older than the act, or shows that the node is slow
	do(0, "is uncordoned by slurm", append(back, "--anyway")...)
	if out := slurmSays(t, node); strings.Contains(out, "DRAIN") {
		t.Errorf("Slurm says %s", out)
	}
	list, err := acts.Read(kept)
	if err != nil || len(list) != 2 || list[0].Act != acts.Cordoned || list[1].Act != acts.Uncordoned || list[1].Through != "slurm" || list[1].Digest != b.Manifest.Digest || len(list[1].Despite) != 1 {
		t.Errorf("acts %+v, %v", list, err)
	}
}

func slurmSays(t *testing.T, node string) string {
	t.Helper()
	return do(t, "scontrol --oneliner show node "+node)
}
