package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/bundle"
	"assay/tests/whole"
)

// TestSSH measures collectives over four hosts, two ranks on each, that have no copy of
// the program before and none afterwards.
func TestSSH(t *testing.T) {
	whole.Cluster(t)
	n := newNetwork(t, 4, apart(t)+" && mount -t tmpfs none /tmp")
	dir := t.TempDir()
	said, code := assay(t, "comm", "--launcher", "ssh", "--hosts", n.file(t, 2), "--ranks", "8", "--ops", "all_reduce", "--sizes", "64KiB", "--iterations", "20",
		"--launches", "3", "--progress", "none", "-o", dir)
	if code != 0 {
		t.Fatalf("exit %d\n%s", code, said)
	}
	b := opened(t, dir)
	rows := ranksOf(t, b)
	if len(rows) != 8 {
		t.Fatalf("%d ranks, want 8", len(rows))
	}
	for _, row := range rows {
		if want := fmt.Sprintf("host%d", row.Rank/2); row.Host != want {
			t.Errorf("rank %d was on %s, want %s", row.Rank, row.Host, want)
		}
	}
	facts := b.Manifest.Environment
	if facts["launcher.kind"].Value != "ssh" || facts["launcher.host.3.copied"].Value != true {
		t.Errorf("the bundle says %v, %v; want ssh and that the program was copied", facts["launcher.kind"], facts["launcher.host.3.copied"])
	}
	started(t, b, "by ssh on "+n.hosts[0].address)
	for _, h := range n.hosts {
		args := append(strings.Fields(n.options()), "root@"+h.address, "ls /tmp")
		out, err := exec.Command("ssh", args...).CombinedOutput()
		if err != nil || len(out) > 0 || runs(t, h) {
			t.Errorf("left in /tmp of %s: %q, %v; want nothing, and no process", h.address, out, err)
		}
	}
}

// TestSSHTrains trains over four hosts.
func TestSSHTrains(t *testing.T) {
	whole.Cluster(t)
	if exec.Command("/usr/bin/python3", "-c", "import torch").Run() != nil {
		t.Skip("no torch: make torch installs it")
	}
	n := newNetwork(t, 4, ":")
	dir := t.TempDir()
	said, code := assay(t, "train", "--python", "/usr/bin/python3", "--launcher", "ssh", "--hosts", n.file(t, 1), "--ranks", "4", "--layers", "1", "--hidden", "32", "--heads", "2",
		"--sequence", "16", "--batch", "8", "--steps", "3", "--warmup", "1", "--interface", "eth0", "--launches", "3", "--no-interleave", "--progress", "none", "-o", dir)
	if code != 0 {
		t.Fatalf("exit %d\n%s", code, said)
	}
	if rows := ranksOf(t, opened(t, dir)); len(rows) != 4 || rows[3].Host != "host3" {
		t.Errorf("ranks %+v, want four on four hosts", rows)
	}
}

// TestSSHRefuses wants a fault of a host named before anything starts.
func TestSSHRefuses(t *testing.T) {
	whole.Cluster(t)
	n := newNetwork(t, 1, apart(t)+" && mount -t tmpfs -o size=1m none /tmp")
	at := n.hosts[0].address
	stranger := filepath.Join(n.dir, "stranger")
	do(t, "ssh-keygen -q -t ed25519 -N @ -f "+stranger)
	tests := []struct{ name, host, want string }{
		{"no room", "root@" + at + " " + n.options(), "MB left"},
		{"another key", fmt.Sprintf("root@%s -i %s -o IdentitiesOnly=yes -o UserKnownHostsFile=%s/known -F none", at, stranger, n.dir), "asks for a password"},
		{"unknown host key", fmt.Sprintf("root@%s -i %s/key -o UserKnownHostsFile=/dev/null -F none", at, n.dir), "its host key is not known here"},
		{"nobody listens", "root@" + at + " port=9 " + n.options(), "nothing listens at its port"},
		{"no such name", "no-such-host.invalid " + n.options(), "does not resolve"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			said, code := assay(t, "comm", "--launcher", "ssh", "--hosts", tt.host, "--ranks", "1", "--ops", "all_reduce", "--sizes", "1KiB", "--progress", "none", "-o", dir)
			if code == 0 || !strings.Contains(said, tt.want) {
				t.Errorf("exit %d, said %q; want %q", code, said, tt.want)
			}
			if found, _ := os.ReadDir(dir); len(found) > 0 {
				t.Error("a bundle was begun")
			}
		})
	}
}

// long is a run that ends only when something ends it.
func long(hosts, dir string, more ...string) []string {
	return append([]string{"comm", "--launcher", "ssh", "--hosts", hosts, "--ranks", "4", "--ops", "all_reduce", "--sizes", "64KiB", "--iterations", "10000000",
		"--place", "in_place", "--launches", "3", "--progress", "none", "-o", dir}, more...)
}

// TestSSHLosesHost cuts a host off in the middle: it is named, the launch is void, the
// bundle verifies, and what runs on the host that was cut off ends by itself.
func TestSSHLosesHost(t *testing.T) {
	whole.Cluster(t)
	n := newNetwork(t, 4, ":")
	dir := t.TempDir()
	cmd, said := start(t, long(n.file(t, 1), dir)...)
	measuring(t, n.hosts[2])
	do(t, "ip link set "+n.hosts[2].port+" down")
	_ = cmd.Wait()
	b := opened(t, dir)
	for _, l := range b.Manifest.Launches {
		if l.Outcome != bundle.LaunchVoided || !strings.Contains(l.Reason, "host "+n.hosts[2].address) {
			t.Errorf("launch %d is %s: %s; want it void, and %s named\n%s", l.Index, l.Outcome, l.Reason, n.hosts[2].address, said)
		}
	}
	soon(t, "ranks on the host that was cut off end", func() bool { return !runs(t, n.hosts[2]) })
}

// TestSSHInterrupted ends a run by its signal and by kill -9: nothing is left on hosts.
func TestSSHInterrupted(t *testing.T) {
	whole.Cluster(t)
	n := newNetwork(t, 4, ":")
	for _, signal := range []os.Signal{os.Interrupt, os.Kill} {
		dir := t.TempDir()
		cmd, _ := start(t, long(n.file(t, 1), dir)...)
		measuring(t, n.hosts[3])
		_ = cmd.Process.Signal(signal)
		_ = cmd.Wait()
		for _, h := range n.hosts {
			soon(t, "nothing of assay runs on "+h.address, func() bool { return !runs(t, h) })
		}
		if signal == os.Interrupt {
			if status := opened(t, dir).Manifest.Status; status != bundle.Aborted {
				t.Errorf("the bundle is %s, want aborted", status)
			}
		}
	}
}

// measuring waits until a rank on a host is in the middle of measuring.
func measuring(t *testing.T, h *host) {
	t.Helper()
	soon(t, "a rank works on "+h.address, func() bool { return runs(t, h, "worker") })
	time.Sleep(2 * time.Second)
}

// runs says whether this program runs on a host, as one of the given verbs where there
// are any.
func runs(t *testing.T, h *host, verbs ...string) bool {
	t.Helper()
	for _, pid := range strings.Fields(do(t, "ip netns pids "+h.namespace)) {
		line, _ := os.ReadFile("/proc/" + pid + "/cmdline")
		words := strings.Split(string(line), "\x00")
		if filepath.Base(words[0]) == "assay" && (len(verbs) == 0 || len(words) > 1 && slices.Contains(verbs, words[1])) {
			return true
		}
	}
	return false
}
