//go:build linux && (amd64 || arm64)

package sandbox

import "golang.org/x/sys/unix"

// calls are the system calls of a computation with files, processes, threads and
// pipes: what an interpreter and its standard library ask for. All others answer
// ENOSYS, as on a kernel that does not have them, and libraries fall back. So there is
// no way to trace or read another process, to mount, to make a namespace or a socket
// with an address, to load code into the kernel or to hold memory that no limit counts.
// Calls whose arguments matter are in conditions.
var calls = append([]uintptr{
	// Files.
	unix.SYS_CHDIR, unix.SYS_CLOSE, unix.SYS_CLOSE_RANGE, unix.SYS_COPY_FILE_RANGE, unix.SYS_DUP, unix.SYS_DUP3,
	unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2, unix.SYS_FADVISE64, unix.SYS_FALLOCATE, unix.SYS_FCHDIR, unix.SYS_FCHMOD,
	unix.SYS_FCHMODAT, unix.SYS_FCNTL, unix.SYS_FDATASYNC, unix.SYS_FGETXATTR, unix.SYS_FLISTXATTR, unix.SYS_FLOCK,
	unix.SYS_FSTAT, unix.SYS_FSTATFS, unix.SYS_FSYNC, unix.SYS_FTRUNCATE, unix.SYS_GETCWD, unix.SYS_GETDENTS64,
	unix.SYS_GETXATTR, unix.SYS_LGETXATTR, unix.SYS_LINKAT, unix.SYS_LISTXATTR, unix.SYS_LLISTXATTR, unix.SYS_LSEEK,
	unix.SYS_MKDIRAT, unix.SYS_NEWFSTATAT, unix.SYS_OPENAT, unix.SYS_OPENAT2, unix.SYS_PIPE2, unix.SYS_PREAD64, unix.SYS_PREADV,
	unix.SYS_PREADV2, unix.SYS_PWRITE64, unix.SYS_PWRITEV, unix.SYS_PWRITEV2, unix.SYS_READ, unix.SYS_READAHEAD,
	unix.SYS_READLINKAT, unix.SYS_READV, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_SENDFILE, unix.SYS_SPLICE,
	unix.SYS_STATFS, unix.SYS_STATX, unix.SYS_SYMLINKAT, unix.SYS_TEE, unix.SYS_TRUNCATE, unix.SYS_UMASK,
	unix.SYS_UNLINKAT, unix.SYS_UTIMENSAT, unix.SYS_WRITE, unix.SYS_WRITEV,

	// Waiting, and talking through descriptors that are there already.
	unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EPOLL_PWAIT2, unix.SYS_EVENTFD2,
	unix.SYS_GETSOCKOPT, unix.SYS_PPOLL, unix.SYS_PSELECT6, unix.SYS_RECVFROM, unix.SYS_RECVMSG, unix.SYS_SENDMSG,
	unix.SYS_SENDTO, unix.SYS_SETSOCKOPT, unix.SYS_SHUTDOWN, unix.SYS_SIGNALFD4, unix.SYS_TIMERFD_CREATE,
	unix.SYS_TIMERFD_GETTIME, unix.SYS_TIMERFD_SETTIME,

	// Memory.
	unix.SYS_BRK, unix.SYS_MADVISE, unix.SYS_MEMBARRIER, unix.SYS_MINCORE, unix.SYS_MMAP, unix.SYS_MPROTECT,
	unix.SYS_MREMAP, unix.SYS_MSYNC, unix.SYS_MUNMAP,

	// Processes, threads and signals, all inside the program's pid namespace.
	unix.SYS_EXECVE, unix.SYS_EXIT, unix.SYS_EXIT_GROUP, unix.SYS_FUTEX, unix.SYS_FUTEX_WAITV, unix.SYS_GET_ROBUST_LIST,
	unix.SYS_GETCPU, unix.SYS_GETEGID, unix.SYS_GETEUID, unix.SYS_GETGID, unix.SYS_GETGROUPS, unix.SYS_GETPGID,
	unix.SYS_GETPID, unix.SYS_GETPPID, unix.SYS_GETPRIORITY, unix.SYS_GETRESGID, unix.SYS_GETRESUID, unix.SYS_GETRLIMIT,
	unix.SYS_GETSID,
	unix.SYS_GETTID, unix.SYS_GETUID, unix.SYS_KILL, unix.SYS_RESTART_SYSCALL, unix.SYS_RSEQ, unix.SYS_RT_SIGACTION,
	unix.SYS_RT_SIGPENDING, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_RT_SIGSUSPEND,
	unix.SYS_RT_SIGTIMEDWAIT, unix.SYS_SCHED_GET_PRIORITY_MAX, unix.SYS_SCHED_GET_PRIORITY_MIN,
	unix.SYS_SCHED_GETAFFINITY, unix.SYS_SCHED_GETPARAM, unix.SYS_SCHED_GETSCHEDULER, unix.SYS_SCHED_YIELD,
	unix.SYS_SET_ROBUST_LIST, unix.SYS_SET_TID_ADDRESS, unix.SYS_SETPGID, unix.SYS_SETPRIORITY, unix.SYS_SETRLIMIT, unix.SYS_SETSID,
	unix.SYS_SIGALTSTACK, unix.SYS_TGKILL, unix.SYS_TKILL, unix.SYS_WAIT4, unix.SYS_WAITID,

	// Time, chance and what the machine is.
	unix.SYS_CLOCK_GETRES, unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_GETITIMER, unix.SYS_GETRANDOM,
	unix.SYS_GETRUSAGE, unix.SYS_GETTIMEOFDAY, unix.SYS_NANOSLEEP, unix.SYS_SETITIMER, unix.SYS_SYSINFO,
	unix.SYS_TIMER_CREATE, unix.SYS_TIMER_DELETE, unix.SYS_TIMER_GETOVERRUN, unix.SYS_TIMER_GETTIME,
	unix.SYS_TIMER_SETTIME, unix.SYS_TIMES, unix.SYS_UNAME,
}, callsOfOldPrograms...)

// A condition allows a call for some values of one argument, or refuses it for others.
type condition struct {
	call     uintptr
	argument int
	equals   []uint32 // allowed values; none means that mask decides
	mask     uint32   // allowed when none of these bits is set
	refusal  unix.Errno
}

// newNamespaces are the flags of clone that make namespaces.
const newNamespaces = unix.CLONE_NEWCGROUP | unix.CLONE_NEWIPC | unix.CLONE_NEWNET | unix.CLONE_NEWNS |
	unix.CLONE_NEWPID | unix.CLONE_NEWUSER | unix.CLONE_NEWUTS

// conditions lists the calls whose arguments decide. clone3 hides its flags in memory,
// which a filter cannot read: it is missing here and in calls, and libraries fall back
// to clone.
var conditions = []condition{
	{call: unix.SYS_CLONE, argument: 0, mask: newNamespaces, refusal: unix.EPERM},
	{call: unix.SYS_SOCKETPAIR, argument: 0, equals: []uint32{unix.AF_UNIX}, refusal: unix.EAFNOSUPPORT},
	{call: unix.SYS_PRLIMIT64, argument: 0, equals: []uint32{0}, refusal: unix.EPERM}, // of itself alone
	{call: unix.SYS_PRCTL, argument: 0, equals: []uint32{unix.PR_SET_NAME, unix.PR_GET_NAME, unix.PR_SET_VMA}, refusal: unix.EPERM},
	{call: unix.SYS_IOCTL, argument: 1, equals: []uint32{unix.TCGETS, unix.TIOCGWINSZ, fionread, fionbio, fioclex, fionclex}, refusal: unix.ENOTTY},
}

// The ioctls of pipes and of descriptors; the values are the same on both machines.
const (
	fionread = 0x541b
	fionbio  = 0x5421
	fionclex = 0x5450
	fioclex  = 0x5451
)
