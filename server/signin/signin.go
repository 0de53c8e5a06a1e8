// Package signin lets in who is known to an OpenID Connect issuer: people, by way of
// their browser, and programs, by a token that the issuer signed for this server.
//
// Who they are is the issuer's word; what they may do is decided here, by rules over
// what the issuer says of them (rules.go). Whoever is let in becomes a tokens.Token, as
// those have who show a token of assay. The package knows issuers and their answers. It
// does not know cookies, sessions and pages (package server).
//
// docs/design/0050-sign-in.md says why it is built this way.
package signin

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"assay/secret"
	"assay/tokens"
	"assay/visible"
)

// The ways in which somebody is refused.
var (
	ErrInvalid    = errors.New("the token is not valid here")
	ErrNotAllowed = errors.New("no rule of the server lets this account in")
	ErrAway       = errors.New("the issuer cannot be reached: try again in a while, or use a token of assay token new")
	ErrBroken     = errors.New("the sign-in was not completed")
)

// Status is the HTTP status of a refusal, also of those of package tokens.
func Status(err error) int {
	switch {
	case errors.Is(err, ErrInvalid), errors.Is(err, ErrBroken):
		return http.StatusUnauthorized
	case errors.Is(err, ErrNotAllowed):
		return http.StatusForbidden
	case errors.Is(err, ErrAway):
		return http.StatusServiceUnavailable
	}
	return tokens.Status(err)
}

// Options tune how issuers are asked. The zero value is ready to use.
type Options struct {
	// Patience is how long an issuer may take to answer. Zero means 10 s.
	Patience time.Duration

	// Log hears of issuers that cannot be reached. Nil means that nobody does.
	Log *slog.Logger
}

// Issuers are those whose word counts. A nil one has none.
type Issuers struct {
	url       string // of this server, as browsers know it; empty where only programs sign in
	providers []*provider
	begun     begun
}

// New makes the issuers of a file. It asks none of them: a server starts also while they
// are away.
func New(s Settings, o Options) *Issuers {
	if o.Patience == 0 {
		o.Patience = 10 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	all := &Issuers{url: strings.TrimSuffix(s.URL, "/")}
	for _, one := range s.Issuers {
		all.providers = append(all.providers, &provider{Issuer: one, client: client(o.Patience), log: o.Log})
	}
	return all
}

// Secure reports whether browsers reach the server over TLS, also where a proxy ends it.
func (s *Issuers) Secure() bool { return s != nil && strings.HasPrefix(s.url, "https:") }

// URL is where browsers reach the server; empty where nobody signs in with one.
func (s *Issuers) URL() string { return s.url }

// Names are the issuers with which people can sign in.
func (s *Issuers) Names() (names []string) {
	if s == nil {
		return nil
	}
	for _, p := range s.providers {
		if p.Client != "" {
			names = append(names, p.Name)
		}
	}
	return names
}

// Knows reports whether an id is of somebody whom one of the issuers vouched for.
func (s *Issuers) Knows(id string) bool {
	at := strings.LastIndex(id, "-")
	return at > 0 && s.named(id[:at]) != nil
}

func (s *Issuers) named(name string) *provider {
	if s == nil {
		return nil
	}
	for _, p := range s.providers {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Reach asks every issuer about itself, so that the log says at the start which of them
// cannot be reached.
func (s *Issuers) Reach(ctx context.Context, now time.Time) {
	if s == nil {
		return
	}
	for _, p := range s.providers {
		p.about(ctx, nil, now) // what goes wrong is in the log
	}
}

// IsToken reports whether text looks like what an issuer signs: three parts with dots
// between them, which tokens of assay have not.
func IsToken(text string) bool {
	return strings.Count(text, ".") == 2 && !strings.HasPrefix(text, "assay_")
}

// Check finds who a token of an issuer is about, and what they may do.
func (s *Issuers) Check(ctx context.Context, text string, now time.Time) (tokens.Token, error) {
	from, err := issuerOf(text)
	if err != nil {
		return tokens.Token{}, err
	}
	for _, p := range s.providers {
		if p.Address == from && p.Audience != "" {
			claims, err := p.verified(ctx, text, p.Audience, now)
			if err != nil {
				return tokens.Token{}, err
			}
			return p.admit(claims)
		}
	}
	return tokens.Token{}, fmt.Errorf("%w: it was issued by %s, whose tokens are not taken", ErrInvalid, shown(from))
}

// issuerOf is the issuer that a token names, which may be a lie: it only says whose keys
// to look at.
func issuerOf(text string) (string, error) {
	_, rest, _ := strings.Cut(text, ".")
	payload, _, _ := strings.Cut(rest, ".")
	data, err := base64.RawURLEncoding.DecodeString(payload)
	var named struct {
		Issuer string `json:"iss"`
	}
	if err != nil || json.Unmarshal(data, &named) != nil || named.Issuer == "" {
		return "", fmt.Errorf("%w: it names no issuer", ErrInvalid)
	}
	return named.Issuer, nil
}

// shown is a stranger's text as an error may quote it.
func shown(text string) string { return visible.Line(secret.Head(text, 200)) }

// safe refuses addresses on whose way others can read or change what is said.
func safe(u *url.URL) error {
	if u.Host == "" || u.User != nil || u.Scheme != "https" && !(u.Scheme == "http" && secret.Loopback(u.Hostname())) {
		return fmt.Errorf("%s: want an address with https; http is for loopback alone", shown(u.Redacted()))
	}
	return nil
}
