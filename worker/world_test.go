package worker_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"assay/launch"
	"assay/plan"
	"assay/record"
	"assay/tests/whole"
	"assay/worker"
)

// TestMain lets the test binary be a rank: what it does wrong is in TEST_FAULT, as
// RANK:FAULT.
func TestMain(m *testing.M) {
	if os.Getenv(worker.EnvController) != "" {
		os.Exit(rank())
	}
	whole.AtOnce(8)
	os.Exit(m.Run())
}

const iterations = 20

// rank is a worker that measures nothing: it waits for its peers as little as it
// can, by files in ASSAY_OUT.
func rank() int {
	var fault string
	if who, what, _ := strings.Cut(os.Getenv("TEST_FAULT"), ":"); who == os.Getenv("RANK") {
		fault = what
	}
	if fault == "silent before hello" {
		os.Exit(3)
	}
	env := func(name string) string {
		if fault == "wrong token" && name == worker.EnvToken {
			return "guessed"
		}
		return os.Getenv(name)
	}
	client, err := worker.Dial(env, worker.HelloLine{Backend: "native", Device: "cpu", Library: "test", Listen: "127.0.0.1:" + os.Getenv("RANK")})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	for {
		point, world, err := client.Plan(context.Background())
		if err == io.EOF {
			if client.Bye() != nil {
				return 1
			}
			return 0
		}
		if err != nil {
			fmt.Println(err)
			return 1
		}
		if fault == "no memory" {
			client.Mem(worker.MemLine{Point: point.Index, At: worker.Mono(), Device: "cpu", Outcome: "out_of_memory"})
			client.EndPoint()
			continue
		}
		if err := client.Barrier(worker.PhaseReady); err != nil {
			client.EndPoint()
			continue
		}
		for it := range int64(iterations) {
			client.Began(it)
			if it == iterations/2 {
				misbehave(client, fault)
			}
			if err := meet(world, client.Rank, point.Index, it); err != nil {
				client.Fail(worker.KindCommunication, err)
				return 1
			}
			at := worker.Mono()
			client.Coll(worker.CollLine{Point: point.Index, It: it, Phase: record.Measure, Op: "barrier", N: world.Ranks, T0: at, T1: at + 1000, Clock: "host"})
		}
		if fault == "reference" {
			time.Sleep(6 * time.Second)
		}
		client.EndPoint()
	}
}

func misbehave(client *worker.Client, fault string) {
	self, _ := os.FindProcess(os.Getpid())
	switch fault {
	case "kill":
		_ = self.Kill()
	case "stop":
		time.Sleep(1100 * time.Millisecond) // the peers' beats tell that they are ahead
		_ = self.Signal(syscall.SIGSTOP)
	case "exit":
		os.Exit(7)
	case "error":
		client.Fail(worker.KindWrongAnswer, errors.New("3 elements of 8 are wrong"))
		os.Exit(1)
	case "sleep":
		time.Sleep(time.Hour)
	case "wait":
		client.Began(iterations/2 - 1)
		time.Sleep(time.Hour)
	default:
		return
	}
	time.Sleep(time.Second) // a signal takes a moment
}

// meet is a barrier of processes: each makes a file, and waits for those of the
// others. A peer that does not come in time, or whose process is gone, is a
// communication error, as in a real library.
func meet(world worker.WorldLine, rank, point int, it int64) error {
	name := func(rank int) string {
		return filepath.Join(os.Getenv(worker.EnvOut), fmt.Sprintf("meet-%d-%d-%d", point, it, rank))
	}
	if err := os.WriteFile(name(rank), []byte(fmt.Sprint(os.Getpid())), 0o600); err != nil {
		return err
	}
	until := time.Now().Add(time.Duration(world.Timeout))
	for peer := range world.Ranks {
		for {
			if _, err := os.Stat(name(peer)); err == nil {
				break
			}
			before, _ := os.ReadFile(filepath.Join(os.Getenv(worker.EnvOut), fmt.Sprintf("meet-%d-0-%d", point, peer)))
			if len(before) > 0 && syscall.Kill(atoi(string(before)), 0) != nil {
				return fmt.Errorf("connection closed by rank %d", peer)
			}
			if time.Now().After(until) {
				return fmt.Errorf("timed out waiting for rank %d", peer)
			}
			time.Sleep(time.Millisecond)
		}
	}
	return nil
}

func atoi(text string) (n int) {
	_, _ = fmt.Sscan(text, &n)
	return n
}

// A world is ranks of this binary with their controller.
type world struct {
	*worker.Controller
	launch.World
	dir    string
	out    *log
	exited chan struct{}
}

type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(data)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func start(t *testing.T, o worker.Options, job launch.Job) *world {
	t.Helper()
	o.Run, o.Dir = "run-1", t.TempDir()
	if o.Epoch == 0 {
		o.Epoch = worker.Mono()
	}
	c, err := worker.Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{Controller: c, dir: o.Dir, out: &log{}, exited: make(chan struct{})}
	job.Ranks, job.Env = o.Ranks, append(job.Env, c.Env()...)
	if job.Command == nil {
		job.Command = []string{os.Args[0]}
	}
	job.Log = func(int) io.Writer { return w.out }
	if w.World, err = (launch.Local{}).Start(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	for rank := range o.Ranks {
		pid, _ := w.PID(rank)
		c.Started(rank, pid)
	}
	go func() {
		defer close(w.exited)
		for e := range w.Ended() {
			c.Exited(e.Rank, e.Code, e.Signal, e.Asked)
		}
	}()
	t.Cleanup(func() { w.finish(t) })
	return w
}

// finish stops what is left of the world.
func (w *world) finish(t *testing.T) {
	w.Stop(time.Second)
	<-w.exited
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if t.Failed() {
		t.Logf("ranks printed: %s", w.out)
	}
}

// A sink keeps what it gets.
type sink struct {
	worker.Sink
	colls  []record.Collective
	memory []record.Memory
}

func (s *sink) Collective(row record.Collective) { s.colls = append(s.colls, row) }
func (s *sink) Memory(row record.Memory)         { s.memory = append(s.memory, row) }

func point(index, ranks int) plan.Point {
	return plan.Point{Index: index, Name: "barrier", Ranks: ranks, Collective: &plan.Collective{Backend: "native", Op: "barrier", Iterations: iterations}}
}

func TestWorld(t *testing.T) {
	tests := []struct{ name, address string }{
		{"unix", ""},
		{"TCP", "127.0.0.1"},
		{"TCP with a port", "127.0.0.1:0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			const ranks = 3
			w := start(t, worker.Options{Address: tt.address, Ranks: ranks, Hang: 10 * time.Second}, launch.Job{})
			must(t, w.Gather(t.Context()))
			must(t, w.Sync(t.Context(), worker.Before, 5))
			for index := range 2 {
				var s sink
				must(t, w.Run(t.Context(), point(index, ranks), worker.WorldLine{Timeout: int64(time.Minute)}, &s))
				if got, want := len(s.colls), ranks*iterations; got != want {
					t.Errorf("point %d has %d records, want %d", index, got, want)
				}
				for _, row := range s.colls {
					if row.Start < 0 || row.Start > int64(time.Minute) || row.End-row.Start != 1000 {
						t.Fatalf("record from %d to %d ns: want times of the launch's clock", row.Start, row.End)
					}
				}
			}
			must(t, w.Sync(t.Context(), worker.After, 5))
			must(t, w.Quit(t.Context()))
			<-w.exited
			if got, want := len(w.Pings(0)), 2*5*ranks; got != want {
				t.Errorf("%d pings, want %d", got, want)
			}
			for _, row := range w.Ranks(4) {
				if row.Verdict != worker.VerdictOK || row.World != 4 || row.Error != "" || row.Dropped != 0 || row.ExitCode == nil || *row.ExitCode != 0 {
					t.Errorf("rank %d: verdict %q, world %d, error %q, dropped %d, exit code %v", row.Rank, row.Verdict, row.World, row.Error, row.Dropped, row.ExitCode)
				}
				if row.LastSeq == nil || *row.LastSeq != iterations-1 {
					t.Errorf("rank %d: last collective %v, want %d", row.Rank, row.LastSeq, iterations-1)
				}
				if row.Started == nil || row.Joined == nil || row.Ready == nil || row.Ended == nil ||
					*row.Started > *row.Joined || *row.Joined > *row.Ready || *row.Ready > *row.Ended {
					t.Errorf("rank %d: times out of order: %+v", row.Rank, row)
				}
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestBlame holds that the culprit is named, whoever complains first, and in time.
func TestBlame(t *testing.T) {
	t.Parallel()
	const hang = 3 * time.Second
	tests := []struct {
		fault   string
		verdict string
		text    string
		timeout time.Duration // of a collective
		within  time.Duration
	}{
		{"kill", worker.VerdictDied, "killed", time.Minute, hang},
		{"exit", worker.VerdictDied, "code 7", time.Minute, hang},
		{"error", worker.VerdictDied, "wrong_answer: 3 elements of 8 are wrong", time.Minute, hang},
		{"stop", worker.VerdictHung, "stopped", time.Minute, 2*hang + time.Second},
		{"stop", worker.VerdictHung, "stopped", 2 * time.Second, 2*hang + time.Second}, // the victims complain before it is overdue
		{"wait", worker.VerdictHung, "the others wait for it", time.Minute, 3 * hang},
	}
	for _, tt := range tests {
		t.Run(tt.fault, func(t *testing.T) {
			t.Parallel()
			w := start(t, worker.Options{Ranks: 3, Hang: hang}, launch.Job{Env: []string{"TEST_FAULT=1:" + tt.fault}})
			must(t, w.Gather(t.Context()))
			begin := time.Now()
			var s sink
			err := w.Run(t.Context(), point(0, 3), worker.WorldLine{Timeout: int64(tt.timeout)}, &s)
			took := time.Since(begin)
			var failure *worker.Failure
			if !errors.As(err, &failure) {
				t.Fatalf("Run = %v, want a failure", err)
			}
			if failure.Rank != 1 || failure.Verdict != tt.verdict || !strings.Contains(failure.Text, tt.text) {
				t.Errorf("Run = %v, want rank 1 %s: %s", err, tt.verdict, tt.text)
			}
			if took > tt.within {
				t.Errorf("named after %v, want at most %v", took, tt.within)
			}
			w.Stop(time.Second)
			<-w.exited
			for _, row := range w.Ranks(0) {
				want := []string{worker.VerdictVictim, worker.VerdictStopped}
				if row.Rank == 1 {
					want = []string{tt.verdict}
				}
				if !strings.Contains(strings.Join(want, " "), row.Verdict) {
					t.Errorf("rank %d: verdict %q, want one of %q", row.Rank, row.Verdict, want)
				}
			}
		})
	}
}

// TestReference holds that a rank that works on alone when the others have ended the
// point is no failure.
func TestReference(t *testing.T) {
	t.Parallel()
	w := start(t, worker.Options{Ranks: 2, Hang: 2 * time.Second}, launch.Job{Env: []string{"TEST_FAULT=0:reference"}})
	must(t, w.Gather(t.Context()))
	must(t, w.Run(t.Context(), point(0, 2), worker.WorldLine{Timeout: int64(time.Minute)}, &sink{}))
	must(t, w.Quit(t.Context()))
}
