package server

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"assay/warehouse"
)

// slower fills a server with runs of which the last are slower.
func slower(t *testing.T, s *site) {
	t.Helper()
	for i := range 12 {
		slow := 1 + .002*float64(i%3)
		if i > 9 {
			slow *= 1.5
		}
		s.kept(fmt.Sprintf("run-%02d", i), "nightly", slow)
	}
	s.unvoid()
}

var historyLink = regexp.MustCompile(`href="(/history\?[^"]*)"`)

// links are those to histories on a page.
func (s *site) links(path string) (list []string) {
	s.t.Helper()
	for _, m := range historyLink.FindAllStringSubmatch(s.ask("GET", path, s.read, "").body, -1) {
		list = append(list, html.UnescapeString(m[1]))
	}
	return list
}

// What pages lead to was searched for before somebody asks, by this server or by the one
// before it: it is read though nobody can judge.
func TestLooksAhead(t *testing.T) {
	s := open(t, nil)
	slower(t, s)
	s.srv.look(t.Context())
	must(t, s.srv.ahead(t.Context()))
	asked := func(s *site) (list []string) {
		t.Helper()
		defer s.full(&s.srv.lines.judging)()
		for _, page := range []string{"/", "/alerts", "/testbeds"} {
			links := s.links(page)
			if len(links) == 0 {
				t.Errorf("%s leads to no history", page)
			}
			for _, link := range links {
				a := s.ask("GET", link, s.read, "")
				if a.status != http.StatusOK {
					t.Errorf("%s, from %s: %d %.300s", link, page, a.status, a.body)
				}
				list = append(list, a.body)
			}
		}
		return list
	}
	before := asked(s)
	other := &site{t: t, dir: s.dir, read: s.read}
	var err error
	other.srv, err = New(t.Context(), s.srv.o)
	must(t, err)
	t.Cleanup(func() { must(t, other.srv.Close()) })
	other.url = serveHTTP(t, other.srv)
	other.srv.look(t.Context())
	must(t, other.srv.ahead(t.Context()))
	if after := asked(other); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Error("after a restart the histories are others")
	}
	// Nothing of it was searched for: what one server found, the other read.
	searched := errors.New("it is searched for again")
	w, err := warehouse.Open(t.Context(), s.dir)
	must(t, err)
	defer w.Close()
	if _, err := w.Watch(t.Context(), warehouse.WatchedMetrics, warehouse.Detection{Seed: seed, Between: func() error { return searched }}); err != nil {
		t.Errorf("the changes of watched series: %v", err)
	}
}

// Work beside requests rests while somebody is being answered, goes on all the same, and ends
// with the server.
func TestWorkAheadYields(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Server{lines: newLines(4, 2)}
		ctx, stop := context.WithCancelCause(t.Context())
		between := s.unhurried(ctx).Between
		const steps, each = 100, moment / 4 // of which four are a moment
		rested := func() (d time.Duration) {
			for range steps {
				begun := time.Now()
				must(t, between())
				d += time.Since(begun)
				time.Sleep(each)
			}
			return d
		}
		if d := rested(); d != 0 {
			t.Errorf("with nobody there, %d steps rest for %v", steps, d)
		}
		for _, l := range s.lines.all() {
			leave := entered(t, l)
			if d := rested(); d != steps/4*rest {
				t.Errorf("while somebody is %s, %d steps rest for %v, want %v", l.name, steps, d, steps/4*rest)
			}
			leave()
		}
		if d := rested(); d != 0 {
			t.Errorf("after all were answered, %d steps rest for %v", steps, d)
		}
		because := errors.New("the server ends")
		stop(because)
		if err := between(); !errors.Is(err, because) {
			t.Errorf("%v, want that the server ends", err)
		}
	})
}

// A search that takes longer than somebody waits for ends, and says what helps.
func TestLongSearchEnds(t *testing.T) {
	s := open(t, nil)
	slower(t, s)
	s.srv.longestSearch = -1
	for _, path := range []string{"/api/v1/history?metric=e2e", "/history?metric=e2e"} {
		if a := s.ask("GET", path, s.read, ""); a.status != http.StatusServiceUnavailable || !strings.Contains(a.body, "narrow it down") {
			t.Errorf("%s: %d %.300s", path, a.status, a.body)
		}
	}
	s.srv.longestSearch = time.Hour
	if a := s.ask("GET", "/history?metric=e2e", s.read, ""); a.status != http.StatusOK {
		t.Errorf("with time: %d %.300s", a.status, a.body)
	}
	s.srv.longestSearch = -1 // what was found takes no search, and what differs was read
	if a := s.ask("GET", "/history?metric=e2e", s.read, ""); a.status != http.StatusOK {
		t.Errorf("once it was found: %d %.300s", a.status, a.body)
	}
}

// A server that ends ends what it does beside requests, and keeps what was found.
func TestTendEnds(t *testing.T) {
	s := open(t, nil)
	slower(t, s)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { s.srv.Tend(ctx); close(ended) }()
	link := "/api/v1/history?metric=e2e&point=concurrency%3D2&last=11" // which nobody looks at ahead
	if a := s.ask("GET", link, s.read, ""); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	stop()
	<-ended
	w, err := warehouse.Open(t.Context(), s.dir)
	must(t, err)
	defer w.Close()
	steps := 0
	h, err := w.History(t.Context(), warehouse.Filter{Metric: "e2e", Point: "concurrency=2", Last: 11}, warehouse.Detection{Seed: seed, Between: func() error { steps++; return nil }}, s.srv.o.Judge)
	must(t, err)
	// The bundles on either side of a change are read again, in a step for each.
	if changes := len(h.Series[0].Changes); changes == 0 || steps > changes {
		t.Errorf("%d steps for %d changes: what was found is not remembered", steps, changes)
	}
}

// serveHTTP serves until the test ends, and is the address.
func serveHTTP(t testing.TB, s *Server) string {
	t.Helper()
	h := httptest.NewUnstartedServer(nil)
	h.Config = s.HTTP()
	h.Start()
	t.Cleanup(h.Close)
	return h.URL
}
