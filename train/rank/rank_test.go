package rank_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"assay/launch"
	"assay/plan"
	"assay/record"
	"assay/train/rank"
	"assay/worker"
)

// TestMain lets the test binary be a rank.
func TestMain(m *testing.M) {
	if os.Getenv(worker.EnvController) == "" {
		os.Exit(m.Run())
	}
	if err := rank.Run(context.Background(), os.Getenv, "test", nil); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// A world is real processes and their controller.
type world struct {
	*worker.Controller
	launch.World
	exited chan struct{}
	mu     sync.Mutex
	said   bytes.Buffer
}

func (w *world) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.said.Write(p)
}

func start(t *testing.T, ranks int, job launch.Job, address string) *world {
	t.Helper()
	c, err := worker.Listen(worker.Options{Run: "run-1", Dir: t.TempDir(), Address: address, Ranks: ranks, Hang: 3 * time.Second, Epoch: worker.Mono()})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{Controller: c, exited: make(chan struct{})}
	job.Ranks, job.Command, job.Env = ranks, []string{os.Args[0]}, append(job.Env, c.Env()...)
	job.Log = func(int) io.Writer { return w }
	if w.World, err = (launch.Local{}).Start(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	for rank := range ranks {
		pid, _ := w.PID(rank)
		c.Started(rank, pid)
	}
	go func() {
		defer close(w.exited)
		for e := range w.Ended() {
			c.Exited(e.Rank, e.Code, e.Signal, e.Asked)
		}
	}()
	t.Cleanup(func() {
		w.Stop(time.Second)
		<-w.exited
		c.Close()
		if t.Failed() {
			t.Logf("ranks printed: %s", w.said.String())
		}
	})
	if err := c.Gather(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w
}

// A sink keeps collectives.
type sink struct {
	worker.Sink
	rows []record.Collective
}

func (s *sink) Collective(row record.Collective) { s.rows = append(s.rows, row) }

func (w *world) measure(t *testing.T, c plan.Collective) ([]record.Collective, error) {
	t.Helper()
	var s sink
	point := plan.Point{Index: 7, Name: c.Op, Collective: &c}
	err := w.Run(t.Context(), point, worker.WorldLine{Timeout: int64(20 * time.Second)}, &s)
	return s.rows, err
}

func TestCollectives(t *testing.T) {
	tests := []struct {
		plan      plan.Collective
		algorithm string
		bytes     int64
	}{
		{plan.Collective{Op: "all_reduce", Algorithm: "ring", Bytes: 4 << 20, DataType: "float32"}, "ring", 4 << 20},
		{plan.Collective{Op: "all_reduce", Algorithm: "auto", Bytes: 1024, DataType: "bfloat16", InPlace: true}, "direct", 1024},
		{plan.Collective{Op: "all_reduce", Algorithm: "auto", Bytes: 1 << 20, DataType: "float64", Chunks: 20}, "halving_doubling", 1 << 20},
		{plan.Collective{Op: "all_gather", Algorithm: "ring", Bytes: 1000, DataType: "float32"}, "ring", 960}, // 320 bytes of each
		{plan.Collective{Op: "reduce_scatter", Algorithm: "halving_doubling", Bytes: 100_000, DataType: "int32", InPlace: true}, "halving_doubling", 99984},
		{plan.Collective{Op: "all_to_all", Algorithm: "tree", Bytes: 8, DataType: "uint8"}, "direct", 48}, // what is done, and the least that can be
		{plan.Collective{Op: "broadcast", Algorithm: "tree", Bytes: 1 << 20, DataType: "uint8"}, "tree", 1 << 20},
		{plan.Collective{Op: "reduce", Algorithm: "direct", Bytes: 4096, DataType: "float16"}, "direct", 4096},
		{plan.Collective{Op: "gather", Algorithm: "tree", Bytes: 4800, DataType: "float32", InPlace: true}, "tree", 4800},
		{plan.Collective{Op: "scatter", Algorithm: "auto", Bytes: 4800, DataType: "float32"}, "direct", 4800},
		{plan.Collective{Op: "point_to_point", Algorithm: "auto", Bytes: 65536, DataType: "float32"}, "direct", 65536},
		{plan.Collective{Op: "barrier", Algorithm: "auto", DataType: "float32"}, "halving_doubling", 0},
	}
	const ranks, warmup, iterations = 3, 2, 5
	w := start(t, ranks, launch.Job{}, "")
	next := int64(0)
	for _, tt := range tests {
		tt.plan.Warmup, tt.plan.Iterations = warmup, iterations
		rows, err := w.measure(t, tt.plan)
		if err != nil {
			t.Fatalf("%s: %v", tt.plan.Op, err)
		}
		if got, want := len(rows), ranks*(warmup+iterations); got != want {
			t.Errorf("%s: %d rows, want %d", tt.plan.Op, got, want)
		}
		entered, left := map[int64]int64{}, map[int64]int64{}
		measured := 0
		for _, row := range rows {
			if row.Algorithm != tt.algorithm || row.Bytes != tt.bytes || row.Wrong != 0 || row.Checked != (tt.bytes > 0) ||
				row.Point != 7 || row.Ranks != ranks || row.InPlace != tt.plan.InPlace || row.End <= row.Start || row.Peer != nil {
				t.Errorf("%s: row %+v, want %s with %d bytes, checked and right", tt.plan.Op, row, tt.algorithm, tt.bytes)
			}
			if row.Seq < next || row.Seq >= next+warmup+iterations {
				t.Errorf("%s: number %d, want %d and those after it", tt.plan.Op, row.Seq, next)
			}
			if row.Phase == record.Measure {
				measured++
			}
			entered[row.Seq] = max(entered[row.Seq], row.Start)
			if left[row.Seq] == 0 || row.End < left[row.Seq] {
				left[row.Seq] = row.End
			}
		}
		if measured != ranks*iterations {
			t.Errorf("%s: %d measured rows, want %d", tt.plan.Op, measured, ranks*iterations)
		}
		// No rank can know the sum of all before the last has come.
		if tt.plan.Op == "all_reduce" || tt.plan.Op == "barrier" {
			for seq := range entered {
				if left[seq] < entered[seq] {
					t.Errorf("%s %d: a rank was done %d ns before the last one began", tt.plan.Op, seq, entered[seq]-left[seq])
				}
			}
		}
		next += warmup + iterations
	}
	if err := w.Quit(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-w.exited
	for _, row := range w.Ranks(0) {
		if row.Verdict != worker.VerdictOK || row.LastSeq == nil || *row.LastSeq != next-1 {
			t.Errorf("rank %d: %s, last collective %v, want ok and %d", row.Rank, row.Verdict, row.LastSeq, next-1)
		}
	}
}

func TestPairs(t *testing.T) {
	const ranks, warmup, iterations = 3, 1, 4
	w := start(t, ranks, launch.Job{}, "127.0.0.1")
	for _, tt := range []struct {
		bytes int64
		op    string
	}{{8, "pair_latency"}, {4 << 20, "pair_bandwidth"}} {
		rows, err := w.measure(t, plan.Collective{Op: plan.OpPairs, Algorithm: "direct", Bytes: tt.bytes, DataType: "float32", Warmup: warmup, Iterations: iterations})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[[2]int32]int{}
		busy := map[int64]bool{}
		for _, row := range rows {
			if row.Op != tt.op || row.Peer == nil || *row.Peer == row.Rank || row.Bytes != tt.bytes || row.Ranks != 2 || row.Wrong != 0 || !row.Checked || row.End <= row.Start {
				t.Fatalf("row %+v, want %s of two ranks", row, tt.op)
			}
			if busy[row.Seq] {
				t.Errorf("two pairs have the number %d: one at a time", row.Seq)
			}
			busy[row.Seq] = true
			seen[[2]int32{row.Rank, *row.Peer}]++
		}
		if len(seen) != ranks*(ranks-1) {
			t.Errorf("%s: %d directed pairs, want %d", tt.op, len(seen), ranks*(ranks-1))
		}
		for pair, n := range seen {
			if n != warmup+iterations {
				t.Errorf("%s of %v: %d rows, want %d", tt.op, pair, n, warmup+iterations)
			}
		}
	}
}

// TestFaults has a rank die or stop in the middle of a long measurement.
func TestFaults(t *testing.T) {
	for _, tt := range []struct {
		signal  syscall.Signal
		verdict string
	}{{syscall.SIGKILL, worker.VerdictDied}, {syscall.SIGSTOP, worker.VerdictHung}} {
		t.Run(tt.verdict, func(t *testing.T) {
			t.Parallel()
			w := start(t, 3, launch.Job{}, "")
			pid, _ := w.PID(1)
			time.AfterFunc(1500*time.Millisecond, func() { syscall.Kill(pid, tt.signal) })
			_, err := w.measure(t, plan.Collective{Op: "all_reduce", Algorithm: "ring", Bytes: 1 << 20, DataType: "float32", Warmup: 1, Iterations: 1_000_000})
			var failure *worker.Failure
			if !errors.As(err, &failure) || failure.Rank != 1 || failure.Verdict != tt.verdict {
				t.Errorf("got %v, want rank 1 %s", err, tt.verdict)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	for name, c := range map[string]plan.Collective{
		"no type of elements is called":                {Op: "all_reduce", DataType: "float8"},
		"all_gather cannot be cut":                     {Op: "all_gather", DataType: "float32", Bytes: 4096, Chunks: 2},
		"measures collectives and probes only; traini": {},
	} {
		w := start(t, 2, launch.Job{}, "")
		point := plan.Point{Name: "refused", Collective: &c}
		if c.Op == "" {
			point.Collective, point.Steps = nil, &plan.Steps{}
		}
		err := w.Run(t.Context(), point, worker.WorldLine{Timeout: int64(20 * time.Second)}, &sink{})
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want that %s", err, name)
		}
	}
}
