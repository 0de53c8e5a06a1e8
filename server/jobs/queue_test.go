package jobs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The test binary is also the program that a queue starts: what it does is said by the
// name of the document. Real runs are those of TestServeRuns in cmd/assay.
func TestMain(m *testing.M) {
	if len(os.Args) < 3 || os.Args[1] != "run" {
		patience = 500 * time.Millisecond
		os.Exit(m.Run())
	}
	document, err := os.ReadFile(os.Args[2])
	if err != nil {
		os.Exit(1)
	}
	out := os.Args[4]
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	switch text := string(document); {
	case strings.Contains(text, "fails"):
		fmt.Fprintf(os.Stderr, "cannot do it in %s: secret is %q\n", out, os.Getenv("NOT_GIVEN"))
		os.Exit(1)
	case strings.Contains(text, "floods"):
		fmt.Fprint(os.Stderr, strings.Repeat("x", 1<<20))
		os.Exit(1)
	case strings.Contains(text, "grows"):
		_ = os.WriteFile(filepath.Join(out, "big"), make([]byte, 3<<20), 0o600)
		<-interrupted
		os.Exit(130)
	case strings.Contains(text, "stubborn"):
		fmt.Fprintln(os.Stderr, `{"at": "2026-11-17T09:00:00Z", "stage": "measuring"}`)
		for range interrupted {
			continue
		}
	}
	for i := 0; ; i++ {
		fmt.Fprintf(os.Stderr, `{"at": "2026-11-17T09:00:00Z", "stage": "measuring", "requests": %d}`+"\n", i)
		select {
		case <-interrupted:
			os.Exit(130)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func named(name string) []byte { return []byte(strings.Replace(good, "asked", name, 1)) }

// started is a queue that works until the test, or stop, ends it.
func started(t *testing.T, change func(*Options)) (q *Queue, stop func()) {
	t.Helper()
	binary, err := os.Executable()
	must(t, err)
	q = opened(t, func(o *Options) {
		o.Binary = binary
		o.Keep = func(context.Context, string) (string, string, error) { return "", "", errors.New("nothing to keep") }
		if change != nil {
			change(o)
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { q.Work(ctx); close(done) }()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return q, stop
}

// until waits for a job to be as wanted.
func until(t *testing.T, q *Queue, id string, good func(Job, int64) bool) Job {
	t.Helper()
	late := time.After(time.Minute)
	for {
		j, now, changed, err := q.Look(id)
		must(t, err)
		var requests int64
		if now != nil {
			requests = now.Requests + 1
		}
		if good(j, requests) {
			return j
		}
		select {
		case <-changed:
		case <-late:
			t.Fatalf("a minute later it is %+v", j)
		}
	}
}

func over(j Job, _ int64) bool { return j.State.Over() }

func asked(t *testing.T, q *Queue, token, name string) Job {
	t.Helper()
	j, err := q.Ask(token, "somebody", named(name), "local")
	must(t, err)
	return j
}

// Runs go one after another; one that runs shows how far it is, and ends when its owner or
// an admin wants it to.
func TestOneAfterAnother(t *testing.T) {
	q, _ := started(t, nil)
	first, second := asked(t, q, "a", "first"), asked(t, q, "a", "second")
	until(t, q, first.ID, func(_ Job, seen int64) bool { return seen > 3 })
	if j, _, _, _ := q.Look(second.ID); j.State != Queued {
		t.Errorf("the second is %s while the first runs", j.State)
	}
	if _, err := q.Cancel(first.ID, "b", false); !errors.Is(err, ErrOther) {
		t.Errorf("another token ends it: %v", err)
	}
	if _, err := q.Cancel("job-0000000000000000", "a", true); !errors.Is(err, ErrUnknown) {
		t.Errorf("no such job: %v", err)
	}
	_, err := q.Cancel(first.ID, "a", false)
	must(t, err)
	if j := until(t, q, first.ID, over); j.State != Cancelled || j.Ended == nil {
		t.Errorf("cancelled: %+v", j)
	}
	until(t, q, second.ID, func(_ Job, seen int64) bool { return seen > 0 })
	_, err = q.Cancel(second.ID, "b", true)
	must(t, err)
	until(t, q, second.ID, over)
	if _, err := q.Cancel(second.ID, "a", true); !errors.Is(err, ErrOver) {
		t.Errorf("ended twice: %v", err)
	}
	if _, err := os.Stat(filepath.Join(q.place(first.ID), documentFile)); err == nil {
		t.Error("the document of a run that is over is still there")
	}
}

// What goes wrong is said, without where things lie and without what the server's own
// environment holds.
func TestFailures(t *testing.T) {
	t.Setenv("NOT_GIVEN", "hunter2")
	q, _ := started(t, func(o *Options) { o.Env, o.Bytes = []string{"PATH=/usr/bin:/bin"}, 1<<20 })
	for name, want := range map[string]string{"fails": "cannot do it", "floods": "exit status 1", "grows": "larger"} {
		j := until(t, q, asked(t, q, "a", name).ID, over)
		if j.State != Failed || !strings.Contains(j.Why, want) || strings.Contains(j.Why, q.o.Dir) || strings.Contains(j.Why, "hunter2") {
			t.Errorf("%s: %s %q, want %q", name, j.State, j.Why, want)
		}
	}
}

func TestTooLong(t *testing.T) {
	q, _ := started(t, func(o *Options) { o.Time = 200 * time.Millisecond })
	if j := until(t, q, asked(t, q, "a", "stubborn").ID, over); j.State != Failed || !strings.Contains(j.Why, "longer") {
		t.Errorf("%s %q", j.State, j.Why)
	}
}

// The queue has an end, and nobody takes all of it.
func TestFull(t *testing.T) {
	q := opened(t, nil) // nobody works
	for range mostPerToken {
		asked(t, q, "a", "x")
	}
	if _, err := q.Ask("a", "a", named("x"), "local"); !errors.Is(err, ErrFull) {
		t.Errorf("one more of the same token: %v", err)
	}
	for i := range mostWaiting - mostPerToken {
		asked(t, q, fmt.Sprint("b", i), "x")
	}
	if _, err := q.Ask("c", "c", named("x"), "local"); !errors.Is(err, ErrFull) {
		t.Errorf("one more of another: %v", err)
	}
}

// A server that ends has its run end; one that is started again goes on with those that
// waited, and says of a run that was under way that it was cut.
func TestStartedAgain(t *testing.T) {
	q, stop := started(t, nil)
	first, second := asked(t, q, "a", "first"), asked(t, q, "a", "second")
	until(t, q, first.ID, func(_ Job, seen int64) bool { return seen > 0 })
	stop()
	if j := until(t, q, first.ID, over); j.State != Cut {
		t.Errorf("asked to end: %+v", j)
	}
	// A third was running when the server was killed: its process went with it.
	k, err := load(q.place(second.ID))
	must(t, err)
	killed := k
	killed.ID, killed.State = "job-00112233445566ff", Running
	must(t, os.Mkdir(q.place(killed.ID), 0o700))
	must(t, save(q.place(killed.ID), killed))
	must(t, os.Mkdir(filepath.Join(q.o.Dir, "job-half"), 0o700))
	must(t, os.Mkdir(filepath.Join(q.o.Dir, "job-0000000000000001"), 0o700)) // killed before it was written
	again, stop := started(t, func(o *Options) { o.Dir = q.o.Dir })
	if j := until(t, again, killed.ID, over); j.State != Cut {
		t.Errorf("killed: %+v", j)
	}
	until(t, again, second.ID, func(j Job, seen int64) bool { return j.State == Running && seen > 0 })
	if list := again.List(); len(list) != 3 {
		t.Errorf("%d jobs, want 3", len(list))
	}
	stop()
}

// The process of a run does not outlive the server, however that ends.
func TestProcessIsBound(t *testing.T) {
	q, stop := started(t, nil)
	j := asked(t, q, "a", "stubborn")
	until(t, q, j.ID, func(_ Job, seen int64) bool { return seen > 0 })
	pids := children(t, q.place(j.ID))
	if len(pids) != 1 {
		t.Fatalf("processes %v, want one", pids)
	}
	stop()
	if err := syscall.Kill(pids[0], 0); err == nil {
		t.Error("the process is still there")
	}
}

// children are the processes whose command line names a folder.
func children(t *testing.T, dir string) (pids []int) {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/cmdline")
	must(t, err)
	if len(names) == 0 {
		t.Skip("no /proc here")
	}
	for _, name := range names {
		var pid int
		if data, err := os.ReadFile(name); err == nil && strings.Contains(string(data), dir) {
			fmt.Sscanf(name, "/proc/%d/cmdline", &pid)
			pids = append(pids, pid)
		}
	}
	return pids
}

// A run that waited is looked at again before it begins: its token may have been revoked,
// and the server started again with narrower bounds.
func TestStillAllowed(t *testing.T) {
	gone := errors.New("the token is revoked")
	q, stop := started(t, func(o *Options) {
		o.May = func(token string) error {
			if token == "revoked" {
				return gone
			}
			return nil
		}
	})
	if j := until(t, q, asked(t, q, "revoked", "x").ID, over); j.State != Failed || !strings.Contains(j.Why, gone.Error()) || j.RunID != "" {
		t.Errorf("a revoked token: %+v", j)
	}
	first, waits := asked(t, q, "a", "first"), asked(t, q, "a", "waits")
	until(t, q, first.ID, func(_ Job, seen int64) bool { return seen > 0 })
	stop()
	again, _ := started(t, func(o *Options) { o.Dir, o.Bounds.Targets = q.o.Dir, []string{"127.0.0.1:9"} })
	if j := until(t, again, waits.ID, over); j.State != Failed || !strings.Contains(j.Why, "spec.target.url") {
		t.Errorf("narrower bounds: %+v", j)
	}
}
