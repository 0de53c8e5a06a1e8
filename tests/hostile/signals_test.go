package hostile

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"assay/tests/program"
	"assay/tests/whole"
)

// A verb that only reads ends with the first signal, as a shell says it, also while it
// waits for what never comes.
func TestSignalsReading(t *testing.T) {
	t.Parallel()
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		for _, args := range []string{"validate -", "gate a b --policy -"} {
			t.Run(fmt.Sprintf("%s %s", args, s), func(t *testing.T) {
				t.Parallel()
				cmd := exec.Command(program.Path(t), strings.Fields(args)...)
				in, err := cmd.StdinPipe() // stays open: nothing comes, and no end
				must(t, err)
				defer in.Close()
				must(t, cmd.Start())
				// More than a pipe holds: once it is written the program is reading, and
				// catches signals.
				_, err = in.Write(bytes.Repeat([]byte("\n"), 256<<10))
				must(t, err)
				must(t, cmd.Process.Signal(s))
				if code := endOf(t, cmd); code != 128+int(s) {
					t.Errorf("ended with %d, want %d", code, 128+int(s))
				}
			})
		}
	}
}

// A run seals what it has at the first signal.
func TestSignalsMeasuring(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	asked := make(chan struct{})
	var once sync.Once
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.Method == http.MethodPost {
			once.Do(func() { close(asked) })
		}
		<-r.Context().Done() // never answers
	}))
	defer server.Close()
	dir := t.TempDir()
	path := filepath.Join(dir, "spec.yaml")
	writeText(t, path, strings.Replace(strings.Replace(document, "http://127.0.0.1:1", server.URL, 1),
		"load: {concurrency: [2]}", "load: {concurrency: [1], duration: 1h, calibrate: false}", 1))
	cmd := exec.Command(program.Path(t), "run", path, "--out", filepath.Join(dir, "runs"))
	var said bytes.Buffer
	cmd.Dir, cmd.Stderr, cmd.Stdout = dir, &said, &said
	must(t, cmd.Start())
	select {
	case <-asked:
	case <-time.After(2 * time.Minute): // only ends a hang
		_ = cmd.Process.Kill()
		t.Fatal("nothing was asked")
	}
	must(t, cmd.Process.Signal(syscall.SIGINT))
	code := endOf(t, cmd)
	sealed, err := filepath.Glob(filepath.Join(dir, "runs", "*", "manifest.json"))
	if err != nil || len(sealed) != 1 || code != 130 {
		t.Errorf("ended with %d and %d sealed bundles, %v; want one, and the code of the signal:\n%s", code, len(sealed), err, said.String())
	}
}

// endOf waits for the process, and ends it when it does not by itself.
func endOf(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	stuck := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	defer stuck.Stop()
	_ = cmd.Wait()
	return cmd.ProcessState.ExitCode()
}
