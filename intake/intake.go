// Package intake opens the files that people and strangers name: documents, keys,
// traces, data sets, the files of a bundle. A name is no promise: behind it may be a
// pipe that nobody writes to, a device that never ends, a link to somebody else's
// content, or a few kilobytes that unpack to a disk full of zeros.
//
// Hence every file is a regular one, it is known before reading how much may be read,
// and what is packed is bounded after unpacking too. What is refused is an Error,
// which names the file, what it is and what is wanted.
//
// It understands no format, and it writes nothing.
package intake

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"assay/unit"
)

// An Error is a file that was not taken in.
type Error struct {
	Path string
	Got  string // what it is or has, such as "is a named pipe"
	Want string // such as "a regular file"
	Err  error  // what the system said; nil when the file itself is refused
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Err.Error() // names the path already
	}
	return e.Path + " " + e.Got + ", want " + e.Want
}

func (e *Error) Unwrap() error { return e.Err }

// Open opens the regular file at path, to which links may lead.
func Open(path string) (*os.File, error) { return open(path, os.Stat, os.OpenFile) }

// OpenOwn is Open for a file that must lie there itself, as those of a bundle: its
// content is the bundle's own, so that a link in its place is refused.
func OpenOwn(path string) (*os.File, error) { return open(path, os.Lstat, os.OpenFile) }

// OpenIn is OpenOwn for a file below root, which name cannot leave.
func OpenIn(root *os.Root, name string) (*os.File, error) {
	return open(name, root.Lstat, root.OpenFile)
}

type (
	statFunc func(path string) (fs.FileInfo, error)
	openFunc func(path string, flag int, mode fs.FileMode) (*os.File, error)
)

// open asks what path is before it opens it, because opening alone can wind a tape
// or wait for a writer, and asks again afterwards, because names can be given to
// other files in between.
func open(path string, stat statFunc, openFile openFunc) (*os.File, error) {
	before, err := stat(path)
	if err != nil {
		var failed *fs.PathError
		if errors.As(err, &failed) {
			err = &fs.PathError{Op: "open", Path: path, Err: failed.Err} // that it was asked first is no news
		}
		return nil, &Error{Path: path, Err: err}
	}
	if !before.Mode().IsRegular() {
		return nil, &Error{Path: path, Got: "is a " + kind(before.Mode()), Want: "a regular file"}
	}
	file, err := openFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, &Error{Path: path, Err: err}
	}
	after, err := file.Stat()
	if err == nil && !os.SameFile(before, after) {
		err = &Error{Path: path, Got: "was replaced while it was opened", Want: "a file that stays"}
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// kind is what people call a file that is not regular.
func kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "folder"
	case mode&fs.ModeSymlink != 0:
		return "symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	}
	return "device"
}

// ReadFile returns the content of the file at path, which has at most so many bytes.
// The size is judged before anything is read.
func ReadFile(path string, most int64) ([]byte, error) { return content(path, Open, most) }

// ReadOwn is ReadFile with the rule of OpenOwn.
func ReadOwn(path string, most int64) ([]byte, error) { return content(path, OpenOwn, most) }

// ReadIn is ReadFile with the rule of OpenIn.
func ReadIn(root *os.Root, name string, most int64) ([]byte, error) {
	return content(name, func(name string) (*os.File, error) { return OpenIn(root, name) }, most)
}

func content(path string, open func(string) (*os.File, error), most int64) ([]byte, error) {
	file, err := open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > most {
		return nil, tooLarge(path, "has "+size(info.Size()), most)
	}
	data := make([]byte, info.Size())
	n, err := io.ReadFull(file, data)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // it became shorter meanwhile
	}
	return data[:n], err
}

// ReadAll returns what r holds, such as standard input, up to so many bytes.
func ReadAll(name string, r io.Reader, most int64) ([]byte, error) {
	return io.ReadAll(Bounded(name, r, most))
}

func tooLarge(name, got string, most int64) error {
	return &Error{Path: name, Got: got, Want: "at most " + size(most)}
}

func size(bytes int64) string { return unit.Format(float64(bytes), unit.Byte) }
