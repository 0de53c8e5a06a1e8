//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"assay/tests/whole"
)

// lackVariable makes this test binary open a Sandbox on a host that lacks something,
// and say what came of it. It names a system call by its number, or flags of clone.
const lackVariable = "ASSAY_SANDBOX_LACK"

// lacking does what lackVariable asks for, in a process of its own.
func lacking(what string) error {
	kind, value, _ := strings.Cut(what, " ")
	number, err := strconv.ParseUint(value, 0, 32)
	if err != nil {
		return err
	}
	switch kind {
	case "call":
		err = forbid(uint32(number), 0)
	case "clone":
		err = forbid(unix.SYS_CLONE, uint32(number))
	case "namespaces":
		err = os.WriteFile("/proc/sys/user/max_user_namespaces", []byte(value), 0)
	}
	if err != nil {
		return err
	}
	s, err := Open(context.Background(), Options{Workers: 1})
	if err != nil {
		return err
	}
	defer s.Close()
	o, err := s.Run(context.Background(), Program{Source: "pass"})
	fmt.Println(strings.Join(o.Layers, ", "))
	return err
}

// forbid answers EPERM to a call of this process and its children: if flags is not 0,
// only when its first argument has one of them.
func forbid(call, flags uint32) error {
	code := []unix.SockFilter{load(seenCall), equal(call, 0, 3), load(seenArgument), jump(unix.BPF_JSET, flags, 0, 1)}
	if flags == 0 {
		code = []unix.SockFilter{load(seenCall), equal(call, 0, 1)}
	}
	code = append(code, answer(unix.SECCOMP_RET_ERRNO|uint32(unix.EPERM)), answer(unix.SECCOMP_RET_ALLOW))
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return errno
	}
	return nil
}

// A host that lacks what a sandbox needs is refused by the name of what it lacks, and
// nothing is run on it.
func TestRefusal(t *testing.T) {
	t.Parallel()
	opened(t)
	tests := []struct {
		lack string
		want string
		root bool // only root's cells need it
	}{
		{"namespaces 0", "no user namespaces: user.max_user_namespaces is 0; allow them", false},
		{fmt.Sprint("clone ", unix.CLONE_NEWUSER), "no user namespaces: operation not permitted", false},
		{fmt.Sprint("clone ", unix.CLONE_NEWNET), "no network namespaces", false},
		{fmt.Sprint("clone ", unix.CLONE_NEWPID), "no pid namespaces", false},
		{fmt.Sprint("call ", unix.SYS_SECCOMP), "no seccomp filters", false},
		{fmt.Sprint("call ", unix.SYS_PIVOT_ROOT), "no pivot_root", false},
		{fmt.Sprint("call ", unix.SYS_MOUNT_SETATTR), "no bind mounts", false},
		{fmt.Sprint("call ", unix.SYS_UNSHARE), "no pid, mount and ipc namespaces for each program", false},
		{fmt.Sprint("call ", unix.SYS_CLOSE_RANGE), "no close_range", false},
		{fmt.Sprint("call ", unix.SYS_SETRESUID), "no user for programs", true},
	}
	for _, tt := range tests {
		t.Run(tt.want, func(t *testing.T) {
			if tt.root && os.Geteuid() != 0 {
				t.Skip("an ordinary user's cell does without it: run it as root")
			}
			out := lack(t, tt.lack)
			if !strings.Contains(out, "generated programs are not run here: "+tt.want) {
				t.Errorf("said %q, want %q", out, tt.want)
			}
		})
	}
}

// Landlock says what the mounts say already: a kernel without it will do, and the
// outcome says so.
func TestLandlockIsReported(t *testing.T) {
	t.Parallel()
	opened(t)
	out := lack(t, fmt.Sprint("call ", unix.SYS_LANDLOCK_CREATE_RULESET))
	if !strings.Contains(out, "seccomp allow list") || strings.Contains(out, "Landlock") {
		t.Errorf("said %q, want the layers without Landlock", out)
	}
}

// withoutLandlock makes this test binary run its tests as on a kernel without Landlock.
const withoutLandlock = "ASSAY_SANDBOX_WITHOUT_LANDLOCK"

// Mounts and filters hold every attack alone: Landlock is the second lock of two.
func TestAttacksWithoutLandlock(t *testing.T) {
	whole.Only(t)
	opened(t)
	if os.Getenv(withoutLandlock) != "" {
		t.Skip("this process is the one that the test starts, without Landlock")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.v", "-test.run", "^TestAttacks$")
	cmd.Env = append(os.Environ(), withoutLandlock+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestAttacks") {
		t.Errorf("%v\n%s", err, out)
	}
}

// lack runs this binary as lacking. It gives it a user namespace of its own where the
// kernel's own limit is to be lowered, which only that namespace then sees.
func lack(t *testing.T, what string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), lackVariable+"="+what)
	if strings.HasPrefix(what, "namespaces") {
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
		}
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// The kernel says only that namespaces could not be made; which one is found by trying.
func TestRefusalNamesTheNamespace(t *testing.T) {
	t.Parallel()
	for _, n := range namespaces {
		err := refusalOf(errors.New("all together"), func(flags uintptr) error {
			if flags == unix.CLONE_NEWUSER|n.flag {
				return &os.PathError{Op: "fork/exec", Path: "/proc/self/exe", Err: unix.EINVAL}
			}
			return nil
		})
		var refusal *Refusal
		if !errors.As(err, &refusal) || refusal.Facility != n.facility || refusal.Why != "invalid argument" {
			t.Errorf("without %s: %v", n.facility, err)
		}
	}
	all := errors.New("all together")
	if err := refusalOf(all, func(uintptr) error { return nil }); err != all {
		t.Errorf("when each can be made: %v", err)
	}
}

// A binary that starts itself again and does not know why would never stop doing so.
func TestBinaryThatCannotEnter(t *testing.T) {
	canEnter.Store(false)
	defer canEnter.Store(true)
	if _, err := Open(t.Context(), Options{}); err == nil || !strings.Contains(err.Error(), "Enter") {
		t.Errorf("Open said %v", err)
	}
}

func TestNoInterpreter(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	script := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tests := []struct{ python, want string }{
		{filepath.Join(folder, "none"), "no such file"},
		{script("old", "echo SyntaxError: it is too old >&2; exit 1"), "it is too old"},
		{script("strange", "echo no JSON"), "invalid character"},
		{script("below", `echo '{"Executable": "/tmp/python3"}'`), "lies below /tmp"},
	}
	for _, tt := range tests {
		_, err := Open(t.Context(), Options{Python: tt.python})
		var refusal *Refusal
		if !errors.As(err, &refusal) || refusal.Facility != "Python interpreter" || !strings.Contains(refusal.Why, tt.want) {
			t.Errorf("%s: %v, want a refusal with %q", tt.python, err, tt.want)
		}
	}
}

// An interpreter may lie anywhere; what is below another readable folder is not bound twice.
func TestReadable(t *testing.T) {
	t.Parallel()
	tests := []struct {
		python python
		want   []string // beside the system's
	}{
		{python{Executable: "/usr/bin/python3.11", Prefixes: []string{"/usr", "/usr"}}, nil},
		{python{Executable: "/opt/py/bin/python3", Prefixes: []string{"/opt/py", "/opt/py"}}, []string{"/opt/py"}},
		{python{Executable: "/usrlocal/bin/python3", Prefixes: []string{"/usrlocal"}}, []string{"/usrlocal"}},
	}
	for _, tt := range tests {
		if got := tt.python.readable(); !slices.Equal(got, append(slices.Clone(system), tt.want...)) {
			t.Errorf("%s: %q, want the system's and %q", tt.python.Executable, got, tt.want)
		}
	}
}

// What root's tests show holds for an ordinary user too.
func TestOrdinaryUser(t *testing.T) {
	t.Parallel()
	opened(t)
	asNobody(t, "^TestAttacks$/^(fork_bomb|network|secrets|writing_outside|namespaces,_mounts_and_root|signals_to_everybody|proc|raised_limits|patched_checker)$")
}

func TestOrdinaryUserAll(t *testing.T) {
	whole.Only(t)
	opened(t)
	asNobody(t, "^(TestAttacks|TestRefusal|TestLandlockIsReported|TestMBPP)$")
}

// asNobody runs tests of a copy of this binary, in a folder that everybody may enter.
func asNobody(t *testing.T, tests string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("every test is an ordinary user's already: run it as root")
	}
	folder, err := os.MkdirTemp("/tmp", "sandbox")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	inner := filepath.Join(folder, "repository", "accuracy", "sandbox")
	if err := errors.Join(os.MkdirAll(inner, 0o755), os.Chmod(folder, 0o755), os.WriteFile(filepath.Join(folder, "test"), binary, 0o755)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(folder, "test"), "-test.v", "-test.run", tests)
	cmd.Dir = inner
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=/", "ASSAY_TESTS=" + os.Getenv(whole.Variable)}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS") || strings.Contains(string(out), "--- SKIP: TestAttacks") {
		t.Errorf("%v\n%s", err, out)
	}
}
