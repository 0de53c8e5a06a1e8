package run

import (
	"strings"
	"testing"

	"assay/spec"
	"assay/target"
	"assay/telemetry"
)

// Threads wait awake only where that takes no processor from anybody, least of all from
// the target.
func TestDecideAwake(t *testing.T) {
	local, remote := target.Config{URLs: []string{"http://127.0.0.1:8000"}, Readers: 2}, target.Config{URLs: []string{"http://gpu-7:8000"}, Readers: 2}
	for _, tt := range []struct {
		name  string
		asked string
		cfg   target.Config
		idle  telemetry.Idleness
		want  bool
		why   string
	}{
		{"a free host beside the target's", "", remote, telemetry.Idleness{Known: true, Processors: 4}, true, "4.0 processors are idle"},
		{"asked for by name", spec.WaitAuto, remote, telemetry.Idleness{Known: true, Processors: 4}, true, "4.0 processors are idle"},
		{"a busy host", "", remote, telemetry.Idleness{Known: true, Processors: 3.4}, false, "3.4 processors are idle, and 4 are needed"},
		{"the target's own host", "", local, telemetry.Idleness{Known: true, Processors: 16}, false, "the target is on this host"},
		{"cores of its own there", "", local, telemetry.Idleness{Known: true, Processors: 4, Pinned: true}, true, "idle"},
		{"a program on this host", "", target.Config{Program: &target.ServerConfig{}, Readers: 1}, telemetry.Idleness{Known: true, Processors: 16}, false, "the target is on this host"},
		{"a system that does not tell", "", remote, telemetry.Idleness{}, false, "cannot be read"},
		{"as asked", spec.WaitSpin, local, telemetry.Idleness{}, true, "load.readerWait"},
		{"as asked not", spec.WaitSleep, remote, telemetry.Idleness{Known: true, Processors: 64}, false, "load.readerWait"},
	} {
		if got, why := decideAwake(tt.asked, tt.cfg, tt.idle); got != tt.want || !strings.Contains(why, tt.why) {
			t.Errorf("%s: %v because %q, want %v because %q", tt.name, got, why, tt.want, tt.why)
		}
	}
}
