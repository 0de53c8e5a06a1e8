package target

import (
	"crypto/tls"
	"net/http/httptrace"
	"sync/atomic"

	"assay/record"
)

// phases are the stamps of one exchange below HTTP. The transport reports them
// from goroutines of its own, some after the answer has begun, so each is
// atomic; zero means that it did not happen.
type phases struct {
	dnsStart, dns  atomic.Int64
	dialStart      atomic.Int64
	dial           atomic.Int64
	tlsStart, tls  atomic.Int64
	wrote, first   atomic.Int64
	newConnections atomic.Int32
	connections    atomic.Int32
}

func (t *phases) trace(clock *record.Clock) *httptrace.ClientTrace {
	since := func(start, took *atomic.Int64) { took.Store(clock.Now() - start.Load()) }
	return &httptrace.ClientTrace{
		DNSStart:             func(httptrace.DNSStartInfo) { t.dnsStart.Store(clock.Now()) },
		DNSDone:              func(httptrace.DNSDoneInfo) { since(&t.dnsStart, &t.dns) },
		ConnectStart:         func(_, _ string) { t.dialStart.Store(clock.Now()) },
		ConnectDone:          func(_, _ string, _ error) { since(&t.dialStart, &t.dial) },
		TLSHandshakeStart:    func() { t.tlsStart.Store(clock.Now()) },
		TLSHandshakeDone:     func(tls.ConnectionState, error) { since(&t.tlsStart, &t.tls) },
		WroteRequest:         func(httptrace.WroteRequestInfo) { t.wrote.Store(clock.Now()) },
		GotFirstResponseByte: func() { t.first.Store(clock.Now()) },
		GotConn: func(info httptrace.GotConnInfo) {
			t.connections.Add(1)
			if !info.Reused && !warmed(info.Conn) {
				t.newConnections.Add(1)
			}
		},
	}
}

// copyFrom takes over how a connection was opened that others waited for too.
func (t *phases) copyFrom(opened *phases) {
	t.dns.Store(opened.dns.Load())
	t.dial.Store(opened.dial.Load())
	t.tls.Store(opened.tls.Load())
	t.connections.Store(1)
	t.newConnections.Store(1)
}

// record copies the phases into r.
func (t *phases) record(r *record.Request) {
	r.DNS, r.Dial, r.TLS = known(&t.dns), known(&t.dial), known(&t.tls)
	r.Wrote, r.First = known(&t.wrote), known(&t.first)
	r.NewConn = t.newConnections.Load() > 0
	if !r.NewConn {
		r.TLS = nil // the handshake was made beforehand, and asking for it again took no time
	}
}

func known(v *atomic.Int64) *int64 {
	if stamp := v.Load(); stamp != 0 {
		return &stamp
	}
	return nil
}
