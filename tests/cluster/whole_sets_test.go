package cluster

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/analysis/compare"
	"assay/bundle"
	"assay/tests/program"
	"assay/tests/whole"
)

// twoServers writes a document of two sides, whose servers are started where the run is.
// On the slow host, by the word that the shell makes of where, both are four times as slow;
// the candidate's are slower by a fifth everywhere.
func twoServers(t *testing.T, where, slow string) string {
	t.Helper()
	server := func(microseconds int) (address, command string) {
		free, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer free.Close()
		address = free.Addr().String()
		script := fmt.Sprintf(`itl=%d; test "%s" = %s && itl=$((4*itl)); exec %s sim --addr %s --ttft 10ms --tokens 16 --itl ${itl}us`, microseconds, where, slow, program.Path(t), address)
		quoted, err := json.Marshal(script)
		if err != nil {
			t.Fatal(err)
		}
		return address, fmt.Sprintf("{command: [sh, -c, %s], ready: {path: /health}}", quoted)
	}
	old, startOld := server(5000)
	other, startOther := server(6000)
	path := filepath.Join(t.TempDir(), "whole.yaml")
	text := fmt.Sprintf(`apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: whole}
spec:
  seed: 1
  workload: {model: sim, sequenceLengthMix: [{inputTokens: 16, outputTokens: 16, weight: 1}]}
  trials: {minReplicates: 3}
  target: {url: "http://%s", server: %s}
  candidates: [{name: new, target: {url: "http://%s", server: %s}}]
  load: {concurrency: [2], requests: 12, duration: 1m, warmup: {duration: 0s}}
`, old, startOld, other, startOther)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// swapped wants every side on every set as often as the other, pairs inside of blocks that
// agree on the candidate though one set is slow, and the name of that set.
func swapped(t *testing.T, b *bundle.Bundle, hosts []string, slow string) {
	t.Helper()
	on, first := map[string]int{}, map[string]int{}
	before := -1
	for _, l := range b.Launches() {
		on[fmt.Sprint(l.Side, l.Nodes)]++
		if l.Block != before {
			first[fmt.Sprint(l.Side, l.Nodes)]++
		}
		before = l.Block
	}
	for _, side := range []string{"baseline", "new"} {
		for _, host := range hosts {
			if where := fmt.Sprint(side, []string{host}); len(on) != 2*len(hosts) || on[where] != 3 || first[where] == 0 {
				t.Errorf("launches by side and hosts: %v, of those the first of their block: %v; want three of each, and each side first somewhere", on, first)
			}
		}
	}
	if len(b.Manifest.Parts) < len(hosts) || len(b.Manifest.Nodes) != len(hosts) || len(b.Manifest.Nodes[1].Environment) == 0 {
		t.Errorf("%d parts and nodes %+v, want what each host says of itself", len(b.Manifest.Parts), b.Manifest.Nodes)
	}
	out, err := exec.Command(program.Path(t), "compare", b.Dir, "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var r compare.Report
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	c := r.Comparisons[0]
	i := slices.IndexFunc(c.Rows, func(row compare.Row) bool { return strings.HasPrefix(row.Metric, "e2e") && row.Statistic == "p50" })
	if i < 0 || c.PairedBy != compare.ByBlock || len(c.Rows[i].Sets) != len(hosts) {
		t.Fatalf("paired by %q, row %d of %+v", c.PairedBy, i, c.Rows)
	}
	row := c.Rows[i]
	if row.Verdict != compare.Worse {
		t.Errorf("the candidate is %s, want worse: its answers take a fifth longer on every host", row.Verdict)
	}
	for _, s := range row.Sets {
		if isSlow := s.Hosts[0] == slow; isSlow != (*s.Level > 1) {
			t.Errorf("hosts %v stand at %.2f of all sets", s.Hosts, *s.Level)
		}
		t.Logf("%v: ratio %.3f, level %.2f", s.Hosts, *s.Ratio, *s.Level)
	}
}

// TestWholeRunOnSetsOverSSH sends both sides to two hosts in turn, which share no folder
// with this one. One host is slow: both sides are, and the verdict is the candidate's own.
func TestWholeRunOnSetsOverSSH(t *testing.T) {
	whole.Cluster(t)
	dir := t.TempDir()
	n := newNetwork(t, 2, unshared(dir))
	said, code := assay(t, "run", twoServers(t, "$(hostname)", "host1"), "--launcher", "ssh", "--hosts", n.file(t, 1), "--sets", "2", "--progress", "none", "-o", dir)
	if code != 0 {
		t.Fatalf("exit %d\n%s", code, said)
	}
	b := opened(t, dir)
	swapped(t, b, []string{n.hosts[0].address, n.hosts[1].address}, n.hosts[1].address)
	started(t, b, "by ssh on "+n.hosts[0].address+", "+n.hosts[1].address)
	if left, _ := filepath.Glob(filepath.Join(dir, ".far-*")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// TestWholeRunOnSetsOfSlurm does the same in one allocation of two nodes. Then it is
// interrupted, and then a node is lost: what was measured until then is sealed, and the node
// is named.
func TestWholeRunOnSetsOfSlurm(t *testing.T) {
	whole.Cluster(t)
	s := newScheduler(t)
	document := twoServers(t, "$SLURMD_NODENAME", "n2")
	args := []string{"run", document, "--launcher", "slurm", "--nodes", "2", "--sets", "2", "--partition", "bench", "--progress", "none", "-o"}
	t.Run("whole", func(t *testing.T) {
		dir := t.TempDir()
		said, code := assay(t, append(args, dir)...)
		if code != 0 {
			t.Fatalf("exit %d\n%s", code, said)
		}
		b := opened(t, dir)
		swapped(t, b, []string{"n1", "n2"}, "n2")
		if facts := b.Manifest.Environment; facts["scheduler.kind"].Value != "slurm" || facts["scheduler.job"].Value == nil {
			t.Errorf("the bundle says nothing of its job: %v", facts["scheduler.kind"])
		}
		soon(t, "no job is left", func() bool { return !queued() })
	})
	t.Run("interrupted", func(t *testing.T) {
		dir := t.TempDir()
		cmd, said := start(t, append(args, dir)...)
		soon(t, "the second part begins", func() bool { return strings.Contains(said.String(), "part 2 of") })
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		if b := opened(t, dir); b.Manifest.Status != bundle.Aborted || len(b.Manifest.Launches) < 2 || cmd.ProcessState.ExitCode() != 130 {
			t.Errorf("exit %d, a %s run with %d launches; want 130, aborted, those of the first part\n%s", cmd.ProcessState.ExitCode(), b.Manifest.Status, len(b.Manifest.Launches), said)
		}
		soon(t, "no job is left", func() bool { return !queued() })
	})
	t.Run("killed", func(t *testing.T) {
		dir := t.TempDir()
		cmd, said := start(t, append(args, dir)...)
		soon(t, "the second part begins", func() bool { return strings.Contains(said.String(), "part 2 of") })
		_, rest, _ := strings.Cut(said.String(), "part 2 of")
		node := "n1"
		if strings.Contains(rest, " on n2") {
			node = "n2"
		}
		soon(t, "it has rows", func() bool {
			found, _ := filepath.Glob(filepath.Join(dir, ".far-*", ".far-*", "*", "raw", "launch-*", "requests-*"))
			return len(found) > 1
		})
		s.kill(t, node)
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(said.String(), node) {
			t.Errorf("exit %d, want 1 and %s named\n%s", code, node, said)
		}
		b := opened(t, dir)
		good := 0
		for _, l := range b.Manifest.Launches {
			if l.Outcome == bundle.LaunchCompleted {
				good++
			}
		}
		if b.Manifest.Status != bundle.Failed || good < 2 || good > 10 {
			t.Errorf("a %s run with launches %+v, want a failed one with those of before", b.Manifest.Status, b.Manifest.Launches)
		}
	})
}
