package bundle

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"assay/unit"
)

// writeFile puts data at path so that a reader finds all of it or nothing, even
// after a power cut.
func writeFile(path string, data []byte) error {
	tmp := path + tmpSuffix
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return diskError(tmp, err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		os.Remove(tmp)
		return diskError(path, err)
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes the names in dir as durable as the files they name.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// diskError adds to err what a person needs who finds a run stopped by its disk.
func diskError(path string, err error) error {
	return roomError(path, err, "what was written before stays readable: %s, then run assay recover")
}

// copyError is the same for a copy, of which nothing stays.
func copyError(path string, err error) error {
	return roomError(path, err, "nothing of the copy stays, and the bundle is as it was: %s, and do it again")
}

// roomError says what is full, and next, which has a place for the cure.
func roomError(path string, err error, next string) error {
	var what, cure string
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		what, cure = "disk full", "free some space"
	case errors.Is(err, syscall.EFBIG):
		what, cure = "the process has reached its file-size limit", "raise ulimit -f"
	default:
		return fmt.Errorf("write %s: %w", path, err)
	}
	return fmt.Errorf("write %s: %s, %s free; %s: %w", path, what, freeSpace(filepath.Dir(path)), fmt.Sprintf(next, cure), err)
}

// freeSpace says how much an unprivileged process may still write under dir.
func freeSpace(dir string) string {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return "unknown space"
	}
	return unit.Format(float64(st.Bavail)*float64(st.Bsize), unit.Byte)
}
