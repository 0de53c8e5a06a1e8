package bundle

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/parquet-go/parquet-go"

	"assay/intake"
)

// A rowGroup is the part of a segment that can be read by itself.
type rowGroup struct {
	path  string
	index int   // in its file
	first int64 // row of the table that it begins with
	rows  int64
}

// rowGroups lists those of a table in order.
func (b *Bundle) rowGroups(launch int, table string) ([]rowGroup, error) {
	segments, err := b.segments(launch, table)
	if err != nil {
		return nil, err
	}
	var groups []rowGroup
	first := int64(0)
	for _, s := range segments {
		sizes, err := groupSizes(s.path)
		if err != nil {
			return nil, err
		}
		for i, n := range sizes {
			groups = append(groups, rowGroup{s.path, i, first, n})
			first += n
		}
	}
	return groups, nil
}

func groupSizes(path string) (rows []int64, err error) {
	var f groupFile
	defer f.close()
	if err := f.openFile(path); err != nil {
		return nil, err
	}
	for _, g := range f.in.RowGroups() {
		rows = append(rows, g.NumRows())
	}
	return rows, nil
}

// Batches passes one table of one launch to visit, some rows at a time, as Rows
// does row by row. The columns named in without are not read and their fields stay
// zero. Row groups are read by so many workers at once, in no order: place is that of
// the first row in the table. The slice is used again after the visit; the first error
// ends the reading.
func Batches[T any](b *Bundle, launch int, table string, workers int, without []string, visit func(place int64, rows []T) error) error {
	if err := checkRow(table, reflect.TypeFor[T]()); err != nil {
		return err
	}
	groups, err := b.rowGroups(launch, table)
	if err != nil {
		return err
	}
	return eachGroup(groups, workers, func(int) (func(rowGroup) error, func()) {
		r := &batchReader[T]{batch: make([]T, 1024), without: without, visit: visit}
		return r.read, r.close
	})
}

// A batchReader cuts row groups into batches.
type batchReader[T any] struct {
	groupFile
	batch   []T
	without []string
	visit   func(place int64, rows []T) error
}

func (r *batchReader[T]) read(g rowGroup) error {
	group, err := r.open(g)
	if err != nil {
		return err
	}
	fields, ok, err := openFields[T](r.in, group, r.without)
	switch {
	case err != nil:
		return fmt.Errorf("read %s: row group %d: %w", g.path, g.index, err)
	case !ok:
		return r.readWhole(g, group)
	}
	defer fields.close()
	for place, left := g.first, g.rows; left > 0; {
		rows := r.batch[:min(left, int64(len(r.batch)))]
		if err := fields.fill(rows); err != nil {
			return fmt.Errorf("read %s: row group %d: %w", g.path, g.index, err)
		}
		if err := r.visit(place, rows); err != nil {
			return err
		}
		place, left = place+int64(len(rows)), left-int64(len(rows))
	}
	return nil
}

// readWhole reads a row group with the library's own reader, every column of it.
func (r *batchReader[T]) readWhole(g rowGroup, group parquet.RowGroup) error {
	in := parquet.NewGenericRowGroupReader[T](group)
	defer in.Close()
	for place, left := g.first, g.rows; left > 0; {
		clear(r.batch) // a null column leaves the row before it in place otherwise
		n, err := readBatch(in, r.batch[:min(left, int64(len(r.batch)))])
		if n == 0 {
			return fmt.Errorf("read %s: row group %d ends %d rows early: %w", g.path, g.index, left, err)
		}
		if err := r.visit(place, r.batch[:n]); err != nil {
			return err
		}
		place, left = place+int64(n), left-int64(n)
	}
	return nil
}

// eachGroup lets so many workers read groups, one at a time each. Start is called
// once for each worker and returns how it reads a group and how it ends.
func eachGroup(groups []rowGroup, workers int, start func(worker int) (read func(rowGroup) error, end func())) error {
	var next atomic.Int64
	var failed atomic.Bool
	var work sync.WaitGroup
	errs := make([]error, min(max(1, workers), len(groups)))
	for worker := range errs {
		work.Go(func() { // ends with the groups, or at the first error
			read, end := start(worker)
			defer end()
			for !failed.Load() {
				i := int(next.Add(1)) - 1
				if i >= len(groups) {
					return
				}
				if errs[worker] = read(groups[i]); errs[worker] != nil {
					failed.Store(true)
				}
			}
		})
	}
	work.Wait()
	return errors.Join(errs...)
}

// A groupFile is the file whose row groups are being read. It stays open: the
// next group is mostly in the same.
type groupFile struct {
	file *os.File
	in   *parquet.File
}

func (f *groupFile) close() {
	if f.file != nil {
		f.file.Close()
	}
	f.file, f.in = nil, nil
}

func (f *groupFile) openFile(path string) (err error) {
	defer catch(&err)
	if f.in != nil && f.file.Name() == path {
		return nil
	}
	f.close()
	if f.file, err = intake.OpenOwn(path); err != nil {
		return err
	}
	if f.in, err = openPages(f.file); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

func (f *groupFile) open(g rowGroup) (parquet.RowGroup, error) {
	if err := f.openFile(g.path); err != nil {
		return nil, err
	}
	return f.in.RowGroups()[g.index], nil
}
