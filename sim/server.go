package sim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// A Server answers clients until it is closed.
type Server struct {
	cfg     Config
	clock   clock
	started time.Time
	pacers  []*pacer
	next    atomic.Uint64 // completions asked for so far
	held    atomic.Int64  // bytes of bodies that are being read
	engine  *engine       // nil in fixed mode
	meter   *meter
	truth   *truthLog // nil when none is kept
	log     *accessLog
	factor  float64 // launch factor

	work   sync.WaitGroup // connections and flushes
	paced  sync.WaitGroup // pacer threads
	mu     sync.Mutex
	closed bool
	lis    map[net.Listener]bool
	conns  map[*conn]bool
}

// New prepares a server; Serve makes it reachable. The caller must Close it.
func New(cfg Config) (*Server, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	s := &Server{
		cfg: cfg, clock: newClock(), started: time.Now(), meter: newMeter(cfg.Fixed != nil),
		lis: map[net.Listener]bool{}, conns: map[*conn]bool{}, log: newAccessLog(cfg.AccessLog),
	}
	s.factor = 1 // of a fixed schedule, which has no noise
	for range cfg.Pacers {
		p, err := newPacer(s.clock)
		if err != nil {
			for _, made := range s.pacers {
				made.waker.close()
			}
			return nil, fmt.Errorf("sim: start pacer: %w", err)
		}
		s.pacers = append(s.pacers, p)
	}
	if cfg.Fixed == nil {
		s.factor = noise(rand.New(rand.NewPCG(cfg.LaunchSeed, 0x1a)), cfg.LaunchNoise)
		s.engine = newEngine(cfg, s.factor, s.pacers[0], s.meter)
	}
	s.truth = newTruthLog(cfg.Truth)
	for _, p := range s.pacers {
		s.paced.Go(p.run)
	}
	return s, nil
}

// noise draws a factor around 1 with the given relative standard deviation. It
// is cut at half and double, so that no time becomes absurd.
func noise(rng *rand.Rand, deviation float64) float64 {
	if deviation == 0 {
		return 1
	}
	return min(2, max(0.5, 1+deviation*rng.NormFloat64()))
}

// Serve accepts connections on l until Close is called, and then returns
// http.ErrServerClosed. It may be called for several listeners at once.
func (s *Server) Serve(l net.Listener) error {
	if !s.track(l) {
		_ = l.Close()
		return http.ErrServerClosed
	}
	for {
		nc, err := l.Accept()
		if err != nil {
			if s.isClosed() {
				return http.ErrServerClosed
			}
			if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
				time.Sleep(10 * time.Millisecond) // others will close theirs
				continue
			}
			return fmt.Errorf("sim: accept: %w", err)
		}
		s.start(nc)
	}
}

func (s *Server) track(l net.Listener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.lis[l] = true
	}
	return !s.closed
}

func (s *Server) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

func (s *Server) start(nc net.Conn) {
	c := newConn(s, nc)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = nc.Close()
		return
	}
	s.conns[c] = true
	s.work.Go(func() {
		if s.cfg.TLS != nil || s.cfg.HTTP2 {
			c.converse()
		} else {
			c.serve()
		}
		s.mu.Lock()
		delete(s.conns, c)
		s.mu.Unlock()
	})
}

// Close cuts every connection, waits for all work to end and writes out the
// logs. It reports the first log that could not be written.
func (s *Server) Close() error {
	s.mu.Lock()
	already := s.closed
	s.closed = true
	for l := range s.lis {
		_ = l.Close()
	}
	for c := range s.conns {
		_ = c.net.Close()
	}
	s.mu.Unlock()
	if already {
		return nil
	}
	for _, p := range s.pacers {
		p.stop()
	}
	s.paced.Wait()
	s.work.Wait()
	return errors.Join(s.truth.close(), s.log.close())
}

// ready reports whether the start delay is over.
func (s *Server) ready() bool { return time.Since(s.started) >= s.cfg.StartDelay }
