package cluster

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	"assay/bundle"
	"assay/record"
	"assay/tests/program"
	"assay/tests/whole"
)

// TestSSHGenerates sends one load from four hosts that have neither the program nor the
// key of the server: both come through the connection, and one bundle goes back.
func TestSSHGenerates(t *testing.T) {
	whole.Cluster(t)
	n := newNetwork(t, 4, apart(t)+" && mount -t tmpfs none /tmp")
	bridge := net.ParseIP(n.hosts[0].address).To4()
	bridge[3] = 254
	free, err := net.Listen("tcp", net.JoinHostPort(bridge.String(), "0"))
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	background(t, filepath.Join(n.dir, "sim.log"), program.Path(t), "sim", "--addr", address, "--itl", "1ms")
	soon(t, "the simulator answers", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	t.Setenv("FAR_KEY", "a key that is here alone")
	path := filepath.Join(t.TempDir(), "far.yaml")
	text := fmt.Sprintf(`apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: far}
spec:
  seed: 1
  workload:
    model: sim
    sequenceLengthMix: [{inputTokens: 16, outputTokens: 8, weight: 1}]
  target: {url: "http://%s", headers: {X-Key: {env: FAR_KEY}}}
  load:
    concurrency: [8]
    duration: 2s
    warmup: {duration: 0s}
    generators: 4
    launch: {kind: ssh, hosts: [%q]}
  trials: {quick: true}
`, address, n.file(t, 1))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	said, code := assay(t, "run", path, "--progress", "none", "-o", dir)
	if code != 0 {
		t.Fatalf("exit %d\n%s", code, said)
	}
	b := opened(t, dir)
	sent := map[string]int{}
	for row, err := range bundle.Rows[record.Request](b, 0, bundle.Requests) {
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("host%d", row.Shard); row.Host != want {
			t.Fatalf("generator %d sent a request from %q, want %s", row.Shard, row.Host, want)
		}
		if row.Result == record.OK { // the last ones are cut
			sent[row.Host]++
		}
	}
	if len(sent) != 4 || b.Manifest.Environment["launcher.kind"].Value != "ssh" {
		t.Errorf("answers at %v by %v, want at four hosts by ssh", sent, b.Manifest.Environment["launcher.kind"].Value)
	}
}
