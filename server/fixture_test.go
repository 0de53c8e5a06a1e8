package server

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/analysis/compare"
	"assay/analysis/scene"
	"assay/bundle/parcel"
	"assay/judge"
	"assay/record"
	"assay/tokens"
	"assay/warehouse"
)

const document = `{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: %q},
spec: {workload: {model: m}, target: {url: "http://127.0.0.1:1"}, load: {concurrency: [2]}, trials: {minReplicates: 3}}}`

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// sealed is a bundle whose three launches are as slow as slow says.
func sealed(t testing.TB, id, name string, slow float64) string {
	t.Helper()
	env := record.Environment{}
	env.Set("host.name", "node-1")
	env.Set("server.engine", "vllm")
	dir := filepath.Join(t.TempDir(), "bundle")
	_, err := scene.Run{
		Dir: dir, ID: id, Document: fmt.Sprintf(document, name), Environment: env,
		Launches: []scene.Launch{{Slow: slow, Requests: 8}, {Slow: slow * 1.01, Requests: 8}, {Slow: slow * .99, Requests: 8}},
	}.Build(t.Context())
	must(t, err)
	return dir
}

// A site is a server with a token of each scope, and what it logged.
type site struct {
	t      testing.TB
	srv    *Server
	url    string
	dir    string
	tokens *tokens.File
	read   string
	write  string
	admin  string
	log    *logBook

	mu  sync.Mutex
	now time.Time
}

// A logBook keeps what was logged.
type logBook struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBook) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(data)
}

func (l *logBook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (s *site) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *site) later(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

func open(t testing.TB, change func(*Options)) *site {
	t.Helper()
	s := &site{t: t, dir: filepath.Join(t.TempDir(), "warehouse"), now: time.Now(), log: &logBook{}}
	s.tokens = tokens.Open(filepath.Join(s.dir, "tokens.json"))
	for scope, into := range map[tokens.Scope]*string{tokens.Read: &s.read, tokens.Write: &s.write, tokens.Admin: &s.admin} {
		text, token, err := tokens.New("the "+string(scope), scope, s.now, time.Hour)
		must(t, err)
		must(t, s.tokens.Add(token))
		*into = text
	}
	o := Options{
		Dir: s.dir, Tokens: s.tokens, Version: "test", Judge: judge.Options{Version: "test"}, Now: s.clock, PerSecond: 10_000,
		Log:     slog.New(slog.NewJSONHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Compare: compareDirs, Contracts: func() (any, error) { return map[string]int{"contracts": 1}, nil },
	}
	if change != nil {
		change(&o)
	}
	var err error
	s.srv, err = New(t.Context(), o)
	must(t, err)
	h := httptest.NewUnstartedServer(nil)
	h.Config = s.srv.HTTP()
	h.Start()
	s.url = h.URL
	t.Cleanup(func() {
		h.Close()
		must(t, s.srv.Close())
	})
	return s
}

func compareDirs(dirs []string) (compare.Report, error) {
	var sides []compare.Side
	for _, dir := range dirs {
		j, err := judge.Open(dir, judge.Options{Version: "test", Derive: true})
		if err != nil {
			return compare.Report{}, err
		}
		side, err := compare.Open(j.Bundle, j.Estimates, "")
		if err != nil {
			return compare.Report{}, err
		}
		sides = append(sides, side)
	}
	return compare.Compare(sides[0], sides[1:], compare.Options{Power: .8})
}

// An answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

// ask sends a request as given; a token in the header, where it is not empty.
func (s *site) ask(method, path, token, body string, change ...func(*http.Request)) answer {
	s.t.Helper()
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	must(s.t, err)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, f := range change {
		f(r)
	}
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	a, err := c.Do(r)
	must(s.t, err)
	defer a.Body.Close()
	data, err := io.ReadAll(a.Body)
	must(s.t, err)
	return answer{a.StatusCode, a.Header, string(data)}
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func decode[T any](t testing.TB, text string) (v T) {
	t.Helper()
	must(t, json.Unmarshal([]byte(text), &v))
	return v
}

// packed is the parcel of a bundle, and the promise of it.
func packed(t testing.TB, dir string) (data, promised string) {
	t.Helper()
	var b bytes.Buffer
	must(t, parcel.Pack(&b, dir))
	n, sum, err := parcel.Measure(dir)
	must(t, err)
	return b.String(), fmt.Sprintf(`{"bytes": %d, "sha256": %q}`, n, sum)
}

// upload sends a whole parcel and gives the last answer.
func (s *site) upload(token, data, promised string) answer {
	s.t.Helper()
	a := s.ask("POST", "/api/v1/uploads", token, promised)
	if a.status != http.StatusCreated {
		return a
	}
	one := decode[upload](s.t, a.body)
	if a = s.ask("PATCH", "/api/v1/uploads/"+one.ID, token, data[one.Offset:], header("Upload-Offset", fmt.Sprint(one.Offset))); a.status != http.StatusOK {
		return a
	}
	return s.ask("POST", "/api/v1/uploads/"+one.ID+"/finish", token, "")
}

// kept uploads a bundle, which must be kept.
func (s *site) kept(id, name string, slow float64) keptAnswer {
	s.t.Helper()
	data, promised := packed(s.t, sealed(s.t, id, name, slow))
	a := s.upload(s.write, data, promised)
	if a.status != http.StatusOK {
		s.t.Fatalf("upload: %d %s", a.status, a.body)
	}
	return decode[keptAnswer](s.t, a.body)
}

// unvoid has the runs count: runs of a scene measure nothing of the client, which voids
// them.
func (s *site) unvoid() {
	s.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(s.dir, "catalogue.db"))
	must(s.t, err)
	_, err = db.Exec(`UPDATE benchmark_run_fact SET worst_finding = ''; INSERT OR IGNORE INTO unlooked SELECT artifact_manifest_digest FROM benchmark_run_fact`)
	must(s.t, err)
	must(s.t, db.Close())
	must(s.t, s.srv.write(s.t.Context(), func(w *warehouse.Warehouse) error { return w.Refresh(s.t.Context()) }))
}
