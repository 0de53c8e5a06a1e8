//go:build !(linux && (amd64 || arm64))

package sandbox

import (
	"context"
	"runtime"
)

// A Sandbox runs programs. There is none on this system.
type Sandbox struct{}

// Open refuses: only Linux has the namespaces and filters that hold a program.
func Open(context.Context, Options) (*Sandbox, error) {
	return nil, &Refusal{
		Facility: "namespaces and seccomp filters", Why: "this is " + runtime.GOOS + "/" + runtime.GOARCH,
		Fix: "grade on Linux, amd64 or arm64",
	}
}

// Enter returns false: no process is started as a cell here.
func Enter([]string) (status int, entered bool) { return 0, false }

// Close does nothing.
func (*Sandbox) Close() error { return nil }

// Run is never reached, since Open refuses.
func (*Sandbox) Run(ctx context.Context, _ Program) (Outcome, error) {
	_, err := Open(ctx, Options{})
	return Outcome{}, err
}

// RunAll is never reached, since Open refuses.
func (s *Sandbox) RunAll(ctx context.Context, _ []Program) ([]Outcome, error) {
	_, err := s.Run(ctx, Program{})
	return nil, err
}
