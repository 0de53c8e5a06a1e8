// Command benchmark measures how fast a bundle takes rows and what it costs.
//
// It writes chunk rows through the public API, seals, verifies and reads them
// back, counts what it read, and prints rows per second of CPU and of wall time,
// the peak of memory and the bytes per row, with the conditions they hold under.
// The CPU time is that of the whole process: the encoding, the flusher and the
// garbage collector are in it. Run it alone on a quiet machine:
//
//	GOMAXPROCS=1 go run ./bundle/benchmark
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"assay/bundle"
	"assay/record"
)

func main() {
	rows := flag.Int("rows", 50_000_000, "rows to write")
	batch := flag.Int("batch", 200, "rows in one call of Append: the chunks of one request")
	dir := flag.String("dir", "", "folder for the bundle, removed at the end; empty means a temporary one")
	flag.Parse()
	if err := run(*rows, *batch, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "benchmark:", err)
		os.Exit(1)
	}
}

func run(rows, batch int, dir string) error {
	if rows < 1 || batch < 1 {
		return fmt.Errorf("got -rows %d -batch %d, want both at least 1", rows, batch)
	}
	parent, err := os.MkdirTemp(dir, "assay-bundle-benchmark-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(parent)
	fmt.Println(conditions(parent))
	folder := filepath.Join(parent, "bundle")

	steps := []struct {
		name string
		do   func() error
	}{
		{"append and close", func() error { return write(folder, rows, batch) }},
		{"verify", func() error { return verify(folder) }},
		{"read", func() error { return read(folder, rows) }},
	}
	for _, s := range steps {
		before, start := cpuTime(), time.Now()
		if err := s.do(); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		wall, cpu := time.Since(start).Seconds(), (cpuTime() - before).Seconds()
		fmt.Printf("%-16s %6.1f s wall %6.1f s CPU  %6.2f M rows/s wall %6.2f M rows/s CPU  peak %d MB\n",
			s.name, wall, cpu, float64(rows)/wall/1e6, float64(rows)/cpu/1e6, peakMemory()>>20)
	}
	return size(folder, rows)
}

// write makes a bundle with one launch of rows chunks and seals it.
func write(folder string, rows, batch int) error {
	w, err := bundle.Create(folder, bundle.Header{RunID: "benchmark", Spec: []byte("benchmark: chunks\n"), Plan: []byte("{}")})
	if err != nil {
		return err
	}
	l, err := w.StartLaunch(bundle.LaunchStart{Clock: record.ClockID})
	if err != nil {
		return err
	}
	for from := 0; from < rows; from += batch {
		if err := l.Chunks.Append(chunks(from, min(batch, rows-from))...); err != nil {
			return err
		}
	}
	if err := l.Close(bundle.LaunchEnd{Outcome: bundle.LaunchCompleted}); err != nil {
		return err
	}
	_, err = w.Seal(context.Background(), bundle.Completed, bundle.SealOptions{})
	return err
}

// chunks makes the stream of one request: tokens about 8 ms apart with jitter, a
// role before them and an end after them.
func chunks(from, n int) []record.Chunk {
	out := make([]record.Chunk, n)
	for i := range out {
		row := uint64(from + i)
		noise := mix(row)
		out[i] = record.Chunk{
			Request: int64(from / max(1, n)), Seq: int32(i), At: int64(row)*8_000_000/32 + int64(noise%1_000_000),
			Kind: record.Content, Bytes: int32(220 + noise%16), TextBytes: int32(2 + noise%6), Shared: noise%50 == 0,
		}
	}
	out[0].Kind, out[n-1].Kind = record.Role, record.DoneMark
	return out
}

// mix scatters n (the finalizer of SplitMix64): the same each time, and without
// the regularity that would let the encoding look better than it is.
func mix(n uint64) uint64 {
	n = (n ^ n>>30) * 0xBF58476D1CE4E5B9
	n = (n ^ n>>27) * 0x94D049BB133111EB
	return n ^ n>>31
}

func verify(folder string) error {
	r, err := bundle.Verify(folder)
	if err == nil && !r.Verified {
		err = fmt.Errorf("not verified: %+v", r.Failures())
	}
	return err
}

// read counts the rows and checks their order, so that a fast wrong answer is
// found.
func read(folder string, rows int) error {
	b, err := bundle.Open(folder)
	if err != nil {
		return err
	}
	n, last := 0, int64(-1)
	for row, err := range bundle.Rows[record.Chunk](b, 0, bundle.Chunks) {
		if err != nil {
			return err
		}
		if row.Request < last {
			return fmt.Errorf("row %d: request %d comes after %d", n, row.Request, last)
		}
		n, last = n+1, row.Request
	}
	if n != rows {
		return fmt.Errorf("read %d rows, want %d", n, rows)
	}
	return nil
}

func size(folder string, rows int) error {
	b, err := bundle.Open(folder)
	if err != nil {
		return err
	}
	files, bytes := 0, int64(0)
	for _, f := range b.Manifest.Files {
		if f.Table == bundle.Chunks {
			files, bytes = files+1, bytes+f.Bytes
		}
	}
	fmt.Printf("%d rows in %d files, %d MB, %.2f bytes per row\n", rows, files, bytes>>20, float64(bytes)/float64(rows))
	return nil
}
