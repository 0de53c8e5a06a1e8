package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/server/jobs"
	"assay/tokens"
)

// runChild has the test binary be a run that goes on until it is asked to end, and says a
// lot meanwhile.
func runChild() {
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	for i := 0; ; i++ {
		fmt.Fprintf(os.Stderr, `{"at":"2026-11-17T09:00:00Z","stage":"measuring","requests":%d,"client":%q}`+"\n", i, strings.Repeat("x", 30_000))
		select {
		case <-interrupted:
			os.Exit(130)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// carrying is a site that carries runs out, with one that goes on.
func carrying(t *testing.T, change ...func(*Options)) (*site, jobs.Job) {
	t.Helper()
	binary, err := os.Executable()
	must(t, err)
	s := open(t, func(o *Options) {
		o.Jobs = jobs.Options{Binary: binary, Bounds: jobs.Bounds{Launchers: []string{"local"}, Targets: []string{"127.0.0.1:1"}}}
		for _, f := range change {
			f(o)
		}
	})
	s.srv.heartbeat, s.srv.slowest = 20*time.Millisecond, 200*time.Millisecond
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { s.srv.Tend(ctx); close(ended) }()
	t.Cleanup(func() { stop(); <-ended })
	a := s.ask("POST", "/api/v1/runs", s.admin, fmt.Sprintf(document, "asked"))
	if a.status != http.StatusAccepted {
		t.Fatalf("asked for a run: %d %s", a.status, a.body)
	}
	return s, decode[jobs.Job](t, a.body)
}

// listen opens the stream of a job.
func (s *site) listen(id, token string) *http.Response {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), "GET", s.url+"/api/v1/runs/"+id+"/events", nil)
	must(s.t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	a, err := http.DefaultClient.Do(r)
	must(s.t, err)
	s.t.Cleanup(func() { a.Body.Close() })
	return a
}

// next reads events until one is as wanted; false means that the stream ended.
func next(lines *bufio.Scanner, good func(kind string, now jobNow) bool) bool {
	kind := ""
	for lines.Scan() {
		line := lines.Text()
		if rest, ok := strings.CutPrefix(line, "event: "); ok {
			kind = rest
		}
		if rest, ok := strings.CutPrefix(line, "data: "); ok {
			var now jobNow
			if json.Unmarshal([]byte(rest), &now) == nil && good(kind, now) {
				return true
			}
		}
	}
	return false
}

func scanner(a *http.Response) *bufio.Scanner {
	lines := bufio.NewScanner(a.Body)
	lines.Buffer(nil, 1<<20)
	return lines
}

// A stream tells how a run goes and how it ended; it ends with its token; nobody may open
// as many as they like; the page and the list show the same.
func TestEvents(t *testing.T) {
	s, job := carrying(t)
	a := s.listen(job.ID, s.read)
	if kind := a.Header.Get("Content-Type"); a.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/event-stream") {
		t.Fatalf("%s with %q", a.Status, kind)
	}
	lines := scanner(a)
	if !next(lines, func(kind string, now jobNow) bool {
		return kind == "state" && now.State == jobs.Running && now.Now != nil && now.Now.Requests > 5
	}) {
		t.Fatal("the stream ended before the run did")
	}
	if a := s.ask("GET", "/jobs/"+job.ID, s.read, ""); a.status != http.StatusOK || !strings.Contains(a.body, "measuring") {
		t.Errorf("the page: %d %.200s", a.status, a.body)
	}
	short, token, err := tokens.New("short", tokens.Read, s.now, time.Hour)
	must(t, err)
	must(t, s.tokens.Add(token))
	var many []*http.Response
	for range mostStreamsPerToken {
		many = append(many, s.listen(job.ID, short))
	}
	if a := s.listen(job.ID, short); a.StatusCode != http.StatusTooManyRequests {
		t.Errorf("one stream more: %s", a.Status)
	}
	must(t, s.tokens.Revoke(token.ID))
	// They share their fate.
	if next(scanner(many[0]), func(kind string, _ jobNow) bool { return kind == "end" }) {
		t.Error("a revoked token hears the end of the run")
	}
	if a := s.ask("DELETE", "/api/v1/runs/"+job.ID, s.admin, ""); a.status != http.StatusAccepted {
		t.Errorf("end it: %d %s", a.status, a.body)
	}
	if !next(lines, func(kind string, now jobNow) bool { return kind == "end" && now.State == jobs.Cancelled }) {
		t.Error("the stream ended without the outcome")
	}
	if lines.Scan() && lines.Text() != "" {
		t.Errorf("after the end: %q", lines.Text())
	}
	list := decode[jobList](t, s.ask("GET", "/api/v1/jobs", s.read, "").body)
	if len(list.Jobs) != 1 || list.Jobs[0].State != jobs.Cancelled {
		t.Errorf("jobs %+v", list.Jobs)
	}
	audit, err := os.ReadFile(filepath.Join(s.dir, "audit.jsonl"))
	must(t, err)
	for _, want := range []string{
		`"name":"the admin","client":"127.0.0.1","method":"POST","path":"/api/v1/runs","status":202,"why":"` + job.ID,
		`"method":"DELETE","path":"/api/v1/runs/` + job.ID + `","status":202`,
		`"method":"RUN","path":"/api/v1/jobs/` + job.ID + `","status":0,"why":"cancelled`,
	} {
		if !strings.Contains(string(audit), want) {
			t.Errorf("the audit log has no %s:\n%s", want, audit)
		}
	}
	s.noSecrets()
}

// Somebody who opens a stream and does not read is hung up on.
func TestSlowReader(t *testing.T) {
	s, job := carrying(t)
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	must(t, err)
	defer conn.Close()
	must(t, conn.(*net.TCPConn).SetReadBuffer(4096))
	_, err = fmt.Fprintf(conn, "GET /api/v1/runs/%s/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", job.ID, s.read)
	must(t, err)
	open := func() int {
		s.srv.streams.mu.Lock()
		defer s.srv.streams.mu.Unlock()
		return s.srv.streams.all
	}
	for range 600 {
		if open() == 1 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	for range 6000 {
		if open() == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("a minute later the stream is still open")
}

// A stream of others, such as MCP's, goes on beyond the time that answers have, and ends
// with the server.
func TestStreamOutlivesTimeouts(t *testing.T) {
	s := open(t, func(o *Options) {
		o.Routes = []Route{{Method: "GET", Path: "/stream", Scope: tokens.Read, Kind: Text, Stream: true, About: "A stream.", Handle: func(c *Call) error {
			for c.context().Err() == nil {
				if _, err := fmt.Fprintln(c.W, "more"); err != nil || http.NewResponseController(c.W).Flush() != nil {
					return nil
				}
				time.Sleep(10 * time.Millisecond)
			}
			return nil
		}}}
	})
	h := s.srv.HTTP()
	h.WriteTimeout = 50 * time.Millisecond // as in life, in less time
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	done := make(chan error, 1)
	go func() { done <- h.Serve(l) }()
	r, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+l.Addr().String()+"/stream", nil)
	must(t, err)
	r.Header.Set("Authorization", "Bearer "+s.read)
	a, err := http.DefaultClient.Do(r)
	must(t, err)
	defer a.Body.Close()
	lines := bufio.NewScanner(a.Body)
	for begun := time.Now(); time.Since(begun) < 300*time.Millisecond; {
		if !lines.Scan() {
			t.Fatalf("the stream ended after %v: %v", time.Since(begun), lines.Err())
		}
	}
	must(t, h.Shutdown(t.Context()))
	<-done
}
