package cluster

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"assay/analysis/compare"
	"assay/tests/program"
	"assay/tests/whole"
)

// simulates starts a simulator on the bridge of a network and returns its address.
func (n network) simulates(t *testing.T, name string) string {
	t.Helper()
	bridge := net.ParseIP(n.hosts[0].address).To4()
	bridge[3] = 254
	free, err := net.Listen("tcp", net.JoinHostPort(bridge.String(), "0"))
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	background(t, filepath.Join(n.dir, name+".log"), program.Path(t), "sim", "--addr", address, "--ttft", "20ms", "--itl", "2ms", "--tokens", "8")
	soon(t, "the simulator answers", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	return address
}

// TestSidesOnSets measures two equal servers as sides of one run, from two sets of hosts of
// which one has a slow link: each side is on each set as often as the other, no verdict
// takes one set for one side, and the playbook names the slow hosts.
func TestSidesOnSets(t *testing.T) {
	whole.Cluster(t)
	needs(t, "tc")
	n := newNetwork(t, 4, ":")
	path := filepath.Join(t.TempDir(), "sides.yaml")
	text := fmt.Sprintf(`apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: sides}
spec:
  seed: 1
  workload: {model: sim, sequenceLengthMix: [{inputTokens: 400, outputTokens: 8, weight: 1}]}
  trials: {minReplicates: 3}
  target: {url: "http://%s"}
  candidates: [{name: new, target: {url: "http://%s"}}]
  load:
    concurrency: [4]
    duration: 2s
    warmup: {duration: 500ms}
    generators: 2
    launch: {kind: ssh, hosts: [%q], sets: 2}
`, n.simulates(t, "old"), n.simulates(t, "new"), n.file(t, 1))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, h := range n.hosts[2:] {
		h.slow(t, "rate 400kbit burst 1600 latency 400ms")
	}
	dir := t.TempDir()
	if said, code := assay(t, "run", path, "--progress", "none", "-o", dir); code != 0 {
		t.Fatalf("exit %d\n%s", code, said)
	}
	b := opened(t, dir)
	on := map[string]int{}
	for _, l := range b.Launches() {
		on[fmt.Sprint(l.Side, l.Nodes)]++
	}
	slow := []string{n.hosts[2].address, n.hosts[3].address}
	for _, side := range []string{"baseline", "new"} {
		if len(on) != 4 || on[fmt.Sprint(side, slow)] != 3 {
			t.Errorf("launches by side and hosts: %v, want three of each", on)
		}
	}
	out, err := exec.Command(program.Path(t), "compare", b.Dir, "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var r compare.Report
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Comparisons[0].Rows {
		if row.Metric != "ttft.v2" || row.Statistic != "p50" {
			continue
		}
		if row.Verdict == compare.Better || row.Verdict == compare.Worse || len(row.Sets) != 2 {
			t.Errorf("TTFT: %s, sets %+v", row.Verdict, row.Sets)
		}
	}
	out, err = exec.Command(program.Path(t), "diagnose", b.Dir, "--playbook", "distributed_straggler").CombinedOutput()
	if want := "on " + strings.Join(slow, ", "); err != nil || !strings.Contains(string(out), want) {
		t.Errorf("the playbook does not name %q (%v):\n%s", want, err, out)
	}
}
