package probe

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"assay/unit"
)

// Checkpoint measures how fast the state of a training job is saved and loaded.
var Checkpoint = Probe{
	Name: "checkpoint",
	Doc:  "saves a state as training does, written whole beside the old one, on the disk before it takes its place; loads it past the page cache; and each answer is checked",
	open: openCheckpoint,
}

// A savedState is the checkpoint that is written and read again.
type savedState struct {
	dir   string
	size  int64
	block []byte // random: a file system that compresses must not gain by it
	wrong int64
}

func openCheckpoint(_ context.Context, s *Setting) ([]variant, func() error, error) {
	size := s.most(s.Micro.FileSize) / largeBlock * largeBlock
	if size < largeBlock {
		return nil, nil, fmt.Errorf("a state of %s: want at least %s (probe.fileSize)", unit.Bytes(s.Micro.FileSize), unit.Bytes(largeBlock))
	}
	dir, err := os.MkdirTemp(s.Dir, "assay-checkpoint-*")
	if err != nil {
		return nil, nil, err
	}
	remove := func() error { return os.RemoveAll(dir) }
	free, system, err := volume(dir)
	if err == nil && free < 2*size+room {
		err = fmt.Errorf("%s has %s free and two states take %s, with %s left for others: choose another folder (--dir) or a smaller state (probe.fileSize)",
			dir, unit.Bytes(free), unit.Bytes(2*size), unit.Bytes(room))
	}
	if err != nil {
		return nil, nil, errors.Join(err, remove())
	}
	c := &savedState{dir: dir, size: size, block: make([]byte, largeBlock)}
	rng := rand.NewChaCha8([32]byte{1})
	_, _ = rng.Read(c.block)
	kind := func(name string, do func() error) variant {
		return variant{name: name, scope: system, threads: 1, size: size, bytes: size, operations: 1, do: repeated(do), settle: c.settle}
	}
	load := kind("load", c.load)
	load.begin = func() error { return c.save() }
	return []variant{kind("save", c.save), load}, remove, nil
}

func repeated(do func() error) func(int) error {
	return func(iterations int) error {
		for range iterations {
			if err := do(); err != nil {
				return err
			}
		}
		return nil
	}
}

func (c *savedState) path() string { return filepath.Join(c.dir, "state") }

// save writes the state beside the old one and puts it in its place once the disk has
// it: a job that dies meanwhile still has one of them.
func (c *savedState) save() error {
	f, err := os.Create(c.path() + ".new")
	if err != nil {
		return err
	}
	for at := int64(0); at < c.size && err == nil; at += largeBlock {
		stamp(c.block, at)
		_, err = f.Write(c.block)
	}
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(c.path()+".new", c.path()); err != nil {
		return err
	}
	folder, err := os.Open(c.dir)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// load reads the state from the disk; the page cache is asked to forget it first.
func (c *savedState) load() (err error) {
	f, err := os.Open(c.path())
	if err != nil {
		return err
	}
	defer f.Close()
	if err := forget(f); err != nil {
		return err
	}
	block := make([]byte, largeBlock)
	for at := int64(0); at < c.size; at += largeBlock {
		if _, err := f.ReadAt(block, at); err != nil {
			return err
		}
		c.wrong += unlike(block, at)
	}
	return nil
}

func (c *savedState) settle() (wrong int64, resent *int64, err error) {
	wrong, c.wrong = c.wrong, 0
	return wrong, nil, nil
}
