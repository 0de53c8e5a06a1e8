package telemetry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// Local returns the machine this process runs on. Close it when done.
func Local(ctx context.Context) Host {
	begun := time.Now()
	h := Host{
		Now:       func() time.Duration { return time.Since(begun) },
		System:    runtime.GOOS,
		Files:     os.DirFS("/"),
		Environ:   os.Environ,
		LookPath:  exec.LookPath,
		Run:       runCommand,
		ClockSync: clockSync,
		DiskSpace: diskSpace,
	}
	h.GPUs = openGPUs(ctx, h)
	return h
}

// Tree returns a host that is a folder of files and nothing else: another
// machine's proc and sys, copied or mounted. Nothing of this machine leaks in.
func Tree(dir string) Host { return Host{Files: os.DirFS(dir)} }

func runCommand(ctx context.Context, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		line, _, _ := bytes.Cut(bytes.TrimSpace(stderr.Bytes()), []byte("\n"))
		return out, fmt.Errorf("%s: %s: %w", name, line, err)
	}
	return out, err
}
