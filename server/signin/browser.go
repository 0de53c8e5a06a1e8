package signin

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"assay/secret"
	"assay/tokens"
)

// BrowserTime is how long somebody may take to sign in at the issuer.
const BrowserTime = 10 * time.Minute

// mostBegun is how many may be about to sign in.
const mostBegun = 10_000

// begun are sign-ins that browsers began. Each can be completed once.
type begun struct {
	mu   sync.Mutex
	open map[[32]byte]attempt // by the digest of what the browser holds
}

// An attempt is what must come back with a browser, and what the issuer must repeat.
type attempt struct {
	issuer, state, nonce, verifier, next string
	until                                time.Time
}

func (b *begun) add(key string, a attempt, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open == nil {
		b.open = map[[32]byte]attempt{}
	}
	for one, old := range b.open {
		if len(b.open) >= mostBegun || !now.Before(old.until) {
			delete(b.open, one)
		}
	}
	b.open[sha256.Sum256([]byte(key))] = a
}

// take gives an attempt to the one who completes it.
func (b *begun) take(key string, now time.Time) (attempt, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	sum := sha256.Sum256([]byte(key))
	a, ok := b.open[sum]
	delete(b.open, sum)
	return a, ok && now.Before(a.until)
}

// Begin gives the address to which a browser goes to sign in, and what it must hold when
// it comes back. Next is where it goes then, which the caller has found to be its own.
func (s *Issuers) Begin(ctx context.Context, name, next string, now time.Time) (address, key string, err error) {
	p := s.named(name)
	if p == nil || p.Client == "" {
		return "", "", fmt.Errorf("%w: nobody signs in with %s here", ErrBroken, shown(name))
	}
	a, err := p.about(ctx, nil, now)
	if err != nil {
		return "", "", err
	}
	one := attempt{issuer: p.Name, state: rand.Text(), nonce: rand.Text(), verifier: oauth2.GenerateVerifier(), next: next, until: now.Add(BrowserTime)}
	key = rand.Text() + rand.Text()
	s.begun.add(key, one, now)
	return s.exchange(p, a).AuthCodeURL(one.state, oidc.Nonce(one.nonce), oauth2.S256ChallengeOption(one.verifier)), key, nil
}

// exchange is how this server speaks to an issuer about somebody. Each issuer sends people
// back to an address of its own, so that none can answer for another.
func (s *Issuers) exchange(p *provider, a *about) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.Client, ClientSecret: p.secret, Endpoint: a.endpoint, RedirectURL: s.url + "/login/" + p.Name + "/callback",
		Scopes: append([]string{oidc.ScopeOpenID, oidc.ScopeProfile, oidc.ScopeEmail}, p.Scopes...),
	}
}

// Finish is called when a browser comes back from the issuer of a name, with what it holds
// and what stands in its address. It finds who it is, and where they wanted to go.
func (s *Issuers) Finish(ctx context.Context, name, key string, query url.Values, now time.Time) (who tokens.Token, next string, err error) {
	one, ok := s.begun.take(key, now)
	p := s.named(name)
	switch {
	case !ok || p == nil || one.issuer != name || subtle.ConstantTimeCompare([]byte(one.state), []byte(query.Get("state"))) != 1:
		return who, "", fmt.Errorf("%w: it was not begun in this browser, took longer than ten minutes or is over already; sign in again", ErrBroken)
	case query.Has("iss") && query.Get("iss") != p.Address:
		return who, "", fmt.Errorf("%w: %s answered in place of %s", ErrBroken, shown(query.Get("iss")), p.Name)
	case query.Get("error") != "":
		return who, "", fmt.Errorf("%w: %s says %s %s", ErrBroken, p.Name, shown(query.Get("error")), shown(query.Get("error_description")))
	case query.Get("code") == "":
		return who, "", fmt.Errorf("%w: %s sent no code", ErrBroken, p.Name)
	}
	said, err := s.redeem(ctx, p, one, query.Get("code"), now)
	if err != nil {
		return who, "", err
	}
	who, err = p.admit(said)
	return who, one.next, err
}

// redeem exchanges a code for what the issuer says of whoever brought it.
func (s *Issuers) redeem(ctx context.Context, p *provider, one attempt, code string, now time.Time) (claims, error) {
	a, err := p.about(ctx, nil, now)
	if err != nil {
		return claims{}, err
	}
	answer, err := s.exchange(p, a).Exchange(oidc.ClientContext(ctx, p.client), code, oauth2.VerifierOption(one.verifier))
	if err != nil {
		return claims{}, p.notRedeemed(err)
	}
	text, _ := answer.Extra("id_token").(string)
	said, err := p.verified(ctx, text, p.Client, now)
	if err != nil {
		return claims{}, err
	}
	if subtle.ConstantTimeCompare([]byte(said.nonce), []byte(one.nonce)) != 1 {
		return claims{}, fmt.Errorf("%w: the token of %s belongs to another sign-in", ErrBroken, p.Name)
	}
	if party, there := said.all["azp"]; there && party != p.Client {
		return claims{}, fmt.Errorf("%w: the token of %s was made for another program", ErrBroken, p.Name)
	}
	return said, nil
}

// notRedeemed says why a code was not taken. What an issuer answers beyond a word for it
// is for nobody: it may repeat what it was sent.
func (p *provider) notRedeemed(err error) error {
	var answered *oauth2.RetrieveError
	if errors.As(err, &answered) {
		p.log.Warn("an issuer did not take a code", "issuer", p.Address, "status", answered.Response.Status, "error", shown(answered.ErrorCode))
		return fmt.Errorf("%w: %s did not take the code (%s)", ErrBroken, p.Name, shown(answered.ErrorCode))
	}
	p.log.Warn("an issuer did not answer to a code", "issuer", p.Address, "error", secret.Head(err.Error(), 500))
	return fmt.Errorf("%s: %w", p.Name, ErrAway)
}
