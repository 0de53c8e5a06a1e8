package cluster

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/analysis/compare"
	"assay/bundle"
	"assay/metric"
	"assay/tests/program"
	"assay/tests/whole"
)

// some are a few hosts of a network, as a host file.
func (n network) some(t *testing.T, hosts ...int) string {
	t.Helper()
	var lines []string
	for _, i := range hosts {
		lines = append(lines, fmt.Sprintf("root@%s slots=1 %s", n.hosts[i].address, n.options()))
	}
	path := filepath.Join(n.dir, fmt.Sprintf("some-%v", hosts))
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// reduces measures all_reduce of two ranks on hosts and returns the bundle.
func reduces(t *testing.T, hosts string, more ...string) *bundle.Bundle {
	t.Helper()
	dir := t.TempDir()
	args := append([]string{"comm", "--launcher", "ssh", "--hosts", hosts, "--ranks", "2", "--ops", "all_reduce", "--sizes", "256KiB", "--iterations", "20",
		"--launches", "3", "--progress", "none", "-o", dir}, more...)
	if said, code := assay(t, args...); code != 0 {
		t.Fatalf("exit %d\n%s", code, said)
	}
	return opened(t, dir)
}

// beside compares two bundles by the command and returns the comparison and the row of
// the time of a collective.
func beside(t *testing.T, a, b *bundle.Bundle) (compare.Comparison, compare.Row) {
	t.Helper()
	out, err := exec.Command(program.Path(t), "compare", a.Dir, b.Dir, "--json").Output()
	if err != nil {
		t.Fatalf("compare: %v", err)
	}
	var r compare.Report
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	c := r.Comparisons[0]
	i := slices.IndexFunc(c.Rows, func(row compare.Row) bool { return row.Metric == metric.BusBandwidth.ID })
	if i < 0 {
		var names []string
		for _, row := range c.Rows {
			names = append(names, compare.Key(row.Metric, row.Statistic, row.Point))
		}
		t.Fatalf("no bandwidth among %q", names)
	}
	return c, c.Rows[i]
}

// TestSetsOverSSH measures one system twice, over hosts of which two have a slow link.
// Each on hosts of its own, the second looks slower; in turns on both sets it does not,
// and what the slow hosts do to both is said.
func TestSetsOverSSH(t *testing.T) {
	whole.Cluster(t)
	needs(t, "tc")
	n := newNetwork(t, 4, ":")
	for _, h := range n.hosts[2:] {
		h.slow(t, "rate 100mbit burst 64kb latency 200ms")
	}
	c, row := beside(t, reduces(t, n.some(t, 0, 1)), reduces(t, n.some(t, 2, 3)))
	if row.Verdict != compare.Worse || c.Paired || !strings.Contains(strings.Join(c.Warnings, "\n"), "neither on the hosts of the other") {
		t.Errorf("on hosts of their own: %s, paired %t, warnings %q; want worse, and why it may not be so", row.Verdict, c.Paired, c.Warnings)
	}
	all := n.some(t, 0, 1, 2, 3)
	a, b := reduces(t, all, "--sets", "2"), reduces(t, all, "--sets", "2")
	on := map[string]int{}
	for _, l := range a.Launches() {
		on[fmt.Sprint(l.Set, l.Nodes)]++
	}
	fast, slow := []string{n.hosts[0].address, n.hosts[1].address}, []string{n.hosts[2].address, n.hosts[3].address}
	if len(on) != 2 || on[fmt.Sprint(1, fast)] != 3 || on[fmt.Sprint(2, slow)] != 3 {
		t.Errorf("launches on sets: %v, want three on each pair of hosts", on)
	}
	c, row = beside(t, a, b)
	if row.Verdict == compare.Worse || row.Verdict == compare.Better || c.PairedBy != compare.BySet || len(row.Sets) != 2 {
		t.Fatalf("in turns: %s, paired by %q, sets %+v", row.Verdict, c.PairedBy, row.Sets)
	}
	for _, s := range row.Sets {
		if isSlow := slices.Equal(s.Hosts, slow); isSlow != (*s.Level < 1) {
			t.Errorf("hosts %v stand at %.2f of all sets", s.Hosts, *s.Level)
		}
	}
	t.Logf("alike on their own hosts: %s; in turns: %s, sets %v at %.2f and %v at %.2f", compare.Worse, row.Verdict, row.Sets[0].Hosts, *row.Sets[0].Level, row.Sets[1].Hosts, *row.Sets[1].Level)
}
