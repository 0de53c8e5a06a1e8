package probe

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"unsafe"

	"assay/unit"
)

// Disk measures a file system: one file, read and written in order and at random.
var Disk = Probe{
	Name: "disk",
	Doc:  "sequential and random reads and writes past the page cache where the file system allows it, and how long fsync takes",
	open: openDisk,
}

// The blocks of sequential and random access, as fio's users mostly ask for.
const (
	largeBlock = 1 << 20
	smallBlock = 4 << 10
)

// room is left free on the file system: a disk that is filled to the last byte stops
// whoever shares it.
const room = 64 << 20

// A diskFile is the file that is measured.
type diskFile struct {
	path    string
	size    int64
	direct  bool
	handles []*os.File
	system  string // such as ext4
}

func openDisk(_ context.Context, s *Setting) ([]variant, func() error, error) {
	dir := s.Dir
	if dir == "" {
		dir = os.TempDir()
	}
	size := s.most(s.Micro.FileSize) / largeBlock * largeBlock
	if size < largeBlock {
		return nil, nil, fmt.Errorf("a file of %s: want at least %s (probe.fileSize)", unit.Bytes(s.Micro.FileSize), unit.Bytes(largeBlock))
	}
	d, err := newDiskFile(dir, size, s.Note)
	if err != nil {
		return nil, nil, err
	}
	list := []variant{
		d.transfer("sequential write", 1, largeBlock, true, false),
		d.transfer("sequential read", 1, largeBlock, false, false),
	}
	for _, threads := range threadsOf(s) {
		list = append(list,
			d.transfer("random read", threads, smallBlock, false, true),
			d.transfer("random write", threads, smallBlock, true, true))
	}
	return append(list, d.fsync()), d.close, nil
}

// newDiskFile makes a file whose every small block begins with its own place.
func newDiskFile(dir string, size int64, note func(string)) (*diskFile, error) {
	free, system, err := volume(dir)
	if err != nil {
		return nil, err
	}
	if free < size+room {
		return nil, fmt.Errorf("%s has %s free and the file takes %s, with %s left for others: choose another folder (--dir) or a smaller file (probe.fileSize)",
			dir, unit.Bytes(free), unit.Bytes(size), unit.Bytes(room))
	}
	made, err := os.CreateTemp(dir, "assay-probe-*")
	if err != nil {
		return nil, err
	}
	d := &diskFile{path: made.Name(), size: size, system: system}
	if err := errors.Join(d.fill(made), made.Close()); err != nil {
		return nil, errors.Join(err, d.close())
	}
	first, err := d.handle(direct)
	if d.direct = err == nil && direct != 0; !d.direct {
		note(fmt.Sprintf("disk: %s does not take direct I/O (%v): reads may come from the page cache, writes are followed by fdatasync", dir, err))
	}
	if err != nil {
		if first, err = d.handle(0); err != nil {
			return nil, errors.Join(err, d.close())
		}
	}
	d.handles = append(d.handles, first)
	return d, nil
}

// handle opens the file once more. That a file system takes the flag does not mean
// that it takes direct reads, so one is made.
func (d *diskFile) handle(flag int) (*os.File, error) {
	f, err := os.OpenFile(d.path, os.O_RDWR|flag, 0)
	if err != nil {
		return nil, err
	}
	if _, err := f.ReadAt(aligned(smallBlock), 0); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (d *diskFile) fill(f *os.File) error {
	block := aligned(largeBlock)
	for at := int64(0); at < d.size; at += largeBlock {
		stamp(block, at)
		if _, err := f.WriteAt(block, at); err != nil {
			return fmt.Errorf("fill %s: %w", filepath.Dir(d.path), err)
		}
	}
	return f.Sync()
}

// stamp writes into every small block of a large one where in the file it is.
func stamp(block []byte, at int64) {
	for i := 0; i < len(block); i += smallBlock {
		binary.LittleEndian.PutUint64(block[i:], uint64(at)+uint64(i))
	}
}

// unlike counts the small blocks that do not say where they are.
func unlike(block []byte, at int64) (n int64) {
	for i := 0; i < len(block); i += smallBlock {
		if binary.LittleEndian.Uint64(block[i:]) != uint64(at)+uint64(i) {
			n++
		}
	}
	return n
}

// aligned is memory that direct I/O takes: it begins at a page.
func aligned(size int) []byte {
	const page = 4096
	all := make([]byte, size+page)
	off := int(-uintptr(unsafe.Pointer(&all[0])) % page)
	return all[off : off+size : off+size]
}

// A head is one thread's place in the file.
type head struct {
	file  *os.File
	block []byte
	at    int64
	rng   *rand.Rand
	wrong int64
	err   error
}

func (d *diskFile) transfer(name string, threads int, block int64, write, random bool) variant {
	members := &crew[head]{}
	return variant{
		name: name, scope: d.mode() + " " + d.system, threads: threads, size: block, bytes: block * int64(threads), operations: int64(threads),
		begin: func() error {
			*members = newCrew(threads, func(i int) head {
				h := head{block: aligned(int(block)), rng: rand.New(rand.NewPCG(uint64(i), 7)), file: d.handles[0]}
				h.at = d.size / block * int64(i) / int64(threads) * block
				return h
			})
			if !d.direct {
				return forget(d.handles[0])
			}
			return nil
		},
		end: func() error { return members.close() },
		do: func(iterations int) error {
			members.each(func(h *head) { h.move(iterations, d.size, write, random) })
			var errs []error
			for _, h := range members.own {
				errs = append(errs, h.err)
			}
			if write && !d.direct {
				errs = append(errs, keep(d.handles[0]))
			}
			return errors.Join(errs...)
		},
		settle: func() (int64, *int64, error) {
			return members.sum(func(h *head) int64 { n := h.wrong; h.wrong = 0; return n }), nil, nil
		},
	}
}

// move reads or writes so many blocks, in order or at random.
func (h *head) move(blocks int, size int64, write, random bool) {
	length := int64(len(h.block))
	for range blocks {
		at := h.at
		if random {
			at = h.rng.Int64N(size/length) * length
		} else if h.at += length; h.at >= size {
			h.at = 0
		}
		if write {
			stamp(h.block, at)
			_, h.err = h.file.WriteAt(h.block, at)
		} else {
			_, h.err = h.file.ReadAt(h.block, at)
			h.wrong += unlike(h.block, at)
		}
		if h.err != nil {
			return
		}
	}
}

// fsync is how long a small write takes until the disk has it: what a journal or a
// checkpoint waits for. The write goes through the page cache, as theirs do.
func (d *diskFile) fsync() variant {
	var f *os.File
	block := make([]byte, smallBlock)
	return variant{
		name: "fsync", scope: "buffered " + d.system, threads: 1, size: smallBlock, bytes: smallBlock, operations: 1, single: true,
		begin: func() (err error) { f, err = d.handle(0); return err },
		end:   func() error { return f.Close() },
		do: func(iterations int) error {
			for range iterations {
				stamp(block, 0)
				if _, err := f.WriteAt(block, 0); err != nil {
					return err
				}
				if err := f.Sync(); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func (d *diskFile) mode() string {
	if d.direct {
		return "direct"
	}
	return "buffered"
}

// close removes the file.
func (d *diskFile) close() error {
	var errs []error
	for _, h := range d.handles {
		errs = append(errs, h.Close())
	}
	return errors.Join(append(errs, os.Remove(d.path))...)
}
