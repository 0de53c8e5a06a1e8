package cheats

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/tests/program"
	"assay/tests/whole"
)

// measured runs the simulator with flags for three short launches and returns what
// lint says about the bundle.
func measured(t *testing.T, flags string) program.Result {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	spec := fmt.Sprintf(`apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: usage}
spec:
  workload: {model: sim, sequenceLengthMix: [{inputTokens: 64, outputTokens: 16, weight: 1}]}
  target:
    url: http://%[1]s
    model: sim
    server: {command: [%[2]q, sim, --addr, %[1]q, --ttft, 20ms, --itl, 2ms%[3]s], ready: {timeout: 2m, interval: 50ms}}
  load: {concurrency: [2], duration: 1s, warmup: {duration: 200ms}, calibrate: false}
`, addr, program.Path(t), flags)
	if err := os.WriteFile(filepath.Join(dir, "run.yaml"), []byte(spec), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := program.Run(t, dir, "run", "run.yaml", "--out", "runs"); r.Code != 0 {
		t.Fatalf("exit code %d\n%s", r.Code, r.Text())
	}
	made, err := filepath.Glob(filepath.Join(dir, "runs", "*__run__usage"))
	if err != nil || len(made) != 1 {
		t.Fatalf("%v, %v; want one bundle", made, err)
	}
	return program.Run(t, dir, "lint", "--all", made[0])
}

// A server that reports seven tokens more than it sends is caught on its own bundle,
// without a baseline; one that counts right is left in peace.
func TestInflatedUsage(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	if got := measured(t, ", --fault, wrong-usage"); got.Code != 3 || !strings.Contains(got.Stdout, "VOID     usage-mismatch") {
		t.Errorf("exit code %d, want 3 and usage-mismatch\n%s", got.Code, got.Text())
	}
	honest := measured(t, "").Stdout
	for _, check := range []string{
		"usage-mismatch", "served-model", "shared-server", "missing-launches", "missing-requests", "cut-short", "outside-window",
		"impossible-times", "copied-answers",
	} {
		if !strings.Contains(honest, "passed   "+check) {
			t.Errorf("%s did not pass on an honest run\n%s", check, honest)
		}
	}
}
