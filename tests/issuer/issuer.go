// Package issuer is an OpenID Connect issuer on loopback for tests. It signs with real keys
// and checks what it is sent as RFC 6749, RFC 7636 and OpenID Connect Core demand, written
// without the libraries that the server uses. It can be told to lie. It is no part of the
// product.
package issuer

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"
)

// What the issuer knows the server by.
const (
	Client = "assay"
	Secret = "open-sesame-0123456789"
)

// An Issuer signs tokens and lets browsers in without a question.
type Issuer struct {
	t   testing.TB
	URL string
	Now func() time.Time // its clock, set before it is asked anything

	mu     sync.Mutex
	key    Key
	keys   []Key            // that it shows
	claims map[string]any   // of whoever signs in
	change func(claims)     // what it writes in place of the truth
	answer http.HandlerFunc // what it does in place of its work
	codes  map[string]grant // that it has given and nobody has used
	asked  map[string]int   // by path
}

type claims = map[string]any

// A grant is what was asked for when a code was given.
type grant struct{ nonce, challenge, redirect string }

// New starts an issuer that ends with the test.
func New(t testing.TB) *Issuer {
	i := &Issuer{t: t, codes: map[string]grant{}, asked: map[string]int{}, key: ECDSA("first"), Now: time.Now}
	i.keys = []Key{i.key}
	s := httptest.NewServer(i)
	i.URL = s.URL
	t.Cleanup(s.Close)
	return i
}

// SignsIn says what the issuer knows of whoever signs in next.
func (i *Issuer) SignsIn(c map[string]any) { i.set(func() { i.claims = c }) }

// Lies has it change what it signs for browsers; nil ends that.
func (i *Issuer) Lies(change func(map[string]any)) { i.set(func() { i.change = change }) }

// Answers has it answer everything in this way; nil ends that.
func (i *Issuer) Answers(h http.HandlerFunc) { i.set(func() { i.answer = h }) }

// Shows has it show these keys and sign with the first one.
func (i *Issuer) Shows(keys ...Key) { i.set(func() { i.key, i.keys = keys[0], keys }) }

func (i *Issuer) set(f func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	f()
}

// Asked is how often a path was asked for.
func (i *Issuer) Asked(path string) int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.asked[path]
}

// Token signs what is said of somebody, for the client, from now for five minutes; what
// is given counts in place of that, and nil leaves a claim out.
func (i *Issuer) Token(now time.Time, said map[string]any) string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.token(now, said)
}

func (i *Issuer) token(now time.Time, said claims) string {
	all := claims{"iss": i.URL, "aud": Client, "sub": "somebody", "iat": now.Unix(), "exp": now.Add(5 * time.Minute).Unix()}
	maps.Copy(all, said)
	maps.DeleteFunc(all, func(_ string, v any) bool { return v == nil })
	return i.key.Sign(claims{"typ": "JWT"}, all)
}

// ServeHTTP implements http.Handler.
func (i *Issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	i.asked[r.URL.Path]++
	answer := i.answer
	i.mu.Unlock()
	if answer != nil {
		answer(w, r)
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		i.write(w, http.StatusOK, claims{
			"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token", "jwks_uri": i.URL + "/keys",
			"id_token_signing_alg_values_supported": []string{"ES256", "RS256"}, "response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
		})
	case "/keys":
		var list []claims
		for _, k := range i.keys {
			list = append(list, k.JWK())
		}
		i.write(w, http.StatusOK, claims{"keys": list})
	case "/authorize":
		i.authorize(w, r)
	case "/token":
		i.redeem(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (i *Issuer) write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(v); err != nil {
		i.t.Error(err)
	}
}

// authorize gives a code for whoever comes.
func (i *Issuer) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("client_id") != Client || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" || q.Get("nonce") == "" || q.Get("state") == "" {
		http.Error(w, "want a code, a nonce, a state and PKCE", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	i.codes[code] = grant{q.Get("nonce"), q.Get("code_challenge"), q.Get("redirect_uri")}
	back := url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {i.URL}, "session_state": {"of no interest"}}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusSeeOther)
}

// redeem gives a token for a code: once, to whom it was given, with the verifier.
func (i *Issuer) redeem(w http.ResponseWriter, r *http.Request) {
	client, secret, _ := r.BasicAuth()
	g, known := i.codes[r.PostFormValue("code")]
	delete(i.codes, r.PostFormValue("code"))
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	switch {
	case client != Client || secret != Secret:
		i.write(w, http.StatusUnauthorized, claims{"error": "invalid_client"})
	case !known || g.redirect != r.PostFormValue("redirect_uri") || g.challenge != encoded(sum[:]):
		i.write(w, http.StatusBadRequest, claims{"error": "invalid_grant", "error_description": "the secret is " + secret})
	default:
		said := maps.Clone(i.claims)
		if said == nil {
			said = claims{}
		}
		said["nonce"] = g.nonce
		if i.change != nil {
			i.change(said)
		}
		answer := claims{"access_token": rand.Text(), "token_type": "Bearer", "expires_in": 300}
		if said["id_token"] == nil {
			answer["id_token"] = i.token(i.Now(), said)
		} else {
			answer["id_token"] = said["id_token"] // whatever it is
		}
		i.write(w, http.StatusOK, answer)
	}
}

// A Key signs tokens.
type Key struct {
	ID, Algorithm string
	Use           string // sig unless it is given
	private       crypto.Signer
}

// ECDSA makes a key for ES256.
func ECDSA(id string) Key {
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // the curve is a constant
	}
	return Key{ID: id, Algorithm: "ES256", private: k}
}

// RSA makes a key for RS256.
func RSA(id string, bits int) (Key, error) {
	k, err := rsa.GenerateKey(rand.Reader, bits)
	return Key{ID: id, Algorithm: "RS256", private: k}, err
}

// Public is the half that everybody knows.
func (k Key) Public() crypto.PublicKey { return k.private.Public() }

// JWK is that half as issuers show it.
func (k Key) JWK() map[string]any {
	use := k.Use
	if use == "" {
		use = "sig"
	}
	m := claims{"kid": k.ID, "alg": k.Algorithm, "use": use}
	switch p := k.Public().(type) {
	case *ecdsa.PublicKey:
		point, err := p.Bytes()
		if err != nil {
			panic(err) // the key is ours
		}
		m["kty"], m["crv"], m["x"], m["y"] = "EC", "P-256", encoded(point[1:33]), encoded(point[33:])
	case *rsa.PublicKey:
		m["kty"], m["n"], m["e"] = "RSA", encoded(p.N.Bytes()), encoded(big.NewInt(int64(p.E)).Bytes())
	}
	return m
}

// Sign makes a token with a header and claims. A header counts in place of the key's own.
func (k Key) Sign(header, said map[string]any) string {
	head := claims{"alg": k.Algorithm, "kid": k.ID}
	maps.Copy(head, header)
	text := Part(head) + "." + Part(said)
	sum := sha256.Sum256([]byte(text))
	var signature []byte
	var err error
	switch p := k.private.(type) {
	case *ecdsa.PrivateKey:
		var r, s *big.Int
		r, s, err = ecdsa.Sign(rand.Reader, p, sum[:])
		if err == nil {
			signature = append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
		}
	case *rsa.PrivateKey:
		signature, err = rsa.SignPKCS1v15(rand.Reader, p, crypto.SHA256, sum[:])
	}
	if err != nil {
		panic(err) // the key is ours
	}
	return text + "." + encoded(signature)
}

// Part is a part of a token.
func Part(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // it is a map of texts and numbers
	}
	return encoded(data)
}

func encoded(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }
