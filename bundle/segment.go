package bundle

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"assay/record"
)

// A Parquet file without its footer cannot be read, so a table is written in
// segments, each a complete file that appears under its name when it is whole.
//
// A segment covers the numbers first to last: chunks-00007.parquet holds number
// 7, chunks-00000-00041.parquet was merged from 0 to 41 and replaces them. The
// name alone says so, hence a kill between the appearance of a merged segment
// and the removal of its parts neither loses nor doubles a row.
type segment struct {
	path        string
	table       string
	first, last int
}

var segmentPattern = regexp.MustCompile(`^([a-z]+)-(\d{5,9})(?:-(\d{5,9}))?\.parquet$`)

func segmentName(table string, first, last int) string {
	if first == last {
		return fmt.Sprintf("%s-%05d.parquet", table, first)
	}
	return fmt.Sprintf("%s-%05d-%05d.parquet", table, first, last)
}

func parseSegment(path string) (segment, bool) {
	m := segmentPattern.FindStringSubmatch(filepath.Base(path))
	if m == nil {
		return segment{}, false
	}
	s := segment{path: path, table: m[1]}
	s.first, _ = strconv.Atoi(m[2]) // at most nine digits
	s.last = s.first
	if m[3] != "" {
		s.last, _ = strconv.Atoi(m[3])
	}
	return s, s.first <= s.last
}

// standing sorts the segments of one table and splits off those that a merged
// one replaces.
func standing(all []segment) (live, replaced []segment) {
	slices.SortFunc(all, func(a, b segment) int {
		if a.first != b.first {
			return a.first - b.first
		}
		return b.last - a.last
	})
	covered := -1
	for _, s := range all {
		if s.last <= covered {
			replaced = append(replaced, s)
			continue
		}
		live, covered = append(live, s), s.last
	}
	return live, replaced
}

// segmentsIn lists the segments of table in dir, in order.
func segmentsIn(dir, table string) (live, replaced []segment, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	var all []segment
	for _, e := range entries {
		if s, ok := parseSegment(filepath.Join(dir, e.Name())); ok && s.table == table && e.Type().IsRegular() {
			all = append(all, s)
		}
	}
	live, replaced = standing(all)
	return live, replaced, nil
}

// An origin is what every file of a launch's tables says about itself, so that
// one found alone can still be understood.
type origin struct {
	launch int
	clock  string
}

func (o origin) options(table string) []parquet.WriterOption {
	return []parquet.WriterOption{
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}),
		parquet.KeyValueMetadata("assay.table", table),
		parquet.KeyValueMetadata("assay.schema", record.Version),
		parquet.KeyValueMetadata("assay.launch", strconv.Itoa(o.launch)),
		parquet.KeyValueMetadata("assay.clock", o.clock),
	}
}

// A segmentWriter writes the segments of one table. Its rows are safe once the
// segment is finished.
type segmentWriter[T any] struct {
	dir, table string
	origin     origin

	next int // number of the segment being written
	rows int64
	file *os.File // nil between segments
	out  *parquet.GenericWriter[T]
}

func (w *segmentWriter[T]) write(rows []T) (err error) {
	defer catch(&err)
	if w.file == nil {
		if err := w.open(); err != nil {
			return err
		}
	}
	if _, err := w.out.Write(rows); err != nil {
		return diskError(w.file.Name(), err)
	}
	w.rows += int64(len(rows))
	return nil
}

func (w *segmentWriter[T]) open() error {
	path := filepath.Join(w.dir, segmentName(w.table, w.next, w.next)+tmpSuffix)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return diskError(path, err)
	}
	w.file, w.rows = f, 0
	if w.out == nil {
		w.out = parquet.NewGenericWriter[T](f, w.origin.options(w.table)...)
	} else {
		w.out.Reset(f) // keeps the buffers of the segment before
	}
	return nil
}

// finish gives the segment its name. It does not wait for the disk: what the
// kernel holds survives the death of this process, and Seal waits.
func (w *segmentWriter[T]) finish() (err error) {
	if w.file == nil {
		return nil
	}
	defer catch(&err)
	tmp := w.file.Name()
	err = errors.Join(w.out.Close(), w.file.Close())
	w.file = nil
	path := tmp[:len(tmp)-len(tmpSuffix)]
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		return diskError(path, err)
	}
	w.next++
	return nil
}

// discard drops the unfinished segment after an error.
func (w *segmentWriter[T]) discard() {
	if w.file != nil {
		w.file.Close()
		os.Remove(w.file.Name())
		w.file = nil
	}
}

// catch turns a panic of the Parquet library into an error: damaged files make
// it panic, and so could a bug in it, but neither may end a run.
func catch(err *error) {
	if p := recover(); p != nil {
		*err = errors.Join(*err, fmt.Errorf("parquet: %v", p))
	}
}
