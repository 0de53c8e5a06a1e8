package server

import (
	"maps"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// limits bound how often each client may do something: so many at once, and so many more
// in every second.
type limits struct {
	burst     int
	perSecond rate.Limit

	mu      sync.Mutex
	clients map[string]*rate.Limiter
}

// mostClients bounds what is remembered. Beyond it those who did nothing for long are
// forgotten, which only gives them what they would have again anyway.
const mostClients = 10_000

// allow takes n from what the client has left, and reports whether it was there. With n of
// zero it only looks.
func (l *limits) allow(client string, n int, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.clients == nil {
		l.clients = map[string]*rate.Limiter{}
	}
	one, known := l.clients[client]
	if !known {
		if len(l.clients) >= mostClients {
			l.forget(now)
		}
		one = rate.NewLimiter(l.perSecond, l.burst)
		l.clients[client] = one
	}
	if n == 0 {
		return one.TokensAt(now) >= 1
	}
	return one.AllowN(now, n)
}

// forget drops clients that have everything again, or everybody where none has: a flood of
// addresses must not fill the memory.
func (l *limits) forget(now time.Time) {
	maps.DeleteFunc(l.clients, func(_ string, one *rate.Limiter) bool { return one.TokensAt(now) >= float64(l.burst) })
	if len(l.clients) >= mostClients {
		clear(l.clients)
	}
}

// clientOf is who asks: an IPv4 address, or the network of an IPv6 one, of which anybody
// has very many.
func clientOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	ip := net.ParseIP(host)
	if ip == nil || ip.To4() != nil {
		return host
	}
	return ip.Mask(net.CIDRMask(64, 128)).String()
}
