package signin

import (
	"context"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"

	"assay/intake"
)

// algorithms are those by which tokens may be signed: with a key that the issuer alone
// has. Those that need none, or one that both sides know, are not among them.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

var algorithmNames = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.EdDSA,
}

// A keySet is the public keys of an issuer.
type keySet []jose.JSONWebKey

var _ oidc.KeySet = keySet(nil)

// VerifySignature implements oidc.KeySet.
func (s keySet) VerifySignature(_ context.Context, text string) ([]byte, error) {
	signed, err := jose.ParseSignedCompact(text, algorithms)
	if err != nil {
		return nil, err
	}
	head := signed.Signatures[0].Header
	for _, key := range s {
		if head.KeyID != "" && key.KeyID != head.KeyID || key.Algorithm != "" && key.Algorithm != head.Algorithm {
			continue
		}
		if payload, err := signed.Verify(key.Key); err == nil {
			return payload, nil
		}
	}
	return nil, errors.New("no key of the issuer made it")
}

// has reports whether a key of this id is there. A token that names none is tried with all.
func (s keySet) has(id string) bool {
	return id == "" || slices.ContainsFunc(s, func(key jose.JSONWebKey) bool { return key.KeyID == id })
}

const (
	mostAnswer = 1 << 20 // bytes of an answer of an issuer
	mostKeys   = 100
	leastBits  = 2048 // of an RSA key, as RFC 7518 demands
)

// fetchKeys asks an issuer for its keys. Those that do not sign, or that nobody here
// understands, are passed over.
func fetchKeys(ctx context.Context, client *http.Client, address string) (keySet, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("jwks_uri: %w", err)
	}
	answer, err := client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("jwks_uri: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("jwks_uri: %s answered %s", shown(address), answer.Status)
	}
	var list struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&list); err != nil {
		return nil, fmt.Errorf("jwks_uri: %w", err)
	}
	if len(list.Keys) > mostKeys {
		return nil, fmt.Errorf("jwks_uri: %d keys, want at most %d", len(list.Keys), mostKeys)
	}
	var keys keySet
	for _, one := range list.Keys {
		var key jose.JSONWebKey
		if json.Unmarshal(one, &key) == nil && signs(key) {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("jwks_uri: %s has no key by which tokens can be verified", shown(address))
	}
	return keys, nil
}

// signs reports whether tokens are believed that were signed with the other half of a key.
func signs(key jose.JSONWebKey) bool {
	if r, ok := key.Key.(*rsa.PublicKey); ok && r.N.BitLen() < leastBits {
		return false
	}
	return key.IsPublic() && key.Valid() && (key.Use == "" || key.Use == "sig")
}

// client asks issuers: within a time, without more of an answer than a discovery document
// or a set of keys has, over TLS unless it is loopback, and nowhere that it is sent on to.
func client(patience time.Duration) *http.Client {
	next := http.DefaultTransport.(*http.Transport).Clone()
	next.MaxResponseHeaderBytes = 64 << 10
	return &http.Client{
		Timeout: patience, Transport: bounded{next},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("it leads elsewhere: name the address that answers")
		},
	}
}

// bounded is a transport with those limits.
type bounded struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := safe(r.URL); err != nil {
		if r.Body != nil {
			r.Body.Close() // nothing was read of it
		}
		return nil, err
	}
	answer, err := b.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	answer.Body = struct {
		io.Reader
		io.Closer
	}{intake.Bounded(r.URL.Host, answer.Body, mostAnswer), answer.Body}
	return answer, nil
}
