package workers

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"time"
)

// listTime is what an interpreter gets to list its packages.
const listTime = 30 * time.Second

// packagesQuestion makes an interpreter list what it has installed. Nothing of it is
// imported.
const packagesQuestion = `
import importlib.metadata, json, platform
have = sorted({"%s==%s" % (d.metadata["Name"], d.version) for d in importlib.metadata.distributions() if d.metadata["Name"]})
print("\n:::ASSAY " + json.dumps({"version": platform.python_version(), "packages": have}))
`

// Packages is an interpreter's version and every package that it has, as NAME==VERSION,
// sorted.
func Packages(ctx context.Context, python string) (version string, packages []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	command := exec.CommandContext(ctx, python, "-c", packagesQuestion)
	command.WaitDelay = time.Second
	out, err := command.Output()
	if ctx.Err() != nil {
		return "", nil, ctx.Err()
	}
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return "", nil, errors.New(lastLine(string(failed.Stderr), err))
	}
	if err != nil {
		return "", nil, err
	}
	for line := range strings.Lines(string(out)) {
		if text, ok := strings.CutPrefix(line, ":::ASSAY "); ok {
			var said struct {
				Version  string   `json:"version"`
				Packages []string `json:"packages"`
			}
			err := json.Unmarshal([]byte(text), &said)
			return said.Version, said.Packages, err
		}
	}
	return "", nil, errors.New("it said nothing of its packages")
}
