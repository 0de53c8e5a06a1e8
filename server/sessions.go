package server

import (
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"sync"
	"time"

	"assay/tokens"
)

// sessions are browsers that showed a token. A cookie is sent to every port of a host, so
// what a browser keeps is not the token: it ends with the server, or after half a day.
type sessions struct {
	mu   sync.Mutex
	open map[[32]byte]session // by the digest of what the cookie holds
}

type session struct {
	token string // id
	until time.Time
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

// start opens a session for a token.
func (s *sessions) start(t tokens.Token, now time.Time, secure bool) *http.Cookie {
	text := rand.Text() + rand.Text()
	until := now.Add(sessionTime)
	if t.Expires.Before(until) {
		until = t.Expires
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[[32]byte]session{}
	}
	for key, one := range s.open {
		if len(s.open) >= mostSessions || !now.Before(one.until) {
			delete(s.open, key)
		}
	}
	s.open[sha256.Sum256([]byte(text))] = session{t.ID, until}
	return &http.Cookie{
		Name: cookieName(secure), Value: text, Path: "/", Expires: until, MaxAge: int(until.Sub(now).Seconds()),
		Secure: secure, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	}
}

// of is the id of the token of a request's session.
func (s *sessions) of(r *http.Request, now time.Time, secure bool) (id string, ok bool) {
	c, err := r.Cookie(cookieName(secure))
	if err != nil {
		return "", false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	one, ok := s.open[sha256.Sum256([]byte(c.Value))]
	return one.token, ok && now.Before(one.until)
}

// end closes the session of a request.
func (s *sessions) end(r *http.Request, secure bool) *http.Cookie {
	if c, err := r.Cookie(cookieName(secure)); err == nil {
		s.mu.Lock()
		delete(s.open, sha256.Sum256([]byte(c.Value)))
		s.mu.Unlock()
	}
	return &http.Cookie{Name: cookieName(secure), Path: "/", MaxAge: -1, Secure: secure, HttpOnly: true, SameSite: http.SameSiteStrictMode}
}
