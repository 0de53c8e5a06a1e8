package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A server is a process of assay serve with a warehouse of its own.
type server struct {
	o       options
	dir     string
	url     string
	token   string
	process *exec.Cmd
}

// serve fills a warehouse and starts a server on it, without the bound on what one client
// may ask: here one client is a team.
func serve(ctx context.Context, o options, dir string) (*server, error) {
	s := &server{o: o, dir: dir}
	warehouse := filepath.Join(dir, "warehouse")
	keep := []string{"keep", "--warehouse", warehouse}
	for n := range first {
		keep = append(keep, bundleAt(dir, n))
	}
	if _, err := s.call(ctx, keep...); err != nil {
		return nil, err
	}
	token, err := s.call(ctx, "token", "new", "--name", "load", "--scope", "write", "--warehouse", warehouse)
	if err != nil {
		return nil, err
	}
	s.token, _, _ = strings.Cut(string(token), "\n")
	if err := os.WriteFile(s.tokenFile(), []byte(s.token), 0o600); err != nil {
		return nil, err
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := free.Addr().String()
	free.Close()
	s.url = "http://" + address
	command := []string{o.assay, "serve", "--addr", address, "--warehouse", warehouse, "--rate", "5000"}
	if o.cores != "" {
		command = append([]string{"taskset", "-c", o.cores}, command...)
	}
	s.process = exec.Command(command[0], command[1:]...)
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	return s, s.answers(ctx)
}

func (s *server) tokenFile() string { return filepath.Join(s.dir, "token") }

// call runs assay and returns what it prints.
func (s *server) call(ctx context.Context, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, s.o.assay, args...)
	out, err := command.Output()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		err = fmt.Errorf("assay %s: %w: %s", args[0], err, ended.Stderr)
	}
	return out, err
}

// answers waits until the server answers.
func (s *server) answers(ctx context.Context) error {
	for range 600 {
		if r, err := http.Get(s.url + "/healthz"); err == nil {
			r.Body.Close()
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	s.end()
	return errors.New("the server does not answer")
}

func (s *server) end() {
	s.process.Process.Signal(syscall.SIGTERM)
	s.process.Wait()
}

// push pushes one bundle after the other until ctx ends.
func (s *server) push(ctx context.Context, pusher int, c *counts) {
	for n := 0; ctx.Err() == nil; n++ {
		bundle := bundleAt(s.dir, first+(pusher+n*s.o.pushers)%s.o.pushed) // no two push the same at once
		_, err := s.call(ctx, "push", bundle, "--to", s.url, "--token-file", s.tokenFile())
		if ctx.Err() != nil {
			return // cut off by the end, which says nothing
		}
		c.add(err)
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// kept is how many bundles the server has got since it began.
func (s *server) kept(ctx context.Context) (int, error) {
	rows, err := s.ask(ctx, "SELECT count(*) FROM benchmark_run_fact")
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(rows[0][0])
	return n - first, err
}

// ask asks the catalogue and returns the rows of its answer.
func (s *server) ask(ctx context.Context, query string) ([][]string, error) {
	out, err := s.call(ctx, "query", "--warehouse", filepath.Join(s.dir, "warehouse"), "--format", "csv", query)
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
	if err != nil || len(rows) < 2 {
		return nil, fmt.Errorf("%s: %d rows: %w", query, len(rows), err)
	}
	return rows[1:], nil
}

// residents are bytes of memory that a process held.
type residents struct{ early, late, most int }

// watch looks at the server's memory until ctx ends. Early is after a tenth of the time:
// before that caches fill.
func (s *server) watch(ctx context.Context) (m residents) {
	begun := time.Now()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
		var size, resident int
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", s.process.Process.Pid))
		if _, scanned := fmt.Sscan(string(text), &size, &resident); err != nil || scanned != nil {
			return m
		}
		m.late = resident * os.Getpagesize()
		m.most = max(m.most, m.late)
		if m.early == 0 && time.Since(begun) >= s.o.duration/10 {
			m.early = m.late
		}
	}
	return m
}

// pages are what people look at and programs ask for.
var pages = []string{
	"/", "/runs", "/runs?text=nightly-1", "/frontier", "/history?metric=e2e&workload=nightly-1", "/alerts", "/testbeds", "/lineage?of=12.3+ms", "/api/v1/runs?rows=100", "/api/v1/alerts",
}

// targets are the requests, as vegeta reads them.
func (s *server) targets(ctx context.Context) ([]byte, error) {
	list := pages
	rows, err := s.ask(ctx, "SELECT artifact_manifest_digest FROM benchmark_run_fact ORDER BY 1 LIMIT 3")
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		list = append(list, "/runs/"+row[0])
	}
	var b bytes.Buffer
	for _, page := range list {
		fmt.Fprintf(&b, "GET %s%s\nAuthorization: Bearer %s\n\n", s.url, page, s.token)
	}
	return b.Bytes(), nil
}

// attack has vegeta ask, and returns its report.
func (s *server) attack(ctx context.Context, o options) (seen answers, err error) {
	targets, err := s.targets(ctx)
	if err != nil {
		return seen, err
	}
	results := filepath.Join(s.dir, "results")
	attack := exec.CommandContext(ctx, o.vegeta, "attack", "-rate", fmt.Sprint(o.rate), "-duration", o.duration.String(), "-timeout", "30s", "-output", results)
	attack.Stdin = bytes.NewReader(targets)
	if out, err := attack.CombinedOutput(); err != nil {
		return seen, fmt.Errorf("vegeta: %w: %s", err, out)
	}
	text, err := exec.CommandContext(ctx, o.vegeta, "report", "-type", "json", results).Output()
	if err != nil {
		return seen, fmt.Errorf("vegeta's report: %w", err)
	}
	return seen, json.Unmarshal(text, &seen)
}

// answers are what vegeta reports.
type answers struct {
	Requests int            `json:"requests"`
	Codes    map[string]int `json:"status_codes"`
	Latency  struct {
		P50  time.Duration `json:"50th"`
		P95  time.Duration `json:"95th"`
		P99  time.Duration `json:"99th"`
		Most time.Duration `json:"max"`
	} `json:"latencies"`
}

const (
	latencyAim = 100 * time.Millisecond
	growthAim  = 1.5 // of memory, from early to late
)

// print writes the table, and reports whether an aim was missed.
func (a answers) print(w io.Writer, pushes *counts, kept int, m residents) (missed bool) {
	row := func(what, seen, aim string, bad bool) {
		if bad {
			missed, seen = true, seen+" (missed)"
		}
		fmt.Fprintf(w, "| %s | %s | %s |\n", what, seen, aim)
	}
	round := func(d time.Duration) string { return d.Round(100 * time.Microsecond).String() }
	l := a.Latency
	fmt.Fprintf(w, "load of the machine after: %s\n\n| | seen | aim |\n| --- | --- | --- |\n", load())
	row("requests", fmt.Sprintf("%d, answered %v", a.Requests, a.Codes), "all 200", a.Codes["200"] != a.Requests)
	row("latency p50 / p95 / p99 / longest", strings.Join([]string{round(l.P50), round(l.P95), round(l.P99), round(l.Most)}, " / "), "p99 ≤ "+latencyAim.String(), l.P99 > latencyAim)
	row("pushes", fmt.Sprintf("%d done, of which %d brought a new bundle, %d failed", pushes.done, kept, pushes.failed), "none failed", pushes.failed > 0)
	row("resident memory after a tenth of the time / at the end / most", fmt.Sprintf("%d / %d / %d MB", m.early>>20, m.late>>20, m.most>>20), "flat", float64(m.late) > growthAim*float64(m.early))
	if pushes.last != nil {
		fmt.Fprintln(w, "the last push that failed:", pushes.last)
	}
	return missed
}
