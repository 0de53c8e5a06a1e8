package server

import (
	"context"
	"math"
	"net/http"
	"slices"
	"sync"
	"time"
)

// A line lets a few in at once, in the order in which they came. Others wait while few do and
// their wait is likely to be short; the rest is turned away at once: a server that falls
// behind answers little rather than late.
type line struct {
	name     string // of what is waited for, as metrics and the log have it
	places   int
	most     int           // that may wait at once
	patience time.Duration // the longest wait that is begun, going by how long others took

	mu      sync.Mutex
	inside  int
	waiting []chan struct{} // closed when it is somebody's turn
	each    time.Duration   // how long one is inside; the newest count most
	away    int64           // that were turned away
	told    time.Time       // when the log last said so
	untold  int64           // that were turned away since
}

// enter waits for a place. Whoever has one must leave; leaving twice is leaving once.
func (l *line) enter(ctx context.Context) (leave func(), err error) {
	l.mu.Lock()
	if l.inside < l.places {
		l.inside++
		l.mu.Unlock()
		return l.leaver(), nil
	}
	if expected := l.expected(); len(l.waiting) >= l.most || expected > l.patience {
		defer l.mu.Unlock()
		return nil, l.turnAway(expected)
	}
	turn := make(chan struct{})
	l.waiting = append(l.waiting, turn)
	l.mu.Unlock()
	// Those before may take longer than others did.
	given := time.NewTimer(2 * l.patience)
	defer given.Stop()
	select {
	case <-turn:
		return l.leaver(), nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-given.C:
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.waiting, turn); i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
	} else {
		l.next() // it was given a place in this moment
	}
	if err == nil {
		err = l.turnAway(l.expected())
	}
	return nil, err
}

// expected is how long one who comes now would wait: until all who wait, and it itself, had
// somebody leave before them.
func (l *line) expected() time.Duration {
	return time.Duration(len(l.waiting)+1) * l.each / time.Duration(l.places)
}

// turnAway counts somebody who is not let in, and is what to say.
func (l *line) turnAway(expected time.Duration) error {
	l.away++
	l.untold++
	seconds := max(1, int(math.Ceil(expected.Seconds())))
	return &busy{seconds, refuse(http.StatusServiceUnavailable, "the server is busy and did not answer this: ask again in %d s", seconds)}
}

// A busy says that there was no place for somebody, and when there may be one.
type busy struct {
	seconds int
	err     error
}

func (b *busy) Error() string { return b.err.Error() }
func (b *busy) Unwrap() error { return b.err }

// leaver gives a place up, to the first who waits.
func (l *line) leaver() func() {
	begun := time.Now()
	return sync.OnceFunc(func() {
		took := time.Since(begun)
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.each == 0 {
			l.each = took
		}
		l.each += (took - l.each) / 8
		l.next()
	})
}

// next gives a place that is free to the first who waits.
func (l *line) next() {
	if len(l.waiting) == 0 {
		l.inside--
		return
	}
	close(l.waiting[0])
	l.waiting = slices.Delete(l.waiting, 0, 1)
}

// occupied reports whether somebody is inside.
func (l *line) occupied() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.inside > 0
}

// counts are how many were turned away, and how many wait.
func (l *line) counts() (away int64, waiting int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.away, len(l.waiting)
}

// tellEvery is how often the log says that somebody was turned away.
const tellEvery = time.Minute

// tell is how many were turned away since the log last said so; zero while that is not long
// ago.
func (l *line) tell(now time.Time) (n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.untold == 0 || now.Sub(l.told) < tellEvery {
		return 0
	}
	n, l.untold, l.told = l.untold, 0, now
	return n
}

// The lines of a server, by what is waited for. Health, signing in, runs under way and the
// parts of an upload wait in none.
type lines struct {
	reading line // the catalogue, whose connections are as many as places
	judging line // judging or comparing bundles, or searching a series for changes
	asking  line // queries in SQL, and assistants: each may take seconds
	keeping line // uploads that are whole, apart from readers, to whom half of the processors is left: their senders wait
}

func newLines(readers, processors int) lines {
	return lines{
		reading: line{name: "reading", places: readers, most: 256, patience: 500 * time.Millisecond},
		judging: line{name: "judging", places: 2, most: 16, patience: 5 * time.Second},
		asking:  line{name: "asking", places: min(4, max(2, processors)), most: 16, patience: 5 * time.Second},
		keeping: line{name: "keeping", places: max(1, processors/2), most: mostUploads, patience: 30 * time.Second},
	}
}

func (l *lines) all() []*line { return []*line{&l.reading, &l.judging, &l.asking, &l.keeping} }

// occupied reports whether somebody is being answered.
func (l *lines) occupied() bool { return slices.ContainsFunc(l.all(), (*line).occupied) }

// A Turn is what those who ask for a route wait for.
type Turn string

// The turns. The zero value waits for nothing.
const (
	Reading Turn = "reading"
	Asking  Turn = "asking"
)

// A place is what a call has in a line, until it gives it up or its answer is written: a slow
// reader keeps nobody waiting.
type place struct {
	mu    sync.Mutex // an answer may be written by another goroutine, as the one of an assistant is
	in    *line
	leave func()
}

func (p *place) give() { p.take(nil, nil) }

// take has another place in place of this one.
func (p *place) take(in *line, leave func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.leave != nil {
		p.leave()
	}
	p.in, p.leave = in, leave
}

func (p *place) isIn(l *line) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.in == l
}

// enter has a call wait in a line, in place of the one that it is in.
func (s *Server) enter(c *Call, l *line) error {
	if c.place.isIn(l) {
		return nil
	}
	c.place.give()
	leave, err := l.enter(c.context())
	if n := l.tell(s.o.Now()); n > 0 {
		s.o.Log.Warn("turned away", "line", l.name, "requests", n)
	}
	if err != nil {
		return err
	}
	c.place.take(l, leave)
	return nil
}

// takeTurn waits for what the route of a call waits for.
func (s *Server) takeTurn(c *Call) error {
	switch c.route.Turn {
	case Reading:
		return s.enter(c, &s.lines.reading)
	case Asking:
		return s.enter(c, &s.lines.asking)
	}
	return nil
}
