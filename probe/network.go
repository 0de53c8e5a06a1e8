package probe

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
)

// Network measures TCP to a host that runs assay net --serve, or through this host's
// own loopback.
var Network = Probe{
	Name: "network",
	Doc:  "TCP throughput both ways and round trips, to a host that runs assay net --serve or over loopback; what was sent again",
	open: openNetwork,
}

// A message of the latency: one that fits in any packet.
const tripBytes = 64

// A path is the connections to one host.
type path struct {
	streams []*stream
	scope   string
}

func openNetwork(ctx context.Context, s *Setting) ([]variant, func() error, error) {
	host, secret, end := s.Micro.Host, s.Secret, nothing
	p := &path{scope: host}
	if host == "" {
		var err error
		if host, secret, end, err = ownServer(ctx); err != nil {
			return nil, nil, err
		}
		p.scope = "loopback"
		s.Note("network: no host was named: client and server share this one, and its processors")
	}
	closing := func() error { return errors.Join(p.close(), end()) }
	for range max(1, s.Micro.Streams) {
		one, err := dial(ctx, host, secret)
		if err != nil {
			return nil, nil, errors.Join(err, closing())
		}
		p.streams = append(p.streams, one)
		context.AfterFunc(ctx, func() { one.conn.Close() })
	}
	link, err := linkOf(p.streams[0].conn)
	if err != nil {
		return nil, nil, errors.Join(err, closing())
	}
	s.Note(fmt.Sprintf("network %s: %s", p.scope, link))
	if s.Path != nil {
		s.Path(link)
	}
	return []variant{
		p.bulk("send", (*stream).send),
		p.bulk("receive", (*stream).receive),
		p.trips(),
	}, closing, nil
}

// ownServer serves on loopback, to this process alone, until it is closed.
func ownServer(ctx context.Context) (host, secret string, end func() error, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", "", nil, err
	}
	secret = rand.Text()
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1) // the one error of the one server
	go func() { ended <- Serve(ctx, listener, secret) }()
	return listener.Addr().String(), secret, func() error { cancel(); return <-ended }, nil
}

// bulk moves a block on every stream in each iteration. All iterations of a replicate
// are one transfer, which ends when the receiver has its last byte: what only lies in
// a buffer has not been moved.
func (p *path) bulk(name string, move func(s *stream, n int64) error) variant {
	streams := int64(len(p.streams))
	return variant{
		name: name, scope: p.scope, threads: len(p.streams), size: bulkBlock, bytes: bulkBlock * streams, operations: streams,
		do: func(iterations int) error {
			return p.each(func(s *stream) error { return move(s, int64(iterations)*bulkBlock) })
		},
		settle: p.settle,
	}
}

// each has every stream work at once.
func (p *path) each(job func(*stream) error) error {
	results := make(chan error, len(p.streams)) // one from each
	for _, s := range p.streams {
		go func() { results <- job(s) }()
	}
	var errs []error
	for range p.streams {
		errs = append(errs, <-results)
	}
	return errors.Join(errs...)
}

func (p *path) trips() variant {
	s := p.streams[0]
	message, back := make([]byte, headBytes+tripBytes), make([]byte, tripBytes)
	putHead(message, askEcho, tripBytes)
	return variant{
		name: "round trip", scope: p.scope, threads: 1, size: tripBytes, bytes: 2 * tripBytes, operations: 1, single: true,
		do: func(iterations int) error {
			for range iterations {
				message[len(message)-1]++
				if err := s.trip(message, back); err != nil {
					return err
				}
			}
			return nil
		},
		settle: p.settle,
	}
}

// settle counts wrong ends and what the kernel sent again since the last time.
func (p *path) settle() (wrong int64, resent *int64, err error) {
	var sum int64
	for _, s := range p.streams {
		wrong += s.wrong
		s.wrong = 0
		_, resent, err := kernelLink(s.conn)
		if err != nil {
			return wrong, nil, err
		}
		sum += int64(resent - s.resent)
		s.resent = resent
	}
	return wrong, &sum, nil
}

func (p *path) close() error {
	var errs []error
	for _, s := range p.streams {
		if err := s.conn.Close(); !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// A Link is what the kernel knows of a connection.
type Link struct {
	Local      string `json:"local"`
	Remote     string `json:"remote"`
	Interface  string `json:"interface,omitempty"` // that has the local address
	MTU        int    `json:"mtu,omitempty"`       // of that interface
	PathMTU    int    `json:"pathMTU"`
	Segment    int    `json:"segment"` // bytes of the largest one sent
	Congestion string `json:"congestion"`
}

func (l Link) String() string {
	return fmt.Sprintf("%s to %s, interface %s (MTU %d), path MTU %d, segments of %d, congestion control %s",
		l.Local, l.Remote, l.Interface, l.MTU, l.PathMTU, l.Segment, l.Congestion)
}

func linkOf(conn *net.TCPConn) (Link, error) {
	l, _, err := kernelLink(conn)
	l.Local, l.Remote = conn.LocalAddr().String(), conn.RemoteAddr().String()
	own := conn.LocalAddr().(*net.TCPAddr)
	faces, listErr := net.Interfaces()
	for _, face := range faces {
		addrs, _ := face.Addrs() // an interface that is going away has none
		for _, a := range addrs {
			if ip, ok := a.(*net.IPNet); ok && ip.IP.Equal(own.IP) {
				l.Interface, l.MTU = face.Name, face.MTU
			}
		}
	}
	return l, errors.Join(err, listErr)
}
