package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// entered is a place in a line, which must be there.
func entered(t *testing.T, l *line) (leave func()) {
	t.Helper()
	leave, err := l.enter(t.Context())
	must(t, err)
	return leave
}

// Those who wait are let in one after the other, in their order; who leaves twice makes one
// place, and who gives up makes room for the next.
func TestLineKeepsItsOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &line{places: 1, most: 10, patience: time.Minute}
		first := entered(t, l)
		var mu sync.Mutex
		var order []int
		var callers sync.WaitGroup
		gaveUp, giveUp := context.WithCancel(t.Context())
		for i := range 5 {
			ctx := t.Context()
			if i == 1 {
				ctx = gaveUp
			}
			callers.Go(func() {
				leave, err := l.enter(ctx)
				if err != nil {
					return
				}
				defer leave()
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				time.Sleep(time.Second)
			})
			synctest.Wait()
		}
		if _, waiting := l.counts(); waiting != 5 {
			t.Errorf("%d wait, want 5", waiting)
		}
		giveUp()
		synctest.Wait()
		first()
		first()
		synctest.Wait()
		letIn := func() string {
			mu.Lock()
			defer mu.Unlock()
			return fmt.Sprint(order)
		}
		if got := letIn(); got != "[0]" || !l.occupied() {
			t.Errorf("after one left twice, %s were let in, want the first, who stays", got)
		}
		callers.Wait()
		if letIn() != "[0 2 3 4]" || l.occupied() || len(l.waiting) != 0 {
			t.Errorf("let in were %v, want 0 2 3 4 and nobody left", order)
		}
		if away, _ := l.counts(); away != 0 {
			t.Errorf("%d were turned away, want nobody", away)
		}
	})
}

// Beyond so many, and beyond what is likely to take too long, callers are turned away at once
// and told when to come again.
func TestLineTurnsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refusedAtOnce := func(l *line, seconds int) {
			t.Helper()
			begun := time.Now()
			_, err := l.enter(t.Context())
			var later *busy
			if !errors.As(err, &later) || later.seconds != seconds || statusOf(err) != http.StatusServiceUnavailable || time.Since(begun) != 0 {
				t.Errorf("%v after %v, want to be turned away at once for %d s", err, time.Since(begun), seconds)
			}
		}
		waitIn := func(l *line, callers *sync.WaitGroup) {
			callers.Go(func() {
				if leave, err := l.enter(t.Context()); err == nil {
					leave()
				}
			})
			synctest.Wait()
		}
		var callers sync.WaitGroup
		counted := &line{places: 1, most: 2, patience: time.Minute}
		leave := entered(t, counted)
		waitIn(counted, &callers)
		waitIn(counted, &callers)
		refusedAtOnce(counted, 1) // nobody has left yet, so nobody knows how long it takes
		leave()
		callers.Wait()

		timed := &line{places: 2, most: 100, patience: 10 * time.Second}
		leave = entered(t, timed)
		time.Sleep(8 * time.Second)
		leave()
		first, second := entered(t, timed), entered(t, timed)
		waitIn(timed, &callers) // 4 s
		waitIn(timed, &callers) // 8 s
		refusedAtOnce(timed, 12)
		first()
		second()
		callers.Wait()
		// What takes less is soon waited for again.
		for range 40 {
			entered(t, timed)()
		}
		first, second = entered(t, timed), entered(t, timed)
		for range 20 {
			waitIn(timed, &callers)
		}
		if away, waiting := timed.counts(); away != 1 || waiting != 20 {
			t.Errorf("%d were turned away and %d wait, want 1 and 20", away, waiting)
		}
		first()
		second()
		callers.Wait()
	})
}

// Who was let into the line waits no longer than twice what was thought to be long, also
// where those before never leave.
func TestLineIsNoTrap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &line{places: 1, most: 10, patience: 3 * time.Second}
		leave := entered(t, l)
		begun := time.Now()
		_, err := l.enter(t.Context())
		if statusOf(err) != http.StatusServiceUnavailable || time.Since(begun) != 6*time.Second {
			t.Errorf("%v after %v, want to be turned away after 6 s", err, time.Since(begun))
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if _, err := l.enter(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, want that of the context", err)
		}
		leave()
		entered(t, l)()
		if l.occupied() || len(l.waiting) != 0 {
			t.Errorf("%d are inside and %d wait, want nobody", l.inside, len(l.waiting))
		}
	})
}

// full has no place left in a line, and nobody may wait for one.
func (s *site) full(lines ...*line) (free func()) {
	s.t.Helper()
	var leaves []func()
	for _, l := range lines {
		l.mu.Lock()
		most := l.most
		l.most = 0
		l.mu.Unlock()
		for range l.places {
			leave, err := l.enter(s.t.Context())
			must(s.t, err)
			leaves = append(leaves, leave)
		}
		leaves = append(leaves, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.most = most
		})
	}
	return func() {
		for _, f := range leaves {
			f()
		}
	}
}

// While readers fill every place, others are turned away at once, in words on pages, and are
// counted. Health, metrics, signing in and uploads go on.
func TestBusyServer(t *testing.T) {
	s := open(t, nil)
	s.kept("run-1", "nightly", 1)
	l := &s.srv.lines
	free := s.full(&l.reading, &l.judging, &l.asking)
	turned := 0
	for _, r := range s.srv.routes {
		path := strings.NewReplacer("{run}", "run-1", "{path...}", "spec.yaml", "{$}", "").Replace(r.Path)
		switch {
		case r.Turn == Reading:
		case r.Path == "/api/v1/query" && r.Turn == Asking:
		default:
			continue
		}
		body := ""
		if r.Method == http.MethodPost {
			body = `{"sql": "SELECT 1"}`
		}
		a := s.ask(r.Method, path, s.read, body)
		if a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") != "1" || !strings.Contains(a.body, "the server is busy and did not answer this: ask again in 1 s") {
			t.Errorf("%s %s: %d, Retry-After %q: %.200s", r.Method, path, a.status, a.header.Get("Retry-After"), a.body)
		}
		if html := strings.Contains(a.body, "<html"); html != (r.Kind == HTML) {
			t.Errorf("%s is answered with a page: %v", path, html)
		}
		turned++
	}
	if turned < 20 {
		t.Errorf("%d routes take turns, want those that read the catalogue", turned)
	}
	if a := s.ask("GET", "/healthz", "", ""); a.status != http.StatusOK {
		t.Errorf("health: %d %s", a.status, a.body)
	}
	if a := s.ask("GET", "/runs/run-1", "wrong", ""); a.status != http.StatusUnauthorized && a.status != http.StatusSeeOther {
		t.Errorf("a stranger learns that the server is busy: %d", a.status)
	}
	a := s.ask("GET", "/metrics", s.read, "")
	if want := fmt.Sprintf("assay_http_turned_away_total{line=\"reading\"} %d\n", turned-1); !strings.Contains(a.body, want) || !strings.Contains(a.body, "assay_http_turned_away_total{line=\"asking\"} 1\n") || !strings.Contains(a.body, "assay_http_waiting{line=\"reading\"} 0\n") {
		t.Errorf("metrics have not %q and one for SQL:\n%s", want, a.body)
	}
	for _, path := range []string{"/login", "/assets/style.css", "/jobs", "/api/openapi.json"} {
		if a := s.ask("GET", path, s.read, ""); a.status != http.StatusOK {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	form := s.ask("POST", "/login", "", "token="+s.read, header("Content-Type", "application/x-www-form-urlencoded"), header("Origin", s.url))
	if form.status != http.StatusSeeOther {
		t.Errorf("signing in: %d %s", form.status, form.body)
	}
	s.kept("run-2", "nightly", 1.1) // uploaded while nobody can read
	free()
	if a := s.ask("GET", "/api/v1/runs", s.read, ""); a.status != http.StatusOK || decode[runList](t, a.body).All != 2 {
		t.Errorf("afterwards: %d %.200s", a.status, a.body)
	}
	if l.occupied() {
		t.Error("somebody is inside after all were answered")
	}
}

// Every route that reads for people waits its turn; the list is of those that need not.
func TestRoutesTakeTurns(t *testing.T) {
	s := open(t, nil)
	free := map[string]string{
		"/healthz": "it must be known while the server is busy", "/metrics": "it says how busy the server is",
		"/api/openapi.json": "of the program", "/api/benchmark/contracts": "of the program",
		"/api/v1/jobs": "in memory", "/api/v1/jobs/{run}": "in memory", "/jobs": "in memory", "/jobs/{run}": "in memory", "/api/v1/runs/{run}/events": "in memory",
		"/api/v1/uploads/{id}": "a folder of its own", "/login": "signing in", "/login/{issuer}": "signing in", "/login/{issuer}/callback": "signing in", "/assets/{name}": "of the program",
	}
	for _, r := range s.srv.routes {
		if r.Method != http.MethodGet {
			continue
		}
		if _, free := free[r.Path]; free == (r.Turn == Reading) {
			t.Errorf("%s waits for %q, and need not: %v", r.Path, r.Turn, free)
		}
	}
}

// A report is judged beside those who read: one who waits for that holds no place of theirs,
// and a history that is remembered is read though nobody can judge.
func TestJudgingHoldsNoReader(t *testing.T) {
	s := open(t, nil)
	for i := range 3 {
		s.kept(fmt.Sprintf("run-%d", i), "nightly", 1+.002*float64(i))
	}
	s.unvoid()
	if a := s.ask("GET", "/api/v1/history?metric=e2e", s.read, ""); a.status != http.StatusOK {
		t.Fatalf("history: %d %s", a.status, a.body)
	}
	free := s.full(&s.srv.lines.judging)
	defer free()
	for path, want := range map[string]int{
		"/runs": http.StatusOK, "/history?metric=e2e": http.StatusOK, "/runs/run-1": http.StatusOK,
		"/runs/run-1/report": http.StatusServiceUnavailable, "/compare?run=run-1&run=run-2": http.StatusServiceUnavailable, "/runs/run-1/inside": http.StatusServiceUnavailable,
	} {
		if a := s.ask("GET", path, s.read, ""); a.status != want {
			t.Errorf("%s: %d, want %d: %.200s", path, a.status, want, a.body)
		}
	}
	if n := s.srv.lines.reading.inside; n != 0 {
		t.Errorf("%d hold places of readers", n)
	}
}

// The log says once in a while that somebody was turned away, and how many were.
func TestBusyIsLogged(t *testing.T) {
	s := open(t, nil)
	defer s.full(&s.srv.lines.reading)()
	said := func() int { return strings.Count(s.log.String(), `"msg":"turned away"`) }
	for range 5 {
		s.ask("GET", "/runs", s.read, "")
	}
	if n := said(); n != 1 {
		t.Errorf("the log says it %d times within a minute, want once", n)
	}
	s.later(tellEvery)
	s.ask("GET", "/runs", s.read, "")
	if !strings.Contains(s.log.String(), `"line":"reading","requests":5`) || said() != 2 {
		t.Errorf("after a minute the log is\n%s\nwant the other five", s.log)
	}
}

// A slow client keeps nobody from reading: its place is given up before its answer is written.
func TestSlowReaderHoldsNoPlace(t *testing.T) {
	s := open(t, nil)
	l := &line{places: 1, most: 0}
	c := &Call{R: must2(http.NewRequest("GET", "/", nil))}
	must(t, s.srv.enter(c, l))
	w := &status{ResponseWriter: occupiedWriter{t, l}, place: &c.place}
	if _, err := w.Write([]byte("an answer")); err != nil {
		t.Error(err)
	}
}

// An occupiedWriter takes what is written while nobody is in a line.
type occupiedWriter struct {
	t *testing.T
	l *line
}

func (o occupiedWriter) Header() http.Header { return http.Header{} }
func (o occupiedWriter) WriteHeader(int)     {}
func (o occupiedWriter) Write(data []byte) (int, error) {
	if o.l.occupied() {
		o.t.Error("a place is held while an answer is written")
	}
	return len(data), nil
}

func must2[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
