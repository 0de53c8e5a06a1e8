package probe

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
)

// Startup measures how long it takes to start a process and see it end.
var Startup = Probe{
	Name: "startup",
	Doc:  "a process that does nothing, a shell that does nothing, and this program telling its options",
	open: openStartup,
}

func openStartup(ctx context.Context, s *Setting) ([]variant, func() error, error) {
	var list []variant
	add := func(name, path string, args ...string) {
		list = append(list, variant{
			name: name, scope: path, threads: 1, operations: 1, single: true,
			do: func(iterations int) error {
				for range iterations {
					if err := exec.CommandContext(ctx, path, args...).Run(); err != nil {
						return err
					}
				}
				return nil
			},
		})
	}
	if path, err := exec.LookPath("true"); err == nil {
		add("process", path)
	} else {
		s.Note("startup: no program true on the path: the bare process is left out")
	}
	if path, err := exec.LookPath("sh"); err == nil {
		add("shell", path, "-c", ":")
	}
	// Only the real program is started: a test would start itself without end.
	if self, err := os.Executable(); err == nil && filepath.Base(self) == "assay" {
		add("assay", self, "--help")
	}
	return list, nothing, nil
}
