package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"assay/bundle"
	"assay/record"
	"assay/warehouse"
	"assay/warehouse/engine"
)

const (
	launches   = 4   // of the bundle, which are written at the same time, as load generators do
	perRequest = 100 // chunks of a request
)

// questions are percentiles over every chunk row. For the gaps, the chunks of a request are
// taken as they were written, one after the other: a window over each request would have to
// hold all rows at the same time. What comes in another order has no step of one, and the
// count tells.
var questions = []struct {
	what, statement string
	aim             time.Duration
	count           int // for each request, in the first cell of the answer; 0 for none
}{
	{"p99 of the size of an event", `SELECT count(*), quantile_cont(bytes, 0.99) FROM raw_chunks`, 5 * time.Second, perRequest},
	{"p50, p95 and p99 of when events came, by launch", `SELECT launch, quantile_cont(at_ns, [0.5, 0.95, 0.99])::VARCHAR FROM raw_chunks GROUP BY launch ORDER BY launch`, 0, 0},
	{"p99 of the gap between events of a request", `SELECT count(*), quantile_cont(gap, 0.99) FROM (SELECT at_ns - lag(at_ns) OVER () AS gap, seq - lag(seq) OVER () AS step, request - lag(request) OVER () AS other
		FROM raw_chunks) WHERE step = 1 AND other = 0`, 0, perRequest - 1},
}

// benchChunks writes a bundle of chunk rows and asks for percentiles of them.
func benchChunks(ctx context.Context, o options, dir string) (lines []line, err error) {
	w, err := warehouse.OpenWriter(ctx, dir)
	if err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if o.chunks == 0 {
		return nil, nil
	}
	folder := filepath.Join(dir, "bundles", "ab", "ab"+strings.Repeat("0", 62))
	begun, before := time.Now(), processor(syscall.RUSAGE_SELF)
	if err := writeChunks(folder, o.chunks); err != nil {
		return nil, err
	}
	perSecond, ofProcessor := float64(o.chunks)/time.Since(begun).Seconds(), float64(o.chunks)/(processor(syscall.RUSAGE_SELF)-before).Seconds()
	size, err := sizeOf(folder)
	if err != nil {
		return nil, err
	}
	lines = append(lines, line{
		fmt.Sprintf("%d M chunk rows into Parquet, sealed", o.chunks/1_000_000), fmt.Sprintf("%.2f M rows/s, %.2f M for each second of one processor, %.2f B/row", perSecond/1e6, ofProcessor/1e6, float64(size)/float64(o.chunks)),
		"≥ 1 M rows/s", perSecond < 1e6,
	})
	if w, err = warehouse.Open(ctx, dir); err != nil {
		return nil, err
	}
	defer w.Close() // it was only read
	for _, q := range questions {
		if o.aims && q.aim == 0 {
			continue
		}
		answer, took, spent, err := askDuckDB(ctx, o, w, q.statement)
		if want := int64(o.chunks / perRequest * q.count); err == nil && q.count > 0 && answer.Rows[0][0] != want {
			err = fmt.Errorf("%s is of %v rows, want %d", q.what, answer.Rows[0][0], want)
		}
		if err != nil {
			return nil, err
		}
		l := line{what: fmt.Sprintf("%s, over %d M rows by DuckDB", q.what, o.chunks/1_000_000), seen: fmt.Sprintf("%.2f s, %.2f s of processor time", took.Seconds(), spent.Seconds())}
		if q.aim > 0 {
			l.aim, l.missed = fmt.Sprintf("≤ %v", q.aim), took > q.aim
		}
		lines = append(lines, l)
	}
	return lines, os.RemoveAll(folder) // the catalogue does not know it
}

// askDuckDB is how long a question takes as assay query --on duckdb asks it, the shorter of
// two times, and what it costs.
func askDuckDB(ctx context.Context, o options, w *warehouse.Warehouse, statement string) (answer warehouse.Answer, best, spent time.Duration, err error) {
	lookup := func(name string) (string, bool) { return o.duckdb, name == "ASSAY_DUCKDB" }
	r, err := engine.Open(ctx, "duckdb", lookup, w)
	if err != nil {
		return answer, 0, 0, err
	}
	defer r.Close() // there is nothing to close
	for i := range 2 {
		begun, before := time.Now(), processor(syscall.RUSAGE_CHILDREN)
		if answer, err = r.Query(ctx, statement, warehouse.Limit{Time: 10 * time.Minute}); err != nil {
			return answer, 0, 0, err
		}
		if len(answer.Rows) == 0 {
			return answer, 0, 0, fmt.Errorf("%s has no answer", statement)
		}
		if took := time.Since(begun); i == 0 || took < best {
			best, spent = took, processor(syscall.RUSAGE_CHILDREN)-before
		}
	}
	return answer, best, spent, nil
}

// writeChunks makes a sealed bundle through the writer of a run.
func writeChunks(folder string, rows int) error {
	w, err := bundle.Create(folder, bundle.Header{RunID: "volume", Spec: []byte("volume: chunks\n"), Plan: []byte("{}")})
	if err != nil {
		return err
	}
	var group sync.WaitGroup
	faults := make(chan error, launches)
	for i := range launches {
		l, err := w.StartLaunch(bundle.LaunchStart{Index: i, Clock: record.ClockID})
		if err != nil {
			return err
		}
		group.Go(func() {
			for request := range int64(rows / launches / perRequest) {
				if err := l.Chunks.Append(chunksOf(int64(i)<<40|request, request)...); err != nil {
					faults <- err
					return
				}
			}
			faults <- l.Close(bundle.LaunchEnd{Outcome: bundle.LaunchCompleted})
		})
	}
	group.Wait()
	close(faults)
	for err := range faults {
		if err != nil {
			return err
		}
	}
	_, err = w.Seal(context.Background(), bundle.Completed, bundle.SealOptions{})
	return err
}

// chunksOf are those of a request: a role, tokens about 8 ms apart, and an end.
func chunksOf(seed, request int64) []record.Chunk {
	list := make([]record.Chunk, perRequest)
	at := request*1e6 + 40e6
	for i := range list {
		noise := int64(mix(uint64(seed)<<8|uint64(i)) >> 1)
		at += 7e6 + noise%2e6
		list[i] = record.Chunk{Request: request, Seq: int32(i), At: at, Kind: record.Content, Bytes: int32(220 + noise%16), TextBytes: int32(2 + noise%7)}
	}
	list[0].Kind, list[perRequest-1].Kind = record.Role, record.DoneMark
	return list
}

// mix scatters n (the finalizer of SplitMix64), so that nothing is easier to store than it
// would be in a run.
func mix(n uint64) uint64 {
	n = (n ^ n>>30) * 0xBF58476D1CE4E5B9
	n = (n ^ n>>27) * 0x94D049BB133111EB
	return n ^ n>>31
}
