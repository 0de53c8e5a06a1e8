package target

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
)

// errNoHTTP2 is why a connection is of no use on which TLS agreed on something else.
var errNoHTTP2 = fmt.Errorf("%w, the target did not agree to it", errNotHTTP2)

// greet makes a connection ready for exchanges before a loop has it: what came with
// the handshake of TLS is read, and HTTP/2 begins.
func (c *conn) greet(speaksHTTP2 bool) error {
	if speaksHTTP2 {
		c.http2 = newHTTP2(c)
	}
	var text []byte
	if c.sealed != nil {
		c.sealed.handOver(c.fd)
		var err error
		if text, err = c.sealed.open(nil, make([]byte, 2*recordSize)); err != nil {
			return err
		}
	}
	if c.http2 == nil {
		if len(text) > 0 {
			return errors.New("the server spoke before it was asked")
		}
		return nil
	}
	c.http2.stamp.now = c.loop.clock.Now()
	if err := c.http2.feed(text); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.http2.answers = false
	c.http2.flush() // what the socket does not take goes with the first request
	return nil
}

// emptiest is the connection with the fewest streams that has room for another one,
// so that the fewest answers share a read.
func emptiest(list []*conn) *conn {
	var best *conn
	for _, c := range list {
		if c.http2.room() && (best == nil || c.http2.open.Load() < best.http2.open.Load()) {
			best = c
		}
	}
	return best
}

// forget takes c out of those that may be used.
func (e *epollEngine) forget(c *conn) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.idle[c.host] = slices.DeleteFunc(e.idle[c.host], func(other *conn) bool { return other == c })
}

// sharedDials are the connections of HTTP/2 that are being opened, one for each host
// at a time: whoever needs one waits for the same.
type sharedDials struct {
	once   sync.Once
	ctx    context.Context // of all dials, none of which belongs to one exchange
	cancel context.CancelCauseFunc
	dials  sync.WaitGroup
	byHost map[string]*sharedDial // the engine's mu is held
}

type sharedDial struct {
	done   chan struct{} // closed when the others are set
	conn   *conn
	err    error
	phases phases
}

func (s *sharedDials) open() {
	s.once.Do(func() {
		s.ctx, s.cancel = context.WithCancelCause(context.Background())
		s.byHost = map[string]*sharedDial{}
	})
}

// close ends the dials that nobody waits for any more.
func (s *sharedDials) close() {
	s.open()
	s.cancel(net.ErrClosed)
	s.dials.Wait()
}

// dialShared returns a connection with room for a stream, the next one to be opened
// when there is none. All who wait for it have waited for its handshakes, and their
// records say so.
func (e *epollEngine) dialShared(ctx context.Context, host string, t *phases) (*conn, error) {
	ctx, stop := e.limited(ctx)
	defer stop()
	e.mu.Lock()
	if c := e.spare(host); c != nil {
		e.mu.Unlock()
		return c, nil
	}
	d := e.nextDial(host)
	e.mu.Unlock()
	select {
	case <-d.done:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if d.err == nil {
		t.copyFrom(&d.phases)
	}
	return d.conn, d.err
}

// dialStreams opens a connection and waits until the server has said how many streams
// it takes: one too many is refused.
func (e *epollEngine) dialStreams(ctx context.Context, host string, t *phases) (*conn, error) {
	c, err := e.dial(ctx, host, t)
	if err != nil {
		return nil, err
	}
	ctx, stop := e.limited(ctx)
	defer stop()
	select {
	case <-c.http2.ready:
		err = c.http2.fault
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err == nil && c.http2.limit.Load() == 0 {
		err = errors.New("the server takes no streams on a new connection of HTTP/2")
	}
	if err != nil {
		c.hangUp()
		return nil, err
	}
	return c, nil
}

// nextDial is the dial to host that is under way, or a new one. e.mu is held.
func (e *epollEngine) nextDial(host string) *sharedDial {
	s := &e.shared
	s.open()
	d := s.byHost[host]
	if d != nil {
		return d
	}
	d = &sharedDial{done: make(chan struct{})}
	s.byHost[host] = d
	s.dials.Go(func() {
		d.conn, d.err = e.dialStreams(s.ctx, host, &d.phases)
		e.mu.Lock()
		delete(s.byHost, host)
		over := d.err == nil && !e.hold(d.conn)
		e.mu.Unlock()
		if over {
			d.conn.hangUp()
		}
		close(d.done)
	})
	return d
}

// warmStreams opens as many connections to each host as n streams need.
func (e *epollEngine) warmStreams(ctx context.Context, n int) error {
	for _, host := range e.hosts {
		for places := 0; places < n; {
			c, err := e.dialStreams(ctx, host, &phases{})
			if err != nil {
				return err
			}
			e.keep(c)
			places += int(c.http2.limit.Load())
		}
	}
	return nil
}
