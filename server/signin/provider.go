package signin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"golang.org/x/oauth2"

	"assay/secret"
)

// A provider is an issuer with what it said about itself when it was last asked: where
// people sign in, and with which keys it signs.
type provider struct {
	Issuer
	client *http.Client
	log    *slog.Logger

	mu     sync.Mutex
	last   *about        // nil before it has answered
	asked  time.Time     // when it was last asked
	fault  error         // what was wrong then
	asking chan struct{} // closed when it has answered; nil while nobody asks
}

const (
	// fresh is how long an answer counts. A key that the issuer has withdrawn is believed
	// no longer than that.
	fresh = time.Hour

	// stale is how long it counts while the issuer cannot be reached.
	stale = 24 * time.Hour

	// pause is how long nobody asks again: tokens that name keys which there are not must
	// not make this server a nuisance to the issuer.
	pause = 10 * time.Second
)

// An about is what an issuer says about itself.
type about struct {
	at       time.Time
	keys     keySet
	endpoint oauth2.Endpoint
}

// about is what the issuer says about itself. With an answer that was not enough, for want
// of a key, it is a newer one, or nil where there is none yet.
func (p *provider) about(ctx context.Context, not *about, now time.Time) (*about, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	usable := func() bool { return p.last != nil && p.last != not && now.Sub(p.last.at) < stale }
	justAsked := p.asking == nil && now.Sub(p.asked) < pause
	switch {
	case usable() && (now.Sub(p.last.at) < fresh || p.asking != nil || justAsked):
		return p.last, nil
	case justAsked:
		return nil, p.fault
	case p.asking != nil:
		if err := p.wait(ctx); err != nil {
			return nil, err
		}
	default:
		p.renew(ctx, now)
	}
	if usable() {
		return p.last, nil
	}
	return nil, p.fault
}

// wait waits, unlocked, for whoever asks the issuer.
func (p *provider) wait(ctx context.Context) error {
	asking := p.asking
	p.mu.Unlock()
	defer p.mu.Lock()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-asking:
		return nil
	}
}

// renew asks the issuer, unlocked, and keeps what it says. Whoever hangs up meanwhile does
// not spoil it for those who wait.
func (p *provider) renew(ctx context.Context, now time.Time) {
	p.asked, p.asking = now, make(chan struct{})
	p.mu.Unlock()
	next, err := p.ask(context.WithoutCancel(ctx), now)
	p.mu.Lock()
	close(p.asking)
	p.asking, p.fault = nil, nil
	if err != nil {
		p.log.Warn("an issuer cannot be reached: nobody can sign in with it until it can", "issuer", p.Address, "error", secret.Head(err.Error(), 500))
		p.fault = fmt.Errorf("%s: %w", p.Name, ErrAway)
		return
	}
	p.last = next
}

// ask asks the issuer about itself and for its keys.
func (p *provider) ask(ctx context.Context, now time.Time) (*about, error) {
	ctx = oidc.ClientContext(ctx, p.client)
	found, err := oidc.NewProvider(ctx, p.Address)
	if err != nil {
		return nil, err
	}
	var more struct {
		Keys    string   `json:"jwks_uri"`
		Methods []string `json:"token_endpoint_auth_methods_supported"`
	}
	if err := found.Claims(&more); err != nil {
		return nil, err
	}
	a := &about{at: now, endpoint: found.Endpoint()}
	if p.Client != "" {
		u, err := url.Parse(a.endpoint.AuthURL)
		if err != nil {
			return nil, err
		}
		if err := safe(u); err != nil {
			return nil, fmt.Errorf("authorization_endpoint: %w", err)
		}
	}
	// Tried out, a wrong way would use the code up.
	a.endpoint.AuthStyle = oauth2.AuthStyleInHeader
	if p.secret == "" || len(more.Methods) > 0 && !slices.Contains(more.Methods, "client_secret_basic") {
		a.endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	a.keys, err = fetchKeys(ctx, p.client, more.Keys)
	return a, err
}

// claims are what an issuer says of somebody.
type claims struct {
	subject         string
	nonce           string
	issued, expires time.Time
	all             map[string]any // numbers as json.Number
}

// verified reads a token that the issuer signed for an audience.
func (p *provider) verified(ctx context.Context, text, audience string, now time.Time) (claims, error) {
	signed, err := jose.ParseSignedCompact(text, algorithms)
	if err != nil {
		return claims{}, invalid(err)
	}
	a, err := p.about(ctx, nil, now)
	if err != nil {
		return claims{}, err
	}
	if kid := signed.Signatures[0].Header.KeyID; !a.keys.has(kid) {
		newer, err := p.about(ctx, a, now)
		if err != nil {
			return claims{}, err
		}
		if newer == nil || !newer.keys.has(kid) {
			return claims{}, fmt.Errorf("%w: %s has no key %s", ErrInvalid, p.Name, shown(kid))
		}
		a = newer
	}
	verifier := oidc.NewVerifier(p.Address, a.keys, &oidc.Config{ClientID: audience, SupportedSigningAlgs: algorithmNames, Now: func() time.Time { return now }})
	token, err := verifier.Verify(ctx, text)
	if err != nil {
		return claims{}, invalid(err)
	}
	if token.IssuedAt.After(now.Add(skew)) {
		return claims{}, invalid(errors.New("it was issued in the future"))
	}
	c := claims{subject: token.Subject, nonce: token.Nonce, issued: token.IssuedAt, expires: token.Expiry}
	var raw json.RawMessage
	if err := token.Claims(&raw); err != nil {
		return claims{}, invalid(err)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&c.all); err != nil {
		return claims{}, invalid(err)
	}
	return c, nil
}

// skew is how far the clock of an issuer may be ahead, as the library allows it too.
const skew = 5 * time.Minute

// invalid says what is wrong with a token. No text of it is an answer of the issuer.
func invalid(err error) error {
	return fmt.Errorf("%w: %s", ErrInvalid, shown(strings.ReplaceAll(err.Error(), "oidc: ", "")))
}
