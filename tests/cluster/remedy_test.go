package cluster

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"assay/analysis/nodes"
	"assay/suite"
	"assay/suite/acts"
	"assay/tests/whole"
)

// narrow is a link that is a hundredth of what the others have.
var narrow = []string{"tbf", "rate", "100mbit", "burst", "64kb", "latency", "50ms"}

// shapeLink changes what the link of a host lets through.
func shapeLink(t *testing.T, h *host, act string, rest ...string) {
	t.Helper()
	args := append([]string{"netns", "exec", h.namespace, "tc", "qdisc", act, "dev", "eth0", "root"}, rest...)
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		t.Skipf("this machine cannot shape links: %s", out)
	}
}

// TestSuiteNamesSlowNode runs a whole suite over four hosts, one of them behind a slow
// link, and wants that one named for that reason. Seven minutes where the hosts share two
// processors.
func TestSuiteNamesSlowNode(t *testing.T) {
	whole.Quiet(t)
	needs(t, "tc")
	n := newNetwork(t, 4, withGroups)
	slow := n.hosts[2]
	shapeLink(t, slow, "add", narrow...)
	dir := t.TempDir()
	said, code := assay(t, "suite", "common-answer-fast", "--size", "quick", "--hosts", n.file(t, 1), "--json", "--out", dir)
	var card suite.Card
	if err := json.NewDecoder(strings.NewReader(said[max(0, strings.Index(said, "\n{")):])).Decode(&card); code != 0 || err != nil || card.Nodes == nil {
		t.Fatalf("suite: exit %d, %v\n%s", code, err, said)
	}
	blamed(t, *card.Nodes, slow.address, nodes.Network, "")
}

// A node behind a slow link is taken out of service by Slurm on that evidence, and put
// back once it was measured again: not while it is slow, and not on what was measured
// before.
func TestSlowNodeLeavesAndReturns(t *testing.T) {
	whole.Cluster(t)
	needs(t, "tc")
	newScheduler(t)
	n := newNetwork(t, 4, withGroups)
	slow := n.hosts[2]
	shapeLink(t, slow, "add", narrow...)
	dir := t.TempDir()
	kept := filepath.Join(dir, "acts.jsonl")
	act := func(want int, text string, args ...string) {
		t.Helper()
		if said, code := assay(t, append(args, "--acts", kept)...); code != want || !strings.Contains(said, text) {
			t.Fatalf("assay %s: exit %d, want %d with %q\n%s", strings.Join(args, " "), code, want, text, said)
		}
	}
	measure := func() string {
		t.Helper()
		out := t.TempDir()
		if said, code := assay(t, "probe", "network", "--hosts", n.file(t, 1), "--duration", "200ms", "--replicates", "5", "--progress", "none", "-o", out); code != 0 {
			t.Fatalf("probe: exit %d\n%s", code, said)
		}
		return opened(t, out).Dir
	}
	evidence := measure()
	act(3, "does not show that node host1 is slow", "cordon", "host1", "--why", "a guess", "--evidence", evidence)
	act(0, "host2 is cordoned by slurm", "cordon", "host2", "--why", "network behind", "--evidence", evidence)
	if out := slurmSays(t, "host2"); !strings.Contains(out, "DRAIN") || !strings.Contains(out, "network behind") {
		t.Errorf("Slurm says %s", out)
	}
	act(3, "slow still", "uncordon", "host2", "--why", "cable replaced", "--verified", measure())
	shapeLink(t, slow, "del")
	act(3, "", "uncordon", "host2", "--why", "cable replaced", "--verified", evidence)
	act(0, "host2 is uncordoned by slurm", "uncordon", "host2", "--why", "cable replaced", "--verified", measure())
	if out := slurmSays(t, "host2"); strings.Contains(out, "DRAIN") {
		t.Errorf("Slurm says %s", out)
	}
	list, err := acts.Read(kept)
	if err != nil || len(list) != 2 || list[0].Act != acts.Cordoned || list[1].Act != acts.Uncordoned || len(list[0].Despite)+len(list[1].Despite) != 0 {
		t.Errorf("acts %+v, %v: want one out and one back, neither against the evidence", list, err)
	}
}
