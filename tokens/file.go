package tokens

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"assay/intake"
)

// mostBytes is the largest file of tokens that is read: some ten thousand of them.
const mostBytes = 4 << 20

// A File is where tokens are kept. Several processes may use it at once.
type File struct {
	path string

	mu   sync.Mutex
	seen os.FileInfo // of the file as it was read last; nil where there was none
	list []Token
}

// Open names the file. It need not exist: then there is no token yet.
func Open(path string) *File { return &File{path: path} }

// List is every token, the oldest first.
func (f *File) List() ([]Token, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	info, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		f.seen, f.list = nil, nil
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	// Every change is a new file under the old name, so another file is another list.
	if f.seen != nil && os.SameFile(f.seen, info) && f.seen.ModTime().Equal(info.ModTime()) && f.seen.Size() == info.Size() {
		return f.list, nil
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s can be read or changed by others (%v): chmod 600 %s", f.path, info.Mode().Perm(), f.path)
	}
	data, err := intake.ReadFile(f.path, mostBytes)
	if err != nil {
		return nil, err
	}
	var list []Token
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, err)
	}
	f.seen, f.list = info, list
	return list, nil
}

// Add keeps a token.
func (f *File) Add(t Token) error {
	return f.change(func(list []Token) ([]Token, error) { return append(list, t), nil })
}

// Revoke ends a token at once.
func (f *File) Revoke(id string) error {
	return f.change(func(list []Token) ([]Token, error) {
		rest := slices.DeleteFunc(list, func(t Token) bool { return t.ID == id })
		if len(rest) == len(list) {
			return nil, fmt.Errorf("%w: no token has the id %q (assay token list)", ErrUnknown, id)
		}
		return rest, nil
	})
}

// change replaces the file by one with other tokens, whole or not at all. Those who
// change it at the same time take turns.
func (f *File) change(edit func([]Token) ([]Token, error)) error {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
		return err
	}
	lock, err := os.OpenFile(f.path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close() // nothing is written to it; the kernel gives the lock up
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("lock %s: %w", f.path, err)
	}
	list, err := f.List()
	if err == nil {
		list, err = edit(slices.Clone(list))
	}
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return replace(f.path, append(data, '\n'))
}

// replace writes a file beside path and gives it the name once it is on the disk.
func replace(path string, data []byte) error {
	next, err := os.CreateTemp(filepath.Dir(path), ".tokens-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = next.Write(data)
	err = errors.Join(err, next.Sync(), next.Close())
	if err == nil {
		err = os.Rename(next.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(next.Name()))
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
