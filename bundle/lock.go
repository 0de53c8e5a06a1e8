package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"assay/intake"
)

// A lock keeps two runs out of one bundle. It is an flock, which the kernel
// gives up when the process dies, so a killed run never leaves a bundle locked;
// the text in the file only says to a person who holds it.
type lock struct {
	path string
	file *os.File
}

type lockHolder struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Started time.Time `json:"started"`
}

// takeLock locks dir or says who holds it.
func takeLock(dir string) (*lock, error) {
	path := filepath.Join(dir, lockFile)
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, diskError(path, err)
		}
		if err := flock(f, syscall.LOCK_EX); err != nil {
			holder := readHolder(f)
			f.Close()
			return nil, fmt.Errorf("bundle %s is in use by %s: wait for that run to end", dir, holder)
		}
		if sameFile(f, path) {
			return writeHolder(&lock{path, f})
		}
		f.Close() // its owner sealed and removed it between our open and our flock
	}
}

func flock(f *os.File, how int) error {
	return syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
}

func sameFile(f *os.File, path string) bool {
	a, errA := f.Stat()
	b, errB := os.Stat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

func writeHolder(l *lock) (*lock, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	text, err := json.Marshal(lockHolder{os.Getpid(), host, time.Now().UTC()})
	if err == nil {
		err = l.file.Truncate(0)
	}
	if err == nil {
		_, err = l.file.WriteAt(text, 0)
	}
	if err != nil {
		l.file.Close()
		return nil, diskError(l.path, err)
	}
	return l, nil
}

func readHolder(f *os.File) string {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<12))
	var h lockHolder
	if err != nil || json.Unmarshal(text, &h) != nil {
		return "another process"
	}
	return fmt.Sprintf("process %d on %s since %s", h.PID, h.Host, h.Started.Format(time.RFC3339))
}

// locked says who holds dir's lock, or "" when nobody does.
func locked(dir string) string {
	f, err := intake.OpenOwn(filepath.Join(dir, lockFile))
	if err != nil {
		return ""
	}
	defer f.Close()
	if flock(f, syscall.LOCK_SH) != nil {
		return readHolder(f)
	}
	return ""
}

// remove gives the lock up and takes its file away: nobody is writing here.
func (l *lock) remove() error {
	return errors.Join(os.Remove(l.path), l.file.Close())
}

// leave gives the lock up and keeps its file, as a killed process would.
func (l *lock) leave() error { return l.file.Close() }
