package load

import (
	"sync"
	"sync/atomic"

	"assay/target"
)

// A shelf takes ended exchanges from threads that must not wait and passes them
// to a keep that may, one at a time and in order. Whoever puts on it bounds what
// is on it: a closed loop by its users, an open one by its calls in flight.
type shelf struct {
	keep func(*target.Raw)
	load atomic.Int64  // exchanges put and not yet kept
	bell chan struct{} // there is something to keep; holds one, since looking twice is no use
	gone chan struct{} // closed when the last one has been kept

	mu   sync.Mutex
	list []kept
}

// A kept is an exchange and what is to be done once it has been kept.
type kept struct {
	raw  *target.Raw
	then func()
}

func newShelf(keep func(*target.Raw)) *shelf {
	s := &shelf{keep: keep, bell: make(chan struct{}, 1), gone: make(chan struct{})}
	go s.serve() // ends with close, which waits for it
	return s
}

// waiting is how many exchanges are still to be kept.
func (s *shelf) waiting() int { return int(s.load.Load()) }

// put leaves raw to be kept; then, unless it is nil, is called after that.
func (s *shelf) put(raw *target.Raw, then func()) {
	s.load.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock() // after the bell: raw may be the last one, and then the bell is closed
	s.list = append(s.list, kept{raw, then})
	select {
	case s.bell <- struct{}{}:
	default: // it will look anyway
	}
}

func (s *shelf) serve() {
	defer close(s.gone)
	var mine []kept
	for range s.bell {
		s.mu.Lock()
		mine, s.list = s.list, mine[:0]
		s.mu.Unlock()
		for i, k := range mine {
			mine[i] = kept{}
			s.keep(k.raw)
			s.load.Add(-1)
			if k.then != nil {
				k.then()
			}
		}
	}
}

// close returns when everything has been kept. Nothing may be put after it.
func (s *shelf) close() {
	close(s.bell) // what is in it is still received
	<-s.gone
}
