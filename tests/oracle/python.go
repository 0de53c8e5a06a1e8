// Package oracle finds the programs of others that our numbers are held against.
package oracle

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// absent looks for modules without loading them: some take seconds.
const absent = `import importlib.util, sys
sys.exit(any(importlib.util.find_spec(m) is None for m in sys.argv[1:]))`

// Python returns an interpreter that has the modules, or skips the test. It is the one that
// ASSAY_PYTHON names, or the one that make test installs.
func Python(t testing.TB, modules ...string) string {
	t.Helper()
	path := os.Getenv("ASSAY_PYTHON")
	if path == "" {
		path = filepath.Join(root(t), ".venv", "bin", "python")
	}
	if err := exec.Command(path, append([]string{"-c", absent}, modules...)...).Run(); err != nil {
		t.Skipf("%s with %s is not there; make test installs it", path, strings.Join(modules, ", "))
	}
	return path
}

// root is the folder of this repository, above the one in which the test runs.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		above := filepath.Dir(dir)
		if above == dir {
			t.Fatal("no go.mod above this test")
		}
		dir = above
	}
}
