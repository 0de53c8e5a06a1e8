package target

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/url"
	"sync"
	"time"
)

// A warmPool holds connections that were opened before anybody needed them, so
// that a call need not wait for a handshake.
type warmPool struct {
	dialer net.Dialer

	mu   sync.Mutex
	idle map[string][]net.Conn // by address

	idleTLS map[string][]*tls.Conn // by address, with their handshakes made
}

// A warmConn is a connection that was opened beforehand.
type warmConn struct{ net.Conn }

// alive reports whether the server has kept its end open.
func (c *warmConn) alive() bool { return stillOpen(c.Conn) }

// warmed reports whether conn was opened beforehand, with its handshake if it
// carries TLS.
func warmed(conn net.Conn) bool {
	if secured, ok := conn.(*tls.Conn); ok {
		_, ok := secured.NetConn().(*warmTLSConn)
		return ok
	}
	_, ok := conn.(*warmConn)
	return ok
}

// DialContext hands out a connection opened beforehand, or opens one.
func (w *warmPool) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	for {
		conn := w.take(address)
		if conn == nil {
			return w.dialer.DialContext(ctx, network, address)
		}
		if conn.alive() {
			return conn, nil
		}
		conn.Close()
	}
}

func (w *warmPool) take(address string) *warmConn {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := w.idle[address]
	if len(list) == 0 {
		return nil
	}
	conn := list[len(list)-1]
	w.idle[address] = list[:len(list)-1]
	return &warmConn{conn}
}

func (w *warmPool) put(address string, conn net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.idle == nil {
		w.idle = map[string][]net.Conn{}
	}
	w.idle[address] = append(w.idle[address], conn)
}

func (w *warmPool) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, list := range w.idle {
		for _, conn := range list {
			conn.Close()
		}
	}
	for _, list := range w.idleTLS {
		for _, conn := range list {
			conn.Close()
		}
	}
	w.idle, w.idleTLS = nil, nil
}

// dialsAtOnce bounds how many handshakes Warm has under way: servers listen with
// a backlog of 128 or more.
const dialsAtOnce = 64

// Warm opens n connections to each URL, to be used by later calls, with the
// handshake of TLS. It asks nothing. Through a proxy that handshake is still made
// by the first call on each connection, whose record says so; a call that finds
// no open connection opens one and is marked too.
func (c *Client) Warm(ctx context.Context, n int) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if c.engine != nil {
		return c.engine.warm(ctx, n)
	}
	if c.cfg.Program != nil {
		return nil // it has dialled us
	}
	if c.overHTTP2() {
		n = 1 // its streams share a connection
	}
	return openMany(n, c.addresses(), func(address string) error {
		if c.secured(address) {
			return c.greet(ctx, address)
		}
		conn, err := c.warm.dialer.DialContext(ctx, "tcp", address)
		if err == nil {
			c.warm.put(address, conn)
		}
		return err
	})
}

// openMany calls open n times for each address, some at a time, and says how
// many of them failed.
func openMany(n int, addresses []string, open func(address string) error) error {
	var dials sync.WaitGroup
	room := make(chan struct{}, dialsAtOnce)
	errs := make(chan error, n*len(addresses)) // one place for each dial
	for _, address := range addresses {
		for range n {
			room <- struct{}{}
			dials.Go(func() {
				defer func() { <-room }()
				if err := open(address); err != nil {
					errs <- err
				}
			})
		}
	}
	dials.Wait()
	if failed := len(errs); failed > 0 {
		return fmt.Errorf("%d of %d connections could not be opened beforehand: %w", failed, n*len(addresses), <-errs)
	}
	return nil
}

// hostPort is the address that the transport will ask for.
func hostPort(u *url.URL) string {
	if u.Port() != "" {
		return u.Host
	}
	return net.JoinHostPort(u.Hostname(), defaultPorts[u.Scheme])
}
