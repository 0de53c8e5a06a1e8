//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// The paths of a cell.
const (
	scratch = "/tmp" // where programs start, and the only place where they may write
	oldRoot = "/old" // the host's root while the new one is being furnished

	refereeFile = "/referee.pyc"
)

// devices are the only ones in a cell. Each is harmless in every mode.
var devices = []string{"/dev/null", "/dev/zero", "/dev/urandom"}

// A step is one thing that a cell does to close itself in, with the name of what the
// host must have for it.
type step struct {
	needs string
	do    func() error
}

// take carries out steps until one fails, and names what was missing.
func take(steps []step) *reply {
	for _, s := range steps {
		if err := s.do(); err != nil {
			return &reply{Missing: s.needs, Problem: err.Error()}
		}
	}
	return nil
}

// rootSteps replace the root of this process and of its mount namespace.
func rootSteps(f furnishing) []step {
	return []step{
		{"adjustable oom score", func() error { return os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) }},
		{"private mounts", func() error { return unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "") }},
		{"memory file system", func() error {
			return unix.Mount("root", scratch, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "size=1m,nr_inodes=1k,mode=755")
		}},
		{"pivot_root", pivot},
		{"bind mounts", func() error { return bindAll(f.Readable, unix.MOUNT_ATTR_NODEV) }},
		{"devices", func() error { return bindAll(devices, unix.MOUNT_ATTR_NOEXEC) }},
		{"room for the referee", func() error { return os.WriteFile(refereeFile, f.Referee, 0o644) }},
		{"folder for programs", func() error { return os.Mkdir(scratch, 0o755) }},
		{"detachable mounts", leave},
		{"host name of its own", func() error { return unix.Sethostname([]byte("sandbox")) }},
	}
}

// pivot makes the empty file system on scratch the root, and hangs the host's below it.
func pivot() error {
	unix.Umask(0o022)
	if err := os.Mkdir(filepath.Join(scratch, oldRoot), 0o700); err != nil {
		return err
	}
	if err := unix.PivotRoot(scratch, filepath.Join(scratch, oldRoot)); err != nil {
		return err
	}
	return os.Chdir("/")
}

// leave lets go of the host's root and makes the new one read-only.
func leave() error {
	if err := unix.Unmount(oldRoot, unix.MNT_DETACH); err != nil {
		return err
	}
	if err := os.Remove(oldRoot); err != nil {
		return err
	}
	return readOnly("/", 0, unix.MOUNT_ATTR_NODEV)
}

func bindAll(paths []string, attributes uint64) error {
	for _, path := range paths {
		if err := bind(path, attributes); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// bind shows one file or folder of the host at its own path, read-only. Links are
// made again: /lib is one to /usr/lib on most hosts. What is not there is left out.
func bind(path string, attributes uint64) error {
	from := oldRoot + path
	info, err := os.Lstat(from)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, path)
	case info.IsDir():
		err = os.MkdirAll(path, 0o755)
	default:
		err = os.WriteFile(path, nil, 0o644)
	}
	if err != nil {
		return err
	}
	if err := unix.Mount(from, path, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return err
	}
	return readOnly(path, unix.AT_RECURSIVE, attributes)
}

// readOnly also reaches the mounts below path, if flags say so, which a remount would
// not.
func readOnly(path string, flags uint, attributes uint64) error {
	return unix.MountSetattr(unix.AT_FDCWD, path, flags, &unix.MountAttr{
		Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | attributes,
	})
}
