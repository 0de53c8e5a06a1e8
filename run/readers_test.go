package run

import (
	"strings"
	"testing"
	"time"

	"assay/spec"
	"assay/target"
)

// Threads wait awake only where that takes no processor from anybody, least of all from
// the target.
func TestDecideAwake(t *testing.T) {
	local, remote := target.Config{URLs: []string{"http://127.0.0.1:8000"}, Readers: 2}, target.Config{URLs: []string{"http://gpu-7:8000"}, Readers: 2}
	for _, tt := range []struct {
		name  string
		asked string
		cfg   target.Config
		idle  idleness
		want  bool
		why   string
	}{
		{"a free host beside the target's", "", remote, idleness{known: true, processors: 4}, true, "4.0 processors are idle"},
		{"asked for by name", spec.WaitAuto, remote, idleness{known: true, processors: 4}, true, "4.0 processors are idle"},
		{"a busy host", "", remote, idleness{known: true, processors: 3.9}, false, "3.9 processors are idle, and 4 are needed"},
		{"the target's own host", "", local, idleness{known: true, processors: 16}, false, "the target is on this host"},
		{"cores of its own there", "", local, idleness{known: true, processors: 4, pinned: true}, true, "idle"},
		{"a program on this host", "", target.Config{Program: &target.ServerConfig{}, Readers: 1}, idleness{known: true, processors: 16}, false, "the target is on this host"},
		{"a system that does not tell", "", remote, idleness{}, false, "cannot be read"},
		{"as asked", spec.WaitSpin, local, idleness{}, true, "load.readerWait"},
		{"as asked not", spec.WaitSleep, remote, idleness{known: true, processors: 64}, false, "load.readerWait"},
	} {
		if got, why := decideAwake(tt.asked, tt.cfg, tt.idle); got != tt.want || !strings.Contains(why, tt.why) {
			t.Errorf("%s: %v because %q, want %v because %q", tt.name, got, why, tt.want, tt.why)
		}
	}
}

func TestIdleProcessors(t *testing.T) {
	idle := idleProcessors(10 * time.Millisecond)
	if !idle.known {
		t.Skip("this system does not tell how busy its processors are")
	}
	if idle.processors < 0 || idle.processors > 4096 {
		t.Errorf("%g processors are idle", idle.processors)
	}
}
