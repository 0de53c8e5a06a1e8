//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// nobody is the user and the group of programs inside a cell.
const nobody = 65534

// confineSteps close in this thread and what it starts; nothing undoes them. They use
// raw system calls throughout, since the wrappers of Go and of C change all threads.
func confineSteps(f furnishing, l Limits, landlockABI int) []step {
	return []step{
		{"pid, mount and ipc namespaces for each program", func() error {
			return unix.Unshare(unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWIPC)
		}},
		{"memory file system for each program", func() error {
			options := fmt.Sprintf("size=%d,nr_inodes=1k,mode=700,uid=%d,gid=%d", l.Disk, nobody, nobody)
			return unix.Mount("scratch", scratch, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, options)
		}},
		{"droppable capabilities", dropBounds},
		{"user for programs", func() error { return changeUser(f.ChangeUser) }},
		{"no capabilities", dropCapabilities},
		{"no_new_privs", func() error { return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }},
		{"Landlock", func() error {
			if landlockABI == 0 {
				return nil // the layers say so
			}
			return landlock(landlockABI, append([]string{refereeFile}, f.Readable...), scratch)
		}},
		{"seccomp filters", func() error { return install(filter(calls, conditions)) }},
	}
}

// rootGivesNothing says that user 0 has no capabilities by being user 0, for good.
// The bits are those of linux/securebits.h: noroot, no setuid fixup, no ambient
// capabilities, and the lock of each.
const rootGivesNothing = 1<<0 | 1<<1 | 1<<2 | 1<<3 | 1<<6 | 1<<7

// dropBounds takes every capability out of what a program could ever get.
func dropBounds() error {
	for capability := uintptr(0); ; capability++ {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0)
		if err == unix.EINVAL && capability > 0 {
			break // one beyond the last
		}
		if err != nil {
			return err
		}
	}
	return unix.Prctl(unix.PR_SET_SECUREBITS, rootGivesNothing, 0, 0, 0)
}

// changeUser leaves root, where this cell has another user to be.
func changeUser(change bool) error {
	if !change {
		return nil
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, 0, 0, 0); errno != 0 {
		return errno
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESGID, nobody, nobody, nobody); errno != 0 {
		return errno
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, nobody, nobody, nobody); errno != 0 {
		return errno
	}
	return nil
}

func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&header, &none[0])
}

// restrict sets the resource limits of a process that has not yet been told what to
// run. The soft limit of processor time sends a signal that names the reason; a
// program that ignores it meets the hard one a second later.
func restrict(pid int, l Limits) error {
	seconds := uint64((l.CPU + time.Second - 1) / time.Second)
	for _, r := range []struct {
		resource int
		soft     uint64
		hard     uint64
	}{
		{unix.RLIMIT_CPU, seconds, seconds + 1},
		{unix.RLIMIT_AS, uint64(l.Memory), uint64(l.Memory)},
		{unix.RLIMIT_FSIZE, uint64(l.Disk), uint64(l.Disk)},
		{unix.RLIMIT_NOFILE, uint64(l.OpenFiles), uint64(l.OpenFiles)},
		{unix.RLIMIT_NPROC, uint64(l.Processes), uint64(l.Processes)},
		{unix.RLIMIT_CORE, 0, 0},
		{unix.RLIMIT_MEMLOCK, 0, 0},
		{unix.RLIMIT_MSGQUEUE, 0, 0},
		{unix.RLIMIT_SIGPENDING, 256, 256},
	} {
		if err := unix.Prlimit(pid, r.resource, &unix.Rlimit{Cur: r.soft, Max: r.hard}, nil); err != nil {
			return fmt.Errorf("limit %d: %w", r.resource, err)
		}
	}
	return nil
}

// cpuOf is the processor time of a process that ended, and of all it waited for.
func cpuOf(usage syscall.Rusage) time.Duration {
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
