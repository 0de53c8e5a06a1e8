package cluster

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/bundle"
	"assay/tests/program"
	"assay/tests/whole"
)

// serving writes a document whose server is started where the run is, and returns its
// path.
func serving(t *testing.T, duration string) string {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	text := fmt.Sprintf(`apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: far}
spec:
  seed: 1
  workload:
    model: sim
    sequenceLengthMix: [{inputTokens: 16, outputTokens: 8, weight: 1}]
  target:
    url: http://%s
    server:
      command: [%s, sim, --addr, %q, --itl, 1ms]
      ready: {path: /health}
  load: {concurrency: [2], duration: %s, warmup: {duration: 0s}}
  trials: {quick: true}
`, address, program.Path(t), address, duration)
	path := filepath.Join(t.TempDir(), "far.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestRunOverSSH sends a whole run to a host that shares no folder with this one: the
// bundle comes back through the connection.
func TestRunOverSSH(t *testing.T) {
	whole.Cluster(t)
	dir := t.TempDir()
	n := newNetwork(t, 1, unshared(dir))
	said, code := assay(t, "run", serving(t, "2s"), "--launcher", "ssh", "--hosts", n.file(t, 1), "--progress", "none", "-o", dir)
	if code != 0 {
		t.Fatalf("exit %d\n%s", code, said)
	}
	b := opened(t, dir)
	facts := b.Manifest.Environment
	if facts["host.name"].Value != "host0" || facts["launcher.kind"].Value != "ssh" || b.Manifest.Status != bundle.Completed {
		t.Errorf("a run that is %s on %v by %v, want completed on host0 by ssh", b.Manifest.Status, facts["host.name"].Value, facts["launcher.kind"].Value)
	}
	if !strings.Contains(said, "TTFT") && !strings.Contains(said, "ttft") {
		t.Errorf("no report was printed:\n%s", said)
	}
}

// TestRunOnSlurm sends a whole run to a node; then one whose node is killed, which
// leaves a partial bundle that names it.
func TestRunOnSlurm(t *testing.T) {
	whole.Cluster(t)
	s := newScheduler(t)
	t.Run("whole", func(t *testing.T) {
		dir := t.TempDir()
		said, code := assay(t, "run", serving(t, "2s"), "--launcher", "slurm", "--partition", "bench", "--progress", "none", "-o", dir)
		if code != 0 {
			t.Fatalf("exit %d\n%s", code, said)
		}
		facts := opened(t, dir).Manifest.Environment
		if seconds, _ := facts["scheduler.queue_wait_seconds"].Value.(float64); facts["scheduler.kind"].Value != "slurm" || seconds <= 0 {
			t.Errorf("scheduler %v, queue wait %v; want slurm and more than nothing", facts["scheduler.kind"].Value, facts["scheduler.queue_wait_seconds"].Value)
		}
	})
	t.Run("killed", func(t *testing.T) {
		dir := t.TempDir()
		cmd, said := start(t, "run", serving(t, "10m"), "--launcher", "slurm", "--progress", "none", "-o", dir)
		soon(t, "the run has rows", func() bool {
			found, _ := filepath.Glob(filepath.Join(dir, ".far-*", "*", "raw", "launch-00", "requests-*"))
			return len(found) > 0
		})
		time.Sleep(time.Second)
		s.kill(t, "n1")
		_ = cmd.Wait()
		b := opened(t, dir)
		l := b.Manifest.Launches
		if b.Manifest.Status != bundle.Partial || len(l) != 1 || !strings.Contains(l[0].Reason, "host n1") {
			t.Errorf("a %s run with launches %+v, want a partial one that names n1\n%s", b.Manifest.Status, l, said)
		}
	})
	t.Run("interrupted", func(t *testing.T) {
		dir := t.TempDir()
		cmd, said := start(t, "run", serving(t, "10m"), "--launcher", "slurm", "--progress", "none", "-o", dir)
		soon(t, "the run has rows", func() bool {
			found, _ := filepath.Glob(filepath.Join(dir, ".far-*", "*", "raw", "launch-00", "requests-*"))
			return len(found) > 0
		})
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		if status := opened(t, dir).Manifest.Status; status != bundle.Aborted {
			t.Errorf("the bundle is %s, want aborted\n%s", status, said)
		}
	})
	soon(t, "no job is left", func() bool { return !queued() })
}
