package main

import (
	"strings"
	"testing"
)

// The collector does not run before the program has started: Go prepares package start
// before those that allocate much.
func TestStartWithoutCollector(t *testing.T) {
	cmd := program(t.Context(), "version")
	cmd.Env = append(cmd.Environ(), asProgram+"=1", "GODEBUG=inittrace=1,gctrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	prepared, _, started := strings.Cut(string(out), "init main ")
	if !started {
		t.Fatalf("no trace of the last package:\n%s", out)
	}
	if strings.Contains(prepared, "gc 1 ") {
		t.Errorf("the collector ran while the program started:\n%s", out)
	}
}
