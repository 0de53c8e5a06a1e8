//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"

	_ "embed"

	"golang.org/x/sys/unix"
)

// fixes says what to do about facilities that hosts are known to lack.
var fixes = map[string]string{
	"user namespaces": "allow them: sysctl user.max_user_namespaces=10000, kernel.unprivileged_userns_clone=1 on older Debian, " +
		"kernel.apparmor_restrict_unprivileged_userns=0 on Ubuntu; a container must be allowed to make them too",
	"bind mounts":   "use Linux 5.12 or later",
	"process limit": "use Linux 5.14 or later, and a user other than root where assay may not change users",
}

// namespaces are what a cell needs, each with the flag that asks for it alone.
var namespaces = []struct {
	facility string
	flag     uintptr
}{
	{"user namespaces", 0},
	{"pid namespaces", unix.CLONE_NEWPID},
	{"network namespaces", unix.CLONE_NEWNET},
	{"mount namespaces", unix.CLONE_NEWNS},
	{"ipc namespaces", unix.CLONE_NEWIPC},
	{"uts namespaces", unix.CLONE_NEWUTS},
	{"cgroup namespaces", unix.CLONE_NEWCGROUP},
}

// refusalOf names the first kind of namespace that cannot be made, after all of them
// together could not: the kernel says only that it did not work.
func refusalOf(err error, try func(flags uintptr) error) error {
	for _, n := range namespaces {
		if err := try(unix.CLONE_NEWUSER | n.flag); err != nil {
			return &Refusal{Facility: n.facility, Why: reason(err), Fix: fixes[n.facility]}
		}
	}
	return err
}

// canMake starts a cell with some namespaces only and lets it go at once.
func canMake(flags uintptr) error {
	attr := &syscall.SysProcAttr{Cloneflags: flags}
	identify(attr, 0)
	c, err := spawnCell(attr)
	if err != nil {
		return err
	}
	c.kill()
	return nil
}

// reason leaves out the name of our own binary, and says what a full table means here.
func reason(err error) string {
	if errors.Is(err, unix.ENOSPC) {
		if most, err := os.ReadFile("/proc/sys/user/max_user_namespaces"); err == nil {
			return "user.max_user_namespaces is " + strings.TrimSpace(string(most))
		}
	}
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// escape is a program that tries to get out, mildly.
//
//go:embed escape.py
var escape string

// tryToEscape runs escape. It names the first thing that it could do and should not.
func (s *Sandbox) tryToEscape(ctx context.Context) error {
	o, err := s.Run(ctx, Program{Source: escape})
	if err != nil {
		return err
	}
	if o.Passed() {
		return nil
	}
	if facility, found := strings.CutPrefix(o.Why, "Escaped: "); found {
		facility, _, _ = strings.Cut(facility, " (")
		return &Refusal{Facility: facility, Why: "a program that tried got round it", Fix: fixes[facility]}
	}
	return &Refusal{Facility: "working sandbox", Why: strings.TrimSpace(o.Why + " " + o.OutputTail)}
}
