// Package tokens says who may ask a service of assay for what. A token has one scope and
// an end; it is shown once, when it is made, and only its hash is kept.
//
// The file is read again whenever it changed, so a token that is made or revoked counts
// at once, without a restart. The package knows tokens and requests that carry them. It
// does not know what a scope is needed for (package server), nor cookies.
package tokens

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A Scope is what a token allows. Each one allows what those before it do.
type Scope string

// The scopes.
const (
	Read  Scope = "read"  // look at everything, change nothing
	Write Scope = "write" // add bundles, and decide about alerts
	Run   Scope = "run"   // have the server carry runs out, where it does that
	Admin Scope = "admin" // decide about runs, and end those of others
)

// Scopes lists them, the smallest first.
var Scopes = []Scope{Read, Write, Run, Admin}

// Covers reports whether s allows what want asks for. A scope that is not listed allows
// nothing.
func (s Scope) Covers(want Scope) bool {
	have, need := slices.Index(Scopes, s), slices.Index(Scopes, want)
	return have >= 0 && need >= 0 && have >= need
}

// A Token is what is kept of one.
type Token struct {
	ID      string    `json:"id"`   // first part of the token; no secret
	Name    string    `json:"name"` // who or what uses it
	Scope   Scope     `json:"scope"`
	Hash    string    `json:"sha256"` // of the whole token
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires"`
}

// The ways in which a request can be refused.
var (
	ErrNone    = errors.New("no token: send it as Authorization: Bearer TOKEN (assay token new makes one)")
	ErrUnknown = errors.New("unknown token: it was mistyped, revoked or made for another service")
	ErrExpired = errors.New("the token has expired: make a new one with assay token new")
	ErrScope   = errors.New("the token's scope does not cover this")
)

// prefix makes tokens easy to find where they do not belong, as scanners of secrets do.
const prefix = "assay_"

// longest is the longest name of a token.
const longest = 100

// New makes a token that counts from now for the given time. The secret is the token
// itself, which is not kept anywhere.
func New(name string, scope Scope, now time.Time, lasts time.Duration) (secret string, t Token, err error) {
	switch {
	case !slices.Contains(Scopes, scope):
		return "", t, fmt.Errorf("scope %q: want read, write, run or admin", scope)
	case strings.TrimSpace(name) == "" || len(name) > longest:
		return "", t, fmt.Errorf("name %q: want 1 to %d letters that say who uses the token", name, longest)
	case lasts <= 0:
		return "", t, fmt.Errorf("time %v: want more than nothing", lasts)
	}
	// 256 random bits cannot be guessed, so a plain hash of them is enough: slow ones are
	// for what people think up.
	var bits [40]byte
	rand.Read(bits[:]) // it never fails
	id := hex.EncodeToString(bits[:8])
	secret = prefix + id + "_" + base64.RawURLEncoding.EncodeToString(bits[8:])
	return secret, Token{ID: id, Name: name, Scope: scope, Hash: hash(secret), Created: now.UTC(), Expires: now.Add(lasts).UTC()}, nil
}

func hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// idOf is the id in a token that looks like one.
func idOf(secret string) (string, bool) {
	rest, ok := strings.CutPrefix(secret, prefix)
	id, _, cut := strings.Cut(rest, "_")
	return id, ok && cut && len(secret) <= 200
}

// Check finds the token of a secret.
func (f *File) Check(secret string, now time.Time) (Token, error) {
	id, ok := idOf(secret)
	if !ok {
		return Token{}, ErrUnknown
	}
	list, err := f.List()
	if err != nil {
		return Token{}, err
	}
	for _, t := range list {
		if t.ID != id {
			continue
		}
		if subtle.ConstantTimeCompare([]byte(t.Hash), []byte(hash(secret))) != 1 {
			return Token{}, ErrUnknown
		}
		return t, t.current(now)
	}
	return Token{}, ErrUnknown
}

// Current finds the token with an id that was checked before, such as that of a session.
func (f *File) Current(id string, now time.Time) (Token, error) {
	list, err := f.List()
	if err != nil {
		return Token{}, err
	}
	for _, t := range list {
		if t.ID == id {
			return t, t.current(now)
		}
	}
	return Token{}, ErrUnknown
}

func (t Token) current(now time.Time) error {
	if !now.Before(t.Expires) {
		return ErrExpired
	}
	return nil
}

// Bearer is what a request carries in its Authorization header.
func Bearer(r *http.Request) (string, error) {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return "", ErrNone
	}
	kind, secret, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(kind, "Bearer") {
		return "", ErrNone
	}
	return strings.TrimSpace(secret), nil
}

// Authenticate finds the token that a request carries in its Authorization header, and
// refuses one whose scope does not cover want.
func (f *File) Authenticate(r *http.Request, want Scope, now time.Time) (Token, error) {
	secret, err := Bearer(r)
	if err != nil {
		return Token{}, err
	}
	t, err := f.Check(secret, now)
	if err != nil {
		return Token{}, err
	}
	return t, t.Allowed(want)
}

// Allowed refuses what the token's scope does not cover.
func (t Token) Allowed(want Scope) error {
	if !t.Scope.Covers(want) {
		return fmt.Errorf("%w: it is %s, and %s is wanted", ErrScope, t.Scope, want)
	}
	return nil
}

// Status is the HTTP status of a refusal.
func Status(err error) int {
	switch {
	case errors.Is(err, ErrScope):
		return http.StatusForbidden
	case errors.Is(err, ErrNone), errors.Is(err, ErrUnknown), errors.Is(err, ErrExpired):
		return http.StatusUnauthorized
	}
	return http.StatusInternalServerError
}
