package sim

import (
	"crypto/tls"
	"errors"
	"net"
)

// A link is a connection whose writes never wait: what the socket does not take
// follows from a goroutine. TLS and HTTP/2 stand on it, so that a pacer can send
// through them as it sends plain bytes.
type link struct {
	net.Conn
	lower *conn
}

func (l link) Write(b []byte) (int, error) {
	l.lower.send(b)
	l.lower.mu.Lock()
	defer l.lower.mu.Unlock()
	if l.lower.broken {
		return 0, errors.New("the client is gone")
	}
	return len(b), nil
}

// Close leaves the socket to its owner, who writes out what is queued first.
func (l link) Close() error { return nil }

// abort resets the connection at once.
func (l link) abort() {
	if tcp, ok := l.Conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // close sends RST instead of FIN
	}
	_ = l.Conn.Close()
}

// A secureLink is TLS on a link.
type secureLink struct {
	*tls.Conn
	link link
}

func (l secureLink) abort() { l.link.abort() }

// An aborter can end without a proper end.
type aborter interface{ abort() }

// converse serves a connection that may speak TLS or HTTP/2.
func (c *conn) converse() {
	defer c.close()
	s := c.server
	below := link{c.net, c}
	if s.cfg.TLS != nil {
		secure := secureLink{tls.Server(below, s.tlsConfig()), below}
		defer secure.Conn.Close() // says goodbye, unless it was aborted
		if err := secure.Handshake(); err != nil {
			return
		}
		if secure.ConnectionState().NegotiatedProtocol == "h2" {
			s.serveHTTP2(secure, secure)
			return
		}
		s.serveHTTP1(secure)
		return
	}
	c.limit.N = maxHead
	if start, _ := c.in.Peek(4); string(start) == "PRI " { // how HTTP/2 begins without TLS
		c.limit.N = 1 << 62
		s.serveHTTP2(below, c.in)
		return
	}
	c.serve()
}

// serveHTTP1 answers on a connection whose writes never wait.
func (s *Server) serveHTTP1(nc net.Conn) {
	c := newConn(s, nc)
	c.direct = true
	c.serve()
}

// tlsConfig offers the protocols that the server speaks.
func (s *Server) tlsConfig() *tls.Config {
	cfg := s.cfg.TLS.Clone()
	cfg.NextProtos = []string{"http/1.1"}
	if s.cfg.HTTP2 {
		cfg.NextProtos = []string{"h2", "http/1.1"}
	}
	return cfg
}

// goAway gives the connection up, in the middle of an answer or at its end. In
// HTTP/1.1 only the second means anything: the caller closes it.
func (c *conn) goAway(cut bool) {
	if st, ok := c.net.(*http2Stream); ok {
		st.goAway(cut)
	}
}
