package server

import (
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"sync"
	"time"

	"assay/tokens"
)

// sessions are browsers that showed a token, or whose owner signed in. A cookie is sent to
// every port of a host, so what a browser keeps is not the token: it ends with the server,
// or after half a day.
type sessions struct {
	mu   sync.Mutex
	open map[[32]byte]session // by the digest of what the cookie holds
}

type session struct {
	token  tokens.Token
	issued bool // by an issuer; no file of tokens has it
	until  time.Time
}

const (
	sessionTime  = 12 * time.Hour
	mostSessions = 10_000
)

// cookieName begins so that browsers refuse one that another host, or plain HTTP, set.
func cookieName(secure bool) string {
	if secure {
		return "__Host-assay"
	}
	return "assay"
}

// start opens a session for a token, which ends with it.
func (s *sessions) start(t tokens.Token, now time.Time, secure bool) *http.Cookie {
	until := now.Add(sessionTime)
	if t.Expires.Before(until) {
		until = t.Expires
	}
	return s.add(session{token: t, until: until}, now, cookie(secure, http.SameSiteStrictMode))
}

// startIssued opens a session for somebody whom an issuer vouched for. What the issuer signed
// counts for minutes; it is not the session. The cookie is sent also where somebody comes
// from another site, as they do from the issuer; what changes something is refused then.
func (s *sessions) startIssued(t tokens.Token, now time.Time, secure bool) *http.Cookie {
	t.Expires = now.Add(sessionTime)
	return s.add(session{token: t, issued: true, until: t.Expires}, now, cookie(secure, http.SameSiteLaxMode))
}

// cookie is that of a session, yet empty.
func cookie(secure bool, site http.SameSite) *http.Cookie {
	return &http.Cookie{Name: cookieName(secure), Path: "/", Secure: secure, HttpOnly: true, SameSite: site}
}

func (s *sessions) add(one session, now time.Time, c *http.Cookie) *http.Cookie {
	c.Value, c.Expires, c.MaxAge = rand.Text()+rand.Text(), one.until, int(one.until.Sub(now).Seconds())
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[[32]byte]session{}
	}
	for key, old := range s.open {
		if len(s.open) >= mostSessions || !now.Before(old.until) {
			delete(s.open, key)
		}
	}
	s.open[sha256.Sum256([]byte(c.Value))] = one
	return c
}

// of is the session of a request.
func (s *sessions) of(r *http.Request, now time.Time, secure bool) (session, bool) {
	c, err := r.Cookie(cookieName(secure))
	if err != nil {
		return session{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	one, ok := s.open[sha256.Sum256([]byte(c.Value))]
	return one, ok && now.Before(one.until)
}

// end closes the session of a request.
func (s *sessions) end(r *http.Request, secure bool) *http.Cookie {
	if c, err := r.Cookie(cookieName(secure)); err == nil {
		s.mu.Lock()
		delete(s.open, sha256.Sum256([]byte(c.Value)))
		s.mu.Unlock()
	}
	gone := cookie(secure, http.SameSiteStrictMode)
	gone.MaxAge = -1
	return gone
}
