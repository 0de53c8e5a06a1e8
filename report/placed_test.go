package report

import (
	"strings"
	"testing"

	"assay/record"
)

func TestPlaced(t *testing.T) {
	f := func(want string, facts map[string]any) {
		t.Helper()
		var r Report
		r.Manifest.Environment = record.Environment{}
		for name, value := range facts {
			r.Manifest.Environment.Set(name, value)
		}
		if got := r.placed(); got != want {
			t.Errorf("placed = %q, want %q", got, want)
		}
	}
	f("", map[string]any{"scheduler.job": "7"}) // that of the shell that assay was started in
	f("by ssh on a, b, 2.5 s to start", map[string]any{"launcher.kind": "ssh", "launcher.hosts": []string{"a", "b"}, "launcher.start_up_seconds": 2.5})
	f("by slurm, job 7, on n1, 12.0 s in the queue, 1.2 s to start", map[string]any{
		"launcher.kind": "slurm", "launcher.hosts": []any{"n1"}, "scheduler.job": "7", "scheduler.queue_wait_seconds": 12.0, "launcher.start_up_seconds": 1.25,
	})
	f("by ssh on a, a, a, a, a, a, a, a and 2 more", map[string]any{"launcher.kind": "ssh", "launcher.hosts": strings.Split("aaaaaaaaaa", "")})
}
