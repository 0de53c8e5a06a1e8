//go:build linux && (amd64 || arm64)

package sandbox

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// The accesses that Landlock knows, by the version that brought them.
const (
	landlockRead  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	landlockFirst = 1<<13 - 1 // everything up to making symbolic links
	landlockNet   = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	landlockScope = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL

	// landlockNever is given for no file at all: device nodes, and programs in /tmp.
	landlockNever = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK |
		unix.LANDLOCK_ACCESS_FS_IOCTL_DEV | unix.LANDLOCK_ACCESS_FS_EXECUTE
)

// landlockVersion is the kernel's Landlock ABI, or 0 where there is none.
func landlockVersion() int {
	version, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(version)
}

// landlockAccess is what a ruleset of this version forbids unless a rule allows it.
func landlockAccess(version int) unix.LandlockRulesetAttr {
	a := unix.LandlockRulesetAttr{Access_fs: landlockFirst}
	if version >= 2 {
		a.Access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if version >= 3 {
		a.Access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if version >= 4 {
		a.Access_net = landlockNet
	}
	if version >= 5 {
		a.Access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if version >= 6 {
		a.Scoped = landlockScope
	}
	return a
}

// landlock lets this thread and what it starts read the given paths and write in one
// folder and on the devices, and nothing else. It says the same as the mounts do, by
// other means: a hole in one is closed by the other.
func landlock(version int, readable []string, writable string) error {
	access := landlockAccess(version)
	set, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&access)), unsafe.Sizeof(access), 0)
	if errno != 0 {
		return errno
	}
	defer unix.Close(int(set))
	for _, path := range readable {
		if err := allow(int(set), path, landlockRead); err != nil {
			return err
		}
	}
	for _, path := range devices {
		if err := allow(int(set), path, unix.LANDLOCK_ACCESS_FS_READ_FILE|unix.LANDLOCK_ACCESS_FS_WRITE_FILE); err != nil {
			return err
		}
	}
	if err := allow(int(set), writable, access.Access_fs&^landlockNever); err != nil {
		return err
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, set, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// allow adds a rule for path and what is below it. What is not a folder cannot be
// listed, and Landlock refuses a rule that says so.
func allow(set int, path string, access uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err == unix.ENOENT {
		return nil // not on this host
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return err
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &^= unix.LANDLOCK_ACCESS_FS_READ_DIR
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	_, _, errno := unix.RawSyscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(set), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
