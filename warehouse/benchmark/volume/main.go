// Command volume measures a warehouse of ten thousand runs, a million facts and a bundle of
// a hundred million chunks: rows per second into Parquet, the time of a percentile over all
// of them through DuckDB, the time of every question that the dashboard asks the catalogue,
// and what a run costs on the disk. It exits 3 where an aim is missed. Run it with make
// bench-warehouse; it takes a few GB of disk for a few minutes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

type options struct {
	dir    string
	have   string
	duckdb string
	runs   int
	chunks int
	rounds int
	aims   bool
	write  string
}

// A line is one measurement, and what was aimed at.
type line struct {
	what, seen, aim string
	missed          bool
}

func main() {
	var o options
	flag.StringVar(&o.dir, "dir", "", "folder in which the warehouse is made, and removed at the end; empty means a temporary one")
	flag.StringVar(&o.have, "have", "", "folder of a warehouse that is made where it is missing, used where it is there, and stays")
	flag.StringVar(&o.duckdb, "duckdb", "bin/assay-duckdb", "the program that answers with DuckDB (make duckdb)")
	flag.IntVar(&o.runs, "runs", 10_000, "runs in the catalogue")
	flag.IntVar(&o.chunks, "chunks", 100_000_000, "chunk rows of the bundle; 0 leaves them out")
	flag.IntVar(&o.rounds, "rounds", 9, "how often each question is asked")
	flag.BoolVar(&o.aims, "aims", false, "of the chunks, ask only what has an aim")
	flag.StringVar(&o.write, "write", "", "file that the table is written to as well")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	missed, err := bench(ctx, o)
	stop()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	case missed:
		os.Exit(3)
	}
}

func bench(ctx context.Context, o options) (missed bool, err error) {
	place := o.have
	if place == "" {
		dir, err := os.MkdirTemp(o.dir, "assay-warehouse-benchmark-")
		if err != nil {
			return false, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		place = filepath.Join(dir, "warehouse")
	}
	table := conditions() + "\n\n| what | seen | aim |\n| --- | --- | --- |\n"
	fmt.Print(table)
	for _, part := range []func(context.Context, options, string) ([]line, error){benchChunks, benchCatalogue} {
		lines, err := part(ctx, o, place)
		for _, l := range lines {
			if l.missed {
				l.seen += ", missed"
			}
			row := fmt.Sprintf("| %s | %s | %s |\n", l.what, l.seen, l.aim)
			fmt.Print(row)
			table, missed = table+row, missed || l.missed
		}
		if err != nil { // what was measured before is shown all the same
			return missed, err
		}
	}
	if o.write != "" {
		err = os.WriteFile(o.write, []byte(table), 0o644)
	}
	return missed, err
}

// conditions says under what the figures were taken.
func conditions() string {
	words := func(path string, n int) string {
		text, _ := os.ReadFile(path)
		list := strings.Fields(string(text))
		return strings.Join(list[:min(n, len(list))], " ")
	}
	return fmt.Sprintf("%s, %s, %d processors, load %s, kernel %s", time.Now().UTC().Format(time.DateTime), runtime.Version(), runtime.GOMAXPROCS(0), words("/proc/loadavg", 3), words("/proc/sys/kernel/osrelease", 1))
}

// sizeOf is how many bytes the files below a folder have.
func sizeOf(dir string) (sum int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	return sum, err
}
