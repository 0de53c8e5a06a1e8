package telemetry

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
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
		Program:   Program,
		DiskSpace: diskSpace,
	}
	h.GPUs = openGPUs(ctx, h)
	return h
}

// Program hashes the running program as the kernel holds it: the file on disk may have been
// replaced since. It does so once, since the program is large and stays what it is.
var Program = sync.OnceValues(func() (string, error) {
	path := "/proc/self/exe"
	if runtime.GOOS != "linux" {
		var err error
		if path, err = os.Executable(); err != nil {
			return "", err
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
})

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
