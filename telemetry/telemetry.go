// Package telemetry reads the machine a run happens on: once as an environment
// (Capture), and again and again while the run goes on (Start).
//
// It reads and records; it does not judge. What could not be read is recorded
// as unavailable with the reason, because a gap that nobody sees is how two
// unlike machines come to be compared. Whether a machine is fit to measure is
// asked by the package doctor below it, over the same facts.
//
// To add a fact, add one line to a table of facts, or one section with the names
// it always records, and list it in sections. To add a source of samples, write
// one file with one Source value and list it in All.
package telemetry

import (
	"context"
	"errors"
	"io/fs"
	"time"
)

// A Host is everything this package touches outside itself. A field left nil is
// never asked, and the facts behind it are recorded as unavailable: the zero
// Host knows nothing, Tree knows files only, Local knows this machine.
type Host struct {
	// System is the operating system as Go names it, such as linux. Empty means
	// that it is not known.
	System string

	// Files is the root folder, holding proc, sys, etc and usr.
	Files fs.FS

	// Environ lists the environment as os.Environ does.
	Environ func() []string

	// LookPath finds a program as exec.LookPath does.
	LookPath func(name string) (string, error)

	// Run runs a program and returns its standard output.
	Run func(ctx context.Context, name string, args ...string) ([]byte, error)

	// GPUs reads the accelerators.
	GPUs GPUs

	// ClockSync asks the kernel how well its wall clock is disciplined.
	ClockSync func() (ClockSync, error)

	// Now is the monotonic clock since any moment; its step and the cost of reading it
	// are measured.
	Now func() time.Duration

	// Program gives the SHA-256 of the running program.
	Program func() (string, error)

	// DiskSpace asks how much room the file system of a folder has.
	DiskSpace func(dir string) (Space, error)

	// HoldPrograms tries whether generated programs can be held in a sandbox here. The
	// sandbox belongs to those who grade, so the command brings it.
	HoldPrograms func(ctx context.Context) error

	// Dir is the working folder: where git is asked and bundles are written.
	// Empty means the current one.
	Dir string
}

// A ClockSync is the state of the kernel's wall-clock discipline.
type ClockSync struct {
	Synchronised bool
	Offset       time.Duration // what is still to be corrected
	MaxError     time.Duration // the kernel's bound on the error
	Status       int           // the STA_ bits of adjtimex
}

// A Space is the room of a file system.
type Space struct {
	Free  uint64 // bytes a plain user may still write
	Total uint64
}

var errNotAsked = errors.New("not asked: this host gives no access to it")

func (h Host) environ() ([]string, error) {
	if h.Environ == nil {
		return nil, errNotAsked
	}
	return h.Environ(), nil
}

func (h Host) program() (string, error) {
	if h.Program == nil {
		return "", errNotAsked
	}
	return h.Program()
}

func (h Host) dir() string {
	if h.Dir == "" {
		return "."
	}
	return h.Dir
}

// commandTimeout bounds an outside program. nvidia-smi needs several seconds on
// a machine of many GPUs without persistence mode; a minute is a hang.
const commandTimeout = 20 * time.Second

func (h Host) run(ctx context.Context, name string, args ...string) ([]byte, error) {
	if h.Run == nil {
		return nil, errNotAsked
	}
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	return h.Run(ctx, name, args...)
}

// Close releases the accelerator library.
func (h Host) Close() error {
	if h.GPUs == nil {
		return nil
	}
	return h.GPUs.Close()
}
