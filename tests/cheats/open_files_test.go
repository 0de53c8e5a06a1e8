package cheats

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"assay/tests/program"
	"assay/tests/whole"
)

// A client that may not open a connection for each user is stopped before anything is sent;
// with enough files it runs.
func TestFewOpenFiles(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	for limit, want := range map[int]string{40: "ulimit -n", 1024: ""} {
		l := honestly()
		dir := t.TempDir()
		load := "  load: {concurrency: [100], duration: 500ms, warmup: {duration: 100ms}, calibrate: false}"
		if err := os.WriteFile(filepath.Join(dir, "run.yaml"), []byte(runSpec(l.listen(t), []string{load})), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sh", "-c", fmt.Sprintf("ulimit -n %d && exec %s run run.yaml --out runs", limit, program.Path(t)))
		cmd.Dir = dir
		said, err := cmd.CombinedOutput()
		if (err != nil) != (want != "") || !strings.Contains(string(said), want) {
			t.Errorf("with %d open files: %v, want %q in\n%s", limit, err, want, said)
		}
		if asked := l.asked.Load(); want != "" && asked > 0 {
			t.Errorf("with %d open files %d requests were sent", limit, asked)
		}
	}
}
