package target

import (
	"context"
	"crypto/tls"
	"net"
)

// A warmTLSConn is a connection whose TLS handshake was made beforehand.
type warmTLSConn struct{ net.Conn }

// greet opens a connection to address and makes its handshake.
func (c *Client) greet(ctx context.Context, address string) error {
	conn, err := c.warm.dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	secured := tls.Client(&warmTLSConn{conn}, c.tlsFor(address))
	if err := secured.HandshakeContext(ctx); err != nil {
		conn.Close()
		return err
	}
	c.warm.putTLS(address, secured)
	return nil
}

// dialTLS hands out a connection whose handshake is done, or opens one, whose
// handshake is then the transport's.
func (c *Client) dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
	for {
		conn := c.warm.takeTLS(address)
		if conn == nil {
			break
		}
		below := conn.NetConn().(*warmTLSConn)
		if connected(below.Conn) {
			return conn, nil
		}
		below.Close() // without a goodbye, which nobody would hear
	}
	conn, err := c.warm.dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return tls.Client(conn, c.tlsFor(address)), nil
}

// tlsFor is how connections to address are secured.
func (c *Client) tlsFor(address string) *tls.Config {
	cfg := &tls.Config{}
	if c.cfg.TLS != nil {
		cfg = c.cfg.TLS.Clone()
	}
	if cfg.ServerName == "" {
		cfg.ServerName, _, _ = net.SplitHostPort(address)
	}
	if c.overHTTP2() {
		cfg.NextProtos = []string{"h2"}
	}
	return cfg
}

func (w *warmPool) takeTLS(address string) *tls.Conn {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := w.idleTLS[address]
	if len(list) == 0 {
		return nil
	}
	conn := list[len(list)-1]
	w.idleTLS[address] = list[:len(list)-1]
	return conn
}

func (w *warmPool) putTLS(address string, conn *tls.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.idleTLS == nil {
		w.idleTLS = map[string][]*tls.Conn{}
	}
	w.idleTLS[address] = append(w.idleTLS[address], conn)
}
