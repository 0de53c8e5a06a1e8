package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"assay/bundle"
	"assay/record"
	"assay/spec"
	"assay/target"
)

// A server is the system under test where the plan has us start it: anew for
// each launch, or once for all of them. A nil config means that the target was
// there before us, and every method does nothing.
type server struct {
	cfg       *target.ServerConfig
	perLaunch bool
	process   *target.Server
	fresh     bool // started in the launch that goes on
	log       switchedLog
}

func newServer(cfg *target.ServerConfig, t *spec.Target) *server {
	return &server{cfg: cfg, perLaunch: t.Server != nil && t.Server.Restart == spec.RestartLaunch}
}

// enter begins a launch: the server runs, prints into this launch's log, and
// cancels the launch should it end by itself. The returned function ends it.
func (s *server) enter(ctx context.Context, cancel context.CancelCauseFunc, clock *record.Clock, out *bundle.Launch) (leave func(), err error) {
	if s.cfg == nil {
		return func() {}, nil
	}
	log, err := out.Log("server.log")
	if err != nil {
		return nil, err
	}
	s.log.to(log)
	s.fresh = s.process == nil || s.gone()
	if s.fresh {
		if s.process, err = s.start(ctx, clock, out); err != nil {
			s.log.to(nil)
			return nil, errors.Join(err, log.Close())
		}
	}
	unwatch := cancelOnExit(s.process, cancel)
	return func() {
		unwatch()
		if s.perLaunch {
			s.stop()
		}
		s.log.to(nil)
		log.Close()
	}, nil
}

// start starts the process and records how far it has got when.
func (s *server) start(ctx context.Context, clock *record.Clock, out *bundle.Launch) (*target.Server, error) {
	cfg := *s.cfg
	var unwritten error
	cfg.Reached = func(stage target.Stage) {
		row := record.Event{At: clock.At(stage.At), Name: stageEvents[stage.Name], Point: -1}
		if stage.Name == target.Started && !cfg.Place.Anywhere() {
			row.Detail = "on " + cfg.Place.String()
		}
		if !stage.Missed.IsZero() {
			row.Detail = fmt.Sprintf("not yet so %v before", stage.At.Sub(stage.Missed).Round(time.Microsecond))
		}
		unwritten = errors.Join(unwritten, out.Events.Append(row))
	}
	process, err := target.StartServer(ctx, cfg, &s.log)
	if err == nil && unwritten != nil {
		return process, fmt.Errorf("record the start of the server: %w", unwritten)
	}
	return process, err
}

// stageEvents are the events of the stages of a start.
var stageEvents = map[string]string{
	target.Started: record.ServerStart, target.Listening: record.ServerListening, target.Ready: record.ServerReady,
}

// stop ends the process, if there is one. A server that will not die has been
// killed; there is nothing more to do about it.
func (s *server) stop() {
	if s.process != nil {
		_ = s.process.Stop()
		s.process = nil
	}
}

// gone reports whether a server that is kept for all launches has died in one
// of them: the next one gets a new one.
func (s *server) gone() bool {
	select {
	case <-s.process.Exited():
		s.stop() // its children may have outlived it
		return true
	default:
		return false
	}
}

// cancelOnExit cancels the launch when the process ends by itself. The returned
// function stops watching.
func cancelOnExit(process *target.Server, cancel context.CancelCauseFunc) (unwatch func()) {
	over := make(chan struct{})
	watched := make(chan struct{})
	go func() { // ends when unwatch is called or the process has ended
		defer close(watched)
		select {
		case <-process.Exited():
			cancel(process.Err())
		case <-over:
		}
	}()
	return func() {
		close(over)
		<-watched
	}
}

// A switchedLog passes what a server prints to the launch that is going on.
// What it prints between launches belongs to none of them and is let go.
type switchedLog struct {
	mu  sync.Mutex
	now io.Writer
}

func (l *switchedLog) to(w io.Writer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = w
}

func (l *switchedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now == nil {
		return len(p), nil
	}
	return l.now.Write(p)
}
