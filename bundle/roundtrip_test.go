package bundle

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/record"
	"assay/tests/whole"
)

// Every column of every table comes back as it was written, nulls as nulls, in
// order, from one segment and from several.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	n := 3000
	if whole.Watched {
		n = 500
	}
	w := create(t, header())
	l := startLaunch(t, w, 0)
	appendAll(t, l, n, 1)
	l.flushNow(t)
	appendAll(t, l, n, 2)

	open, err := Open(w.Dir())
	check(t, err)
	if got := len(collect(t, Rows[record.Event](open, 0, Events))); got != n {
		t.Errorf("a bundle being written shows %d events, want the %d of finished segments", got, n)
	}
	check(t, l.Close(LaunchEnd{Outcome: LaunchCompleted}))
	_, err = w.Seal(context.Background(), Completed, SealOptions{})
	check(t, err)

	b, err := Open(w.Dir())
	check(t, err)
	same(t, b, Requests, n, fill[record.Request])
	same(t, b, Chunks, n, fill[record.Chunk])
	same(t, b, Steps, n, fill[record.Step])
	same(t, b, Collectives, n, fill[record.Collective])
	same(t, b, Sessions, n, fill[record.SessionStep])
	same(t, b, Samples, n, fill[record.Sample])
	same(t, b, Events, n, fill[record.Event])
	if r := verify(t, w.Dir()); !r.Verified {
		t.Errorf("Verify failed: %+v", r.Failures())
	}
}

// flushNow makes the flusher finish its segments before their time.
func (l *Launch) flushNow(t *testing.T) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for {
		time.Sleep(flushEvery / 5)
		live, _, err := segmentsIn(l.dir, Events)
		check(t, err)
		if len(live) > 0 {
			time.Sleep(flushEvery / 5) // events are the last table to be flushed
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("no segment appeared within 10s")
		}
	}
}

func same[T any](t *testing.T, b *Bundle, table string, n int, fill func(int, uint64) []T) {
	t.Helper()
	want := append(fill(n, 1), fill(n, 2)...)
	got := collect(t, Rows[T](b, 0, table))
	if len(got) != len(want) {
		t.Fatalf("%s has %d rows, want %d", table, len(got), len(want))
	}
	for i := range got {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Fatalf("%s row %d = %+v, want %+v", table, i, got[i], want[i])
		}
	}
}

// Rows appended by many goroutines all arrive, each goroutine's in order, though
// the queue is shorter than what they append.
func TestConcurrentAppend(t *testing.T) {
	t.Parallel()
	writers, each := 8, 100_000
	if whole.Watched {
		each = 20_000
	}
	w := create(t, header())
	l := startLaunch(t, w, 0)
	var wg sync.WaitGroup
	for user := range writers {
		wg.Go(func() {
			batch := make([]record.Chunk, 0, 100)
			for i := range each {
				batch = append(batch, record.Chunk{Request: int64(user), At: int64(i), Kind: record.Content})
				if len(batch) == cap(batch) {
					if err := l.Chunks.Append(batch...); err != nil {
						t.Error(err)
						return
					}
					batch = batch[:0]
				}
			}
		})
	}
	wg.Wait()
	check(t, l.Close(LaunchEnd{Outcome: LaunchCompleted}))
	b, err := Open(w.Dir())
	check(t, err)
	next := make([]int64, writers)
	for row, err := range Rows[record.Chunk](b, 0, Chunks) {
		check(t, err)
		if row.At != next[row.Request] {
			t.Fatalf("writer %d: got row %d, want %d", row.Request, row.At, next[row.Request])
		}
		next[row.Request]++
	}
	for user, n := range next {
		if n != int64(each) {
			t.Errorf("writer %d: got %d rows, want %d", user, n, each)
		}
	}
	check(t, w.Abandon())
}

func TestLedger(t *testing.T) {
	w := create(t, header())
	for i, outcome := range []LaunchOutcome{LaunchCompleted, LaunchFailed, LaunchVoided} {
		l := startLaunch(t, w, i)
		check(t, l.Events.Append(record.Event{Name: "x"}))
		check(t, l.Close(LaunchEnd{Outcome: outcome, Reason: "because"}))
		if err := l.Events.Append(record.Event{}); err == nil {
			t.Error("Append after Close: got no error")
		}
	}
	open := startLaunch(t, w, 7)
	if _, err := w.StartLaunch(LaunchStart{Index: 1}); err == nil {
		t.Error("an index used twice: got no error")
	}
	if _, err := w.Seal(context.Background(), Completed, SealOptions{}); err == nil || !strings.Contains(err.Error(), "[7]") {
		t.Errorf("Seal with launch 7 open: got %v, want an error that names it", err)
	}
	if err := open.Close(LaunchEnd{Outcome: "fine"}); err == nil {
		t.Error("Close with an unknown outcome: got no error")
	}
	check(t, open.Close(LaunchEnd{Outcome: LaunchAborted}))
	m, err := w.Seal(context.Background(), Failed, SealOptions{})
	check(t, err)

	var got []LaunchOutcome
	for _, l := range m.Launches {
		got = append(got, l.Outcome)
		if l.EpochNS != 1<<60 || l.Ended.Before(l.Started) || l.Nodes[0] != "node-1" {
			t.Errorf("launch = %+v, want the epoch 1<<60, node-1 and an end after its start", l)
		}
	}
	want := []LaunchOutcome{LaunchCompleted, LaunchFailed, LaunchVoided, LaunchAborted}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("outcomes = %v, want %v", got, want)
	}
	if m.Launches[0].Rows[Events] != 1 {
		t.Errorf("rows = %v, want 1 event", m.Launches[0].Rows)
	}
}

// A run cannot be sealed over a launch whose end the disk refused, nor over
// something that is not a file.
func TestSealRefuses(t *testing.T) {
	w := create(t, header())
	link := filepath.Join(w.Dir(), "report")
	check(t, os.Symlink("/etc", link))
	if _, err := w.Seal(context.Background(), Completed, SealOptions{}); err == nil || !strings.Contains(err.Error(), "is a symbolic link") {
		t.Errorf("with a link: got %v, want a refusal", err)
	}
	check(t, os.Remove(link))
	check(t, appendLedger(w.Dir(), ledgerLine{Event: lineStarted, Launch: 3, Time: time.Now()}))
	if _, err := w.Seal(context.Background(), Completed, SealOptions{}); err == nil || !strings.Contains(err.Error(), "no end of launch 4") {
		t.Errorf("without an end: got %v, want a refusal", err)
	}
	if _, err := w.Seal(context.Background(), "done", SealOptions{}); err == nil || !strings.Contains(err.Error(), `status "done"`) {
		t.Errorf("with an unknown status: got %v, want a refusal", err)
	}
}

// A loop over rows may panic; that is its own affair and must come through.
func TestRowsPanic(t *testing.T) {
	b, err := Open(sealed(t, 5, nil))
	check(t, err)
	defer func() {
		if got := recover(); got != "mine" {
			t.Errorf("recovered %v, want the panic of the loop", got)
		}
	}()
	for range Rows[record.Event](b, 0, Events) {
		panic("mine")
	}
}

func TestParseLedgerFaults(t *testing.T) {
	started := `{"event":"started","launch":1,"time":"2026-01-01T00:00:00Z"}` + "\n"
	ended := `{"event":"ended","launch":1,"time":"2026-01-01T00:00:01Z","outcome":"completed"}` + "\n"
	tests := []struct{ name, text, want string }{
		{"started twice", started + started, "line 2: launch 2 is started twice"},
		{"ended twice", started + ended + ended, "line 3: launch 2 ends twice"},
		{"ended first", ended, "line 1: launch 2 ends without"},
		{"not JSON", "{\n", "line 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := parseLedger([]byte(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}

// Two runs never share a bundle, nor does one come after the other.
func TestLock(t *testing.T) {
	w := create(t, header())
	_, err := Create(w.Dir(), header())
	if err == nil || !strings.Contains(err.Error(), "in use by process") {
		t.Errorf("Create while locked: got %v, want an error that names the process", err)
	}
	if _, err := Recover(context.Background(), w.Dir(), SealOptions{}); err == nil || !strings.Contains(err.Error(), "in use by process") {
		t.Errorf("Recover while locked: got %v, want an error that names the process", err)
	}
	_, err = w.Seal(context.Background(), Completed, SealOptions{})
	check(t, err)
	for _, f := range allFiles(t, w.Dir()) {
		if f == lockFile || f == draftFile {
			t.Errorf("%s is in a sealed bundle", f)
		}
	}
	_, err = Create(w.Dir(), header())
	if err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("Create over a bundle: got %v, want a refusal", err)
	}
	if r := verify(t, w.Dir()); !r.Verified || len(r.Notes) != 0 {
		t.Errorf("after the refusal: %+v, notes %q; want the bundle untouched", r.Failures(), r.Notes)
	}
}

func TestCreateRefuses(t *testing.T) {
	for name, change := range map[string]func(*Header){
		"run id with a slash": func(h *Header) { h.RunID = "../x" },
		"no spec":             func(h *Header) { h.Spec = nil },
		"plan is not JSON":    func(h *Header) { h.Plan = []byte("points:") },
	} {
		t.Run(name, func(t *testing.T) {
			h := header()
			change(&h)
			if _, err := Create(t.TempDir(), h); err == nil {
				t.Error("got no error")
			}
		})
	}
}

// A value that JSON cannot hold is refused when it is set, not when the run is
// over.
func TestSetRefuses(t *testing.T) {
	w := create(t, header())
	if err := w.SetHealth(map[string]any{"f": func() {}}); err == nil {
		t.Error("SetHealth(func): got no error")
	}
	check(t, w.SetHealth(map[string]int{"late": 1}))
	check(t, w.SetHealth(map[string]int{"dropped": 2}))
	m, err := w.Seal(context.Background(), Completed, SealOptions{})
	check(t, err)
	var health map[string]int
	check(t, json.Unmarshal(m.Health, &health))
	if want := map[string]int{"dropped": 2}; !reflect.DeepEqual(health, want) {
		t.Errorf("health = %v, want %v: the last call counts", health, want)
	}
}

func TestRowsRefuses(t *testing.T) {
	b, err := Open(sealed(t, 1, nil))
	check(t, err)
	f := func(want string, rows func(yield func(any, error) bool)) {
		t.Helper()
		for _, err := range rows {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want an error with %q", err, want)
			}
			return
		}
		t.Errorf("got no row and no error, want an error with %q", want)
	}
	f(`no table "latencies"`, erase(Rows[record.Event](b, 0, "latencies")))
	f(`has no column "request"`, erase(Rows[record.Request](b, 0, Events)))
	f("want a struct", erase(Rows[int](b, 0, Events)))

	type some struct {
		Detail string `parquet:"detail"`
	}
	if got := collect(t, Rows[some](b, 0, Events)); len(got) != 1 || got[0].Detail == "" {
		t.Errorf("reading one column: got %+v, want one detail", got)
	}
	if got := collect(t, Rows[record.Event](b, 9, Events)); len(got) != 0 {
		t.Errorf("a launch that does not exist has %d events, want none", len(got))
	}
}

func erase[T any](rows func(func(T, error) bool)) func(func(any, error) bool) {
	return func(yield func(any, error) bool) {
		rows(func(row T, err error) bool { return yield(row, err) })
	}
}
