// Package server is the warehouse for a team: an HTTP interface and a dashboard over one
// folder of bundles, for those who have a token or sign in with an issuer (package signin).
//
// A table of routes (routes.go) says what may be asked for, by whom and how much may be
// sent; the checks in guard.go hold for all of them, and openapi.go describes them. The
// server adds nothing to what the warehouse knows: a bundle that is uploaded passes the
// same door as assay keep, and a number is shown with its interval or not at all.
//
// To add something that can be asked for, write its handler and one row of the table.
package server

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"assay/analysis/compare"
	"assay/judge"
	"assay/server/jobs"
	"assay/server/signin"
	"assay/tokens"
	"assay/warehouse"
)

// Options say what is served and how.
type Options struct {
	Dir     string // of the warehouse; it is made where there is none
	Tokens  *tokens.File
	Judge   judge.Options // how bundles are believed and judged
	Version string

	// Compare compares the bundles in folders, the first as the baseline; Contracts is the
	// summary of documents and their schemas.
	Compare   func(dirs []string) (compare.Report, error)
	Contracts func() (any, error)

	// Hosts are the names under which the server is asked for, besides those of loopback.
	// A request for any other is refused: a web page must not reach it under its own name.
	Hosts []string

	Secure bool // requests come over TLS

	// SignIn is who is let in besides those with a token. Nil means nobody.
	SignIn *signin.Issuers

	Routes []Route // of others, such as MCP

	// Jobs says how runs are carried out that somebody asks for. Without a launcher in its
	// bounds there are none.
	Jobs jobs.Options

	Log *slog.Logger

	// MostUpload is the largest bundle, in bytes. Zero means 4 GiB.
	MostUpload int64

	// PerSecond is how many requests a client may make in a second, over time. Zero means
	// 500; twice as many may come at once.
	PerSecond float64

	// Now is the clock. Nil means the system's.
	Now func() time.Time
}

func (o Options) withDefaults() Options {
	if o.MostUpload == 0 {
		o.MostUpload = 4 << 30
	}
	if o.PerSecond == 0 {
		o.PerSecond = 500
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// A Server answers requests about one warehouse.
type Server struct {
	o        Options
	read     *warehouse.Warehouse
	aside    *warehouse.Warehouse // with connections of its own, for what may take long and what must not wait
	routes   []Route
	sessions sessions
	secure   bool // browsers send cookies over TLS alone
	requests limits
	failures limits // of those who show no token, or a wrong one
	begins   limits // of those who begin to sign in with an issuer
	counters counters
	audit    *audit
	uploads  uploads
	watch    watch
	jobs     *jobs.Queue
	streams  streams

	heartbeat time.Duration // how often a stream says that it is alive, while nothing happens
	slowest   time.Duration // that its reader may be

	longestSearch time.Duration // for changes, while somebody waits

	lines   lines
	results results

	ending context.Context // ends when the server is asked to
	end    context.CancelFunc

	writing sync.Mutex    // one writer at a time
	written chan struct{} // holds one: something was added
	stirred chan struct{} // holds one: there may be something to look at ahead
}

// New opens the warehouse and makes it ready to be served.
func New(ctx context.Context, o Options) (*Server, error) {
	o = o.withDefaults()
	var err error
	if o.Dir, err = filepath.Abs(o.Dir); err != nil { // answers do not say where it is, by its whole name
		return nil, err
	}
	// A writer makes the folder, brings it to this version and clears up after whoever was
	// killed.
	w, err := warehouse.OpenWriter(ctx, o.Dir)
	if err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	s := &Server{
		o: o, lines: newLines(warehouse.MostReaders(), runtime.GOMAXPROCS(0)), written: make(chan struct{}, 1), stirred: make(chan struct{}, 1),
		requests:  limits{burst: int(math.Ceil(2 * o.PerSecond)), perSecond: rate.Limit(o.PerSecond)},
		failures:  limits{burst: 20, perSecond: 1},
		begins:    limits{burst: 60, perSecond: 5}, // a team behind one proxy comes in the morning
		secure:    o.Secure || o.SignIn.Secure(),
		heartbeat: 10 * time.Second, slowest: 5 * time.Second, longestSearch: 30 * time.Second,
	}
	s.ending, s.end = context.WithCancel(context.WithoutCancel(ctx))
	if s.read, err = warehouse.Open(ctx, o.Dir); err != nil {
		return nil, err
	}
	if s.aside, err = warehouse.Open(ctx, o.Dir); err != nil {
		return nil, errors.Join(err, s.read.Close())
	}
	s.uploads = uploads{dir: filepath.Join(o.Dir, "uploads"), most: o.MostUpload, now: o.Now}
	if err := os.MkdirAll(s.uploads.dir, 0o700); err != nil {
		return nil, errors.Join(err, s.read.Close(), s.aside.Close())
	}
	if s.audit, err = openAudit(filepath.Join(o.Dir, "audit.jsonl")); err != nil {
		return nil, errors.Join(err, s.read.Close(), s.aside.Close())
	}
	if s.jobs, err = s.openJobs(); err != nil {
		return nil, errors.Join(err, s.read.Close(), s.aside.Close(), s.audit.close())
	}
	s.routes = append(s.table(), o.Routes...)
	return s, nil
}

// HTTP is a server of the handler, whose limits slow clients cannot stretch. Asked to end,
// it ends streams at once: nobody knows when they would end by themselves.
func (s *Server) HTTP() *http.Server {
	h := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: 2 * time.Minute,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(s.o.Log.Handler(), slog.LevelDebug),
	}
	h.RegisterOnShutdown(s.end)
	return h
}

// Close ends the use of the warehouse.
func (s *Server) Close() error {
	s.end()
	return errors.Join(s.read.Close(), s.aside.Close(), s.audit.close())
}

// Tend looks after the warehouse until ctx ends: it carries out runs that were asked for, looks
// for changes when something was added and at the series that pages lead to, writes tables
// anew and drops uploads that nobody finished.
func (s *Server) Tend(ctx context.Context) {
	hour := time.NewTicker(time.Hour)
	defer hour.Stop()
	var beside sync.WaitGroup
	defer s.rememberAtLast(ctx)
	defer beside.Wait()
	beside.Go(func() { s.jobs.Work(ctx) })
	beside.Go(func() { s.o.SignIn.Reach(ctx, s.o.Now()) })
	beside.Go(func() { s.workAhead(ctx) })
	s.uploads.sweep()
	s.changed() // by another program, or by this version, which may look for alerts first
	s.look(ctx)
	pause := time.Second
	for {
		select {
		case <-ctx.Done():
			return
		case <-hour.C:
			s.uploads.sweep()
			s.remember(ctx)
		case <-s.written:
			s.stir()
			// Those who upload many come again at once: their rows are written together.
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
			begun := time.Now()
			if err := s.write(ctx, func(w *warehouse.Warehouse) error { return w.Refresh(ctx) }); err != nil {
				s.o.Log.Error("write the tables", "error", err)
			}
			s.look(ctx)
			// While many upload for long, this takes a tenth of the time and no more.
			pause = min(time.Minute, max(time.Second, 9*time.Since(begun)))
		}
	}
}

// write opens the warehouse for one who adds to it. Others, such as assay keep, take
// turns with it.
func (s *Server) write(ctx context.Context, f func(*warehouse.Warehouse) error) (err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	w, err := warehouse.OpenWriter(ctx, s.o.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	return f(w)
}

// changed says that something was added.
func (s *Server) changed() {
	select {
	case s.written <- struct{}{}:
	default: // it is said already
	}
}
