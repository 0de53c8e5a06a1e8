package bundle

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"

	"assay/intake"
)

// A segment below smallRows is worth merging; a merged one ends at segmentRows.
const smallRows = 256 << 10

// A merged segment is encoded in row groups of groupRows and pages of pageBytes,
// which the encoder holds in memory, for each column, until they are complete.
// With the library's own sizes, merging a launch of many requests took more memory
// than making them.
const (
	groupRows = 32 << 10
	pageBytes = 32 << 10
)

// mergeTable joins runs of small segments of table into larger ones. It streams,
// so its memory does not grow with the table. An error leaves the parts.
func mergeTable[T any](dir, table string, o origin) error {
	live, replaced, err := segmentsIn(dir, table)
	if err != nil {
		return err
	}
	if err := removeSegments(replaced); err != nil {
		return err
	}
	rows := make([]int64, len(live))
	for i, s := range live {
		info, err := readFooter(s.path)
		if err != nil {
			return err
		}
		rows[i] = info.rows
	}
	for _, run := range mergeRuns(live, rows) {
		if err := mergeRun[T](dir, run, o); err != nil {
			return fmt.Errorf("merge %d segments of %s: %w", len(run), table, err)
		}
	}
	return nil
}

// mergeRuns groups neighbours that are small; rows holds the size of each. A run
// never reaches across a large segment: its name would cover that one too.
func mergeRuns(live []segment, rows []int64) [][]segment {
	var runs [][]segment
	var run []segment
	var sum int64
	end := func() {
		if len(run) > 1 {
			runs = append(runs, run)
		}
		run, sum = nil, 0
	}
	for i, s := range live {
		if rows[i] >= smallRows {
			end()
			continue
		}
		run, sum = append(run, s), sum+rows[i]
		if sum >= segmentRows {
			end()
		}
	}
	end()
	return runs
}

// mergeRun writes the rows of run as one segment, waits until the disk has it,
// and only then removes the parts.
func mergeRun[T any](dir string, run []segment, o origin) error {
	table := run[0].table
	path := filepath.Join(dir, segmentName(table, run[0].first, run[len(run)-1].last))
	tmp := path + tmpSuffix
	if err := writeMerged[T](tmp, run, append(o.options(table), parquet.MaxRowsPerRowGroup(groupRows), parquet.PageBufferSize(pageBytes))); err != nil {
		os.Remove(tmp)
		return diskError(tmp, err)
	}
	if err := os.Rename(tmp, path); err != nil {
		return err
	}
	if err := syncDir(dir); err != nil {
		return err
	}
	return removeSegments(run)
}

func writeMerged[T any](tmp string, run []segment, opts []parquet.WriterOption) (err error) {
	defer catch(&err)
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	out := parquet.NewGenericWriter[T](f, opts...)
	for _, s := range run {
		if err := eachBatch(s.path, func(rows []T) error {
			_, err := out.Write(rows)
			return err
		}); err != nil {
			return err
		}
	}
	return errors.Join(out.Close(), f.Sync())
}

func removeSegments(segments []segment) error {
	var errs []error
	for _, s := range segments {
		errs = append(errs, os.Remove(s.path))
	}
	return errors.Join(errs...)
}

// errStop ends eachBatch early without being reported.
var errStop = errors.New("stop")

// eachBatch passes the rows of one segment to use, some at a time. The slice is
// used again for the next batch.
func eachBatch[T any](path string, use func([]T) error) (err error) {
	f, err := intake.OpenOwn(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in, err := newReader[T](f)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	defer in.Close()
	// No more than there are: asked for more, the reader looks for every missing row
	// in every column, and a small table takes three times as long.
	left := in.NumRows()
	batch := make([]T, min(left, 1024))
	for left > 0 {
		clear(batch) // a null column leaves the row before it in place otherwise
		n, err := readBatch(in, batch[:min(left, int64(len(batch)))])
		if useErr := use(batch[:n]); useErr != nil {
			return useErr
		}
		left -= int64(n)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", path, err)
		}
	}
	return nil
}

func newReader[T any](f *os.File) (in *parquet.GenericReader[T], err error) {
	defer catch(&err)
	file, err := openPages(f)
	if err != nil {
		return nil, err
	}
	return parquet.NewGenericReader[T](file), nil
}

func readBatch[T any](in *parquet.GenericReader[T], batch []T) (n int, err error) {
	defer catch(&err)
	return in.Read(batch)
}

// A footer is what a segment says about itself.
type footer struct {
	rows   int64
	schema string
}

// readFooter opens a segment far enough to know that it is whole.
func readFooter(path string) (info footer, err error) {
	defer catch(&err)
	f, err := intake.OpenOwn(path)
	if err != nil {
		return footer{}, err
	}
	defer f.Close()
	file, err := openParquet(f)
	if err != nil {
		return footer{}, fmt.Errorf("read %s: %w", path, err)
	}
	schema, _ := file.Lookup("assay.schema")
	return footer{file.NumRows(), schema}, nil
}
