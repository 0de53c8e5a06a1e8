package server

import (
	"context"
	"sync"
	"time"

	"assay/warehouse"
)

// A watch is what was found when somebody last looked. Looking takes longer than a page
// may, so that pages show what is here and say when it was found.
type watch struct {
	mu     sync.RWMutex
	series []warehouse.Series
	at     time.Time
	failed string // why the last look failed; empty where it did not
}

// look finds the changes of all series.
func (s *Server) look(ctx context.Context) {
	at := s.o.Now()
	series, err := s.read.Watch(ctx, warehouse.WatchedMetrics, warehouse.Detection{Seed: 1})
	if ctx.Err() != nil {
		return
	}
	s.watch.mu.Lock()
	defer s.watch.mu.Unlock()
	if err != nil {
		s.o.Log.Error("look for changes", "error", err)
		s.watch.failed = "the last look for changes failed; the log of the server says why"
		return
	}
	s.watch.series, s.watch.at, s.watch.failed = series, at, ""
}

// seen is what was found last.
func (s *Server) seen() (series []warehouse.Series, at time.Time, failed string) {
	s.watch.mu.RLock()
	defer s.watch.mu.RUnlock()
	return s.watch.series, s.watch.at, s.watch.failed
}

// alerts are those of what was found, with what was decided about them until now.
func (s *Server) alerts(ctx context.Context) ([]warehouse.Alert, error) {
	series, _, _ := s.seen()
	return s.read.Alerts(ctx, series)
}
