// Command benchmark measures what it takes to judge a large bundle: wall time,
// processor time and memory of assay report --json over a million requests of a
// hundred chunks each, which nobody has judged before. Each row is a process of
// its own on another number of processors, and a smaller bundle is cut into more
// and fewer segments: the reports must be the same to the last byte, and their
// counts those of the records written. Then each bundle is judged with and without the
// check of its seal, in turns. Run it with make bench-judge.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

type options struct {
	assay    string
	dir      string
	launches []int
	size     size
	rounds   int // with and without the check of the seal
	cut      int // requests of the bundle that is cut into segments
}

func main() {
	log.SetFlags(0)
	var o options
	var launches string
	flag.StringVar(&o.assay, "assay", "bin/assay", "the program that judges")
	flag.StringVar(&o.dir, "dir", "", "folder for the bundles, 600 MB at a time, removed at the end; empty means a temporary one")
	flag.StringVar(&launches, "launches", "5,1", "into how many launches the requests are split, one bundle for each number")
	flag.IntVar(&o.size.requests, "requests", 1_000_000, "requests of a bundle")
	flag.IntVar(&o.size.chunks, "chunks", 100, "chunks of a request, at least 6")
	flag.IntVar(&o.cut, "cut", 20_000, "requests of the bundle that is cut into 1, 7 and 50 segments; 0 leaves it out")
	flag.IntVar(&o.rounds, "rounds", 3, "how often a bundle is judged with and without the check of its seal")
	flag.Parse()
	for word := range strings.SplitSeq(launches, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			log.Fatalf("-launches %q: want numbers of at least 1, separated by commas", launches)
		}
		o.launches = append(o.launches, n)
	}
	if o.size.requests < 1 || o.size.chunks < 6 {
		log.Fatalf("got -requests %d -chunks %d, want at least 1 and 6", o.size.requests, o.size.chunks)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := bench(ctx, o); err != nil {
		log.Fatal(err)
	}
}

func bench(ctx context.Context, o options) (err error) {
	parent, err := os.MkdirTemp(o.dir, "assay-judge-benchmark-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(parent)) }()
	fmt.Println(conditions())
	for _, n := range o.launches {
		s := o.size
		s.launches = n
		if err := benchSize(ctx, o.assay, filepath.Join(parent, fmt.Sprintf("launches-%d", n)), s, o.rounds); err != nil {
			return fmt.Errorf("%d launches: %w", n, err)
		}
	}
	if o.cut == 0 {
		return nil
	}
	return benchCuts(ctx, o.assay, filepath.Join(parent, "cut"), size{2, o.cut, o.size.chunks})
}

// benchSize judges a bundle on several numbers of processors.
func benchSize(ctx context.Context, assay, dir string, s size, rounds int) error {
	if err := write(dir, s, true); err != nil {
		return err
	}
	fmt.Printf("\n%d requests, %d chunks, %d launches, %d MB of files\n", s.total(), s.total()*s.chunks, s.launches, sizeOf(dir)>>20)
	fmt.Printf("%10s %9s %9s %9s %16s  %s\n", "GOMAXPROCS", "wall s", "CPU s", "peak MB", "M chunks/CPU s", "SHA-256 of the report")
	first := ""
	for _, processors := range []int{2, 1, 4} {
		r, err := report(ctx, assay, dir, processors)
		if err != nil {
			return err
		}
		fmt.Printf("%10d %9.1f %9.1f %9d %16.2f  %.16s\n", processors, r.wall.Seconds(), r.cpu.Seconds(), r.peak>>20,
			float64(s.total()*s.chunks)/r.cpu.Seconds()/1e6, r.digest)
		if first == "" {
			first = r.digest
			if err := s.check(r.report); err != nil {
				return err
			}
		}
		if r.digest != first {
			return fmt.Errorf("the report made on %d processors differs", processors)
		}
	}
	if err := benchDoor(dir, rounds); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// benchCuts judges the same records in more and fewer segments.
func benchCuts(ctx context.Context, assay, dir string, s size) error {
	if err := write(dir, s, false); err != nil {
		return err
	}
	fmt.Printf("\n%d requests, %d chunks, %d launches, cut into segments\n", s.total(), s.total()*s.chunks, s.launches)
	fmt.Printf("%10s %10s  %s\n", "segments", "GOMAXPROCS", "SHA-256 of the report")
	first := ""
	for _, segments := range []int{1, 7, 50} {
		if err := cut(dir, s.launches, segments); err != nil {
			return err
		}
		for _, processors := range []int{1, 2, 4} {
			r, err := report(ctx, assay, dir, processors)
			if err != nil {
				return err
			}
			fmt.Printf("%10d %10d  %.16s\n", segments, processors, r.digest)
			if first == "" {
				first = r.digest
			}
			if r.digest != first {
				return fmt.Errorf("the report over %d segments on %d processors differs", segments, processors)
			}
		}
	}
	return nil
}
