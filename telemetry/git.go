package telemetry

import (
	"context"
	"strings"

	"assay/record"
)

var gitSection = section{
	names: []string{"git.commit", "git.branch", "git.staged_files", "git.changed_files", "git.untracked_files"},
	read:  readGit,
}

// readGit asks once: commit, branch and what differs from them.
func readGit(ctx context.Context, h Host, env record.Environment) error {
	out, err := h.run(ctx, "git", "-C", h.dir(), "status", "--porcelain=v2", "--branch")
	if err != nil {
		return err
	}
	staged, changed, untracked := 0, 0, 0
	for line := range strings.Lines(string(out)) {
		parts := strings.Fields(line)
		switch {
		case len(parts) == 3 && parts[1] == "branch.oid":
			env.Set("git.commit", parts[2])
		case len(parts) == 3 && parts[1] == "branch.head":
			env.Set("git.branch", parts[2])
		case len(parts) >= 2 && parts[0] == "?":
			untracked++
		case len(parts) >= 2 && (parts[0] == "1" || parts[0] == "2" || parts[0] == "u") && len(parts[1]) == 2:
			if parts[1][0] != '.' {
				staged++
			}
			if parts[1][1] != '.' {
				changed++
			}
		}
	}
	env.Set("git.staged_files", staged)
	env.Set("git.changed_files", changed)
	env.Set("git.untracked_files", untracked)
	return nil
}
