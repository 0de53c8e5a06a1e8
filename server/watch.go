package server

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"assay/warehouse"
)

// seed is that of every search for changes, so that pages and alerts say the same.
const seed = 1

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
	series, err := s.read.Watch(ctx, warehouse.WatchedMetrics, s.unhurried(ctx))
	if ctx.Err() != nil {
		return
	}
	s.remember(ctx)
	s.watch.mu.Lock()
	defer s.watch.mu.Unlock()
	if err != nil {
		s.o.Log.Error("look for changes", "error", err)
		s.watch.failed = "the last look for changes failed; the log of the server says why"
		return
	}
	s.watch.series, s.watch.at, s.watch.failed = series, at, ""
	s.stir()
}

// Work beside requests rests while somebody is being answered, and goes on for a moment after
// each rest, with a tenth of a processor: what changed is found late on a server that is never
// idle, and not never.
const (
	rest   = time.Millisecond
	moment = 100 * time.Microsecond
)

// unhurried searches let requests go first, and end with ctx.
func (s *Server) unhurried(ctx context.Context) warehouse.Detection {
	var rested time.Time
	return warehouse.Detection{Seed: seed, Between: func() error {
		if ctx.Err() == nil && s.lines.occupied() && time.Since(rested) >= moment {
			select {
			case <-ctx.Done():
			case <-time.After(rest):
			}
			rested = time.Now()
		}
		return context.Cause(ctx)
	}}
}

// remember has the catalogue hold what was found, so that nobody searches for it after a
// restart.
func (s *Server) remember(ctx context.Context) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.read.Remember(ctx); err != nil && ctx.Err() == nil {
		s.o.Log.Warn("what was found is forgotten when the server ends", "error", err)
	}
}

// rememberAtLast has the catalogue hold what people had searched for since, when ctx has ended.
func (s *Server) rememberAtLast(ctx context.Context) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer stop()
	s.remember(ctx)
}

// The series that are looked at ahead: of as many runs as the overview lists, and no more
// than a team looks at.
const (
	newestRuns = 12
	mostAhead  = 200
)

// workAhead looks at what pages lead to, each time that something was added or found, so that
// nobody waits for a search that can be made before they ask. One worker does so, and lets
// those who ask go first.
func (s *Server) workAhead(ctx context.Context) {
	for {
		if err := s.ahead(ctx); err != nil && ctx.Err() == nil {
			s.o.Log.Error("look at series ahead", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-s.stirred:
		}
	}
}

// stir has the worker look again.
func (s *Server) stir() {
	select {
	case s.stirred <- struct{}{}:
	default: // it is said already
	}
}

// ahead looks at the series of the newest runs and at those with an alert as their pages do.
func (s *Server) ahead(ctx context.Context) error {
	newest, _, err := s.read.Runs(ctx, warehouse.RunFilter{Rows: newestRuns})
	if err != nil {
		return err
	}
	var list []warehouse.Series
	for _, run := range newest {
		d, err := s.read.Detail(ctx, run.Digest)
		if err != nil {
			return err
		}
		for _, f := range warehouse.Watched(d.Figures) {
			list = append(list, warehouse.SeriesOf(d.RunRow, f))
		}
	}
	defer s.remember(ctx)
	seen, _, _ := s.seen()
	for _, one := range leadTo(list, seen) {
		if _, err := s.read.History(ctx, seriesFilter(one), s.unhurried(ctx), s.o.Judge); err != nil && !errors.Is(err, warehouse.ErrNoSeries) {
			return err
		}
	}
	return nil
}

// leadTo are the series that pages lead to first, each once: those of the newest runs, and of
// all that were looked at those that got worse.
func leadTo(newest, seen []warehouse.Series) (list []warehouse.Series) {
	for _, s := range seen {
		if slices.ContainsFunc(s.Changes, func(c warehouse.Change) bool {
			return c.Worse && c.State != warehouse.Settled && c.State != warehouse.Hindsight
		}) {
			newest = append(newest, s)
		}
	}
	known := map[string]bool{}
	for _, s := range newest {
		if id := s.ID(); !known[id] && len(list) < mostAhead {
			known[id] = true
			list = append(list, s)
		}
	}
	return list
}

// seriesFilter is how pages ask for one series. What is looked at ahead is what they ask for.
func seriesFilter(s warehouse.Series) warehouse.Filter {
	return warehouse.Filter{Metric: s.Metric + ":" + s.Statistic, Workload: s.Workload, System: s.System, Testbed: s.Testbed, Point: s.Point, Side: s.Side}
}

// seen is what was found last.
func (s *Server) seen() (series []warehouse.Series, at time.Time, failed string) {
	s.watch.mu.RLock()
	defer s.watch.mu.RUnlock()
	return s.watch.series, s.watch.at, s.watch.failed
}

// alerts are those that runs raised, with what was decided about them until now.
func (s *Server) alerts(ctx context.Context) ([]warehouse.Alert, error) { return s.read.Alerts(ctx) }
