package sandbox

import "golang.org/x/sys/unix"

// machine is how the kernel names this processor to a filter. A call that comes in by
// the door of another one, 32-bit programs among them, ends the process.
const machine = unix.AUDIT_ARCH_X86_64

// callsOfOldPrograms are calls that newer machines do not have any more.
var callsOfOldPrograms = []uintptr{
	unix.SYS_ACCESS, unix.SYS_ALARM, unix.SYS_ARCH_PRCTL, unix.SYS_CHMOD, unix.SYS_DUP2, unix.SYS_EPOLL_CREATE,
	unix.SYS_EPOLL_WAIT, unix.SYS_EVENTFD, unix.SYS_FORK, unix.SYS_FUTIMESAT, unix.SYS_GETDENTS, unix.SYS_GETPGRP,
	unix.SYS_LINK, unix.SYS_LSTAT, unix.SYS_MKDIR, unix.SYS_OPEN, unix.SYS_PAUSE,
	unix.SYS_PIPE, unix.SYS_POLL, unix.SYS_READLINK, unix.SYS_RENAME, unix.SYS_RMDIR, unix.SYS_SELECT,
	unix.SYS_STAT, unix.SYS_SYMLINK, unix.SYS_TIME, unix.SYS_UNLINK, unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_VFORK,
}
