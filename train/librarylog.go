package train

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// libraryLogs are the files in which ranks have their communication library write
// what it found and chose: workers/assay_worker/world.py names them.
const libraryLogs = "nccl-rank-*.log"

// What is kept of such a file. Its beginning tells topology, channels and settings;
// its end why a rank failed.
const (
	keptFirst = 768 << 10
	keptLast  = 256 << 10
)

// keepLibraryLogs puts what the libraries of a world wrote in dir among its logs,
// also of a world that failed.
func (l Launch) keepLibraryLogs(dir string, world int) error {
	files, err := filepath.Glob(filepath.Join(dir, libraryLogs))
	if err != nil {
		return err
	}
	var errs []error
	for _, file := range files {
		if err := l.keepLibraryLog(file, fmt.Sprintf("world-%02d-%s", world, filepath.Base(file))); err != nil {
			errs = append(errs, fmt.Errorf("log of the communication library: %w", err))
		}
	}
	return errors.Join(errs...)
}

func (l Launch) keepLibraryLog(file, name string) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := l.Out.Log(name)
	if err != nil {
		return err
	}
	if info.Size() <= keptFirst+keptLast {
		_, err = io.Copy(out, in)
		return errors.Join(err, out.Close())
	}
	_, err = io.CopyN(out, in, keptFirst)
	if err == nil {
		_, err = fmt.Fprintf(out, "\n… %d bytes are left out here …\n", info.Size()-keptFirst-keptLast)
	}
	if err == nil {
		_, err = io.Copy(out, io.NewSectionReader(in, info.Size()-keptLast, keptLast))
	}
	return errors.Join(err, out.Close())
}
