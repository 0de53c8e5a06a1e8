package cordon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadNode(t *testing.T) {
	tests := []struct {
		line string
		want State
	}{
		{"NodeName=n1 Arch=x86_64 State=IDLE ThreadsPerCore=1 Partitions=bench ", State{Text: "IDLE"}},
		{"NodeName=n1 State=IDLE+DRAIN ThreadsPerCore=1 Reason=slow disk [root@2026-01-02T03:04:05]", State{Out: true, Text: "IDLE+DRAIN", Why: "slow disk"}},
		{"NodeName=n1 State=MIXED+DRAIN* Reason=State=IDLE they say [root@x]", State{Out: true, Text: "MIXED+DRAIN*", Why: "State=IDLE they say"}},
		{"NodeName=n1 State=DOWN*+NOT_RESPONDING", State{Text: "DOWN*+NOT_RESPONDING"}},
	}
	for _, tt := range tests {
		if got := readNode(tt.line); got != tt.want {
			t.Errorf("readNode(%q) = %+v, want %+v", tt.line, got, tt.want)
		}
	}
}

// install puts a program of this name first in PATH: a shell script that keeps the state
// of one node in a file, as an API server would.
func install(t *testing.T, name, script string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\nstate="+dir+"/state\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	return filepath.Join(dir, "state")
}

const kubectl = `case "$1" in
get) if [ "$3" != gpu1 ]; then echo "Error from server (NotFound): nodes \"$3\" not found" >&2; exit 1; fi
     if [ -f $state ]; then echo '{"metadata":{"annotations":{"assay.dev/cordoned-because":"slow"}},"spec":{"unschedulable":true}}'; else echo '{"metadata":{},"spec":{}}'; fi;;
cordon) [ -n "$STUCK" ] || touch $state;;
uncordon) rm -f $state;;
annotate) ;;
*) exit 9;;
esac
`

// A node goes out of service and back; a scheduler that does not do what it was told is
// not believed, and a node that nobody knows is an error that says who was asked.
func TestKubernetes(t *testing.T) {
	install(t, "kubectl", kubectl)
	s, state, err := Find(t.Context(), "", "gpu1")
	if err != nil || s.Name != "kubernetes" || state.Out {
		t.Fatalf("Find = %s, %+v, %v; want kubernetes with a node in service", s.Name, state, err)
	}
	if state, err = s.Out(t.Context(), "gpu1", "slow"); err != nil || !state.Out || state.Why != "slow" {
		t.Errorf("Out = %+v, %v", state, err)
	}
	if state, err = s.Back(t.Context(), "gpu1"); err != nil || state.Out {
		t.Errorf("Back = %+v, %v", state, err)
	}
	t.Setenv("STUCK", "1")
	if _, err = s.Out(t.Context(), "gpu1", "slow"); err == nil || !strings.Contains(err.Error(), "still says") {
		t.Errorf("a scheduler that does nothing was believed: %v", err)
	}
	if _, _, err = Find(t.Context(), "", "gpu2"); err == nil || !strings.Contains(err.Error(), "does not know the node") {
		t.Errorf("Find of a node that nobody knows: %v", err)
	}
	if _, _, err = Find(t.Context(), "nomad", "gpu1"); err == nil || !strings.Contains(err.Error(), "want slurm or kubernetes") {
		t.Errorf("Find by a scheduler that there is not: %v", err)
	}
}
