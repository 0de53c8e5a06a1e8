package signin

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/tests/issuer"
	"assay/tokens"
)

var noon = time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const here = "https://bench.example.com"

// asked are settings with one issuer, whose group perf may write.
func asked(i *issuer.Issuer, rules ...Rule) Settings {
	if rules == nil {
		rules = []Rule{{Match: map[string]any{"groups": "perf"}, Scope: tokens.Write}}
	}
	return Settings{URL: here, Issuers: []Issuer{{Name: "Lab", Address: i.URL, Client: issuer.Client, Audience: issuer.Client, Allow: rules, secret: issuer.Secret}}}
}

func opened(i *issuer.Issuer, rules ...Rule) *Issuers { return New(asked(i, rules...), Options{}) }

// said is what the issuer says of somebody of the group, with changes.
func said(change map[string]any) map[string]any {
	all := map[string]any{"groups": []string{"staff", "perf"}, "preferred_username": "maria"}
	maps.Copy(all, change)
	return all
}

// Tokens of programs: what is signed for this server, in time, with a key of the issuer is
// taken, and nothing else.
func TestCheck(t *testing.T) {
	i := issuer.New(t)
	signer, stranger := issuer.ECDSA("first"), issuer.ECDSA("first") // a stranger gives its key the same name
	sealing := issuer.ECDSA("sealing")
	sealing.Use = "enc"
	rsaKey, err := issuer.RSA("rsa", 2048)
	must(t, err)
	weak, err := issuer.RSA("weak", 1024)
	must(t, err)
	i.Shows(signer, rsaKey, sealing, weak)
	s := opened(i)
	full := func(change map[string]any) map[string]any {
		all := said(map[string]any{"iss": i.URL, "aud": issuer.Client, "sub": "7", "iat": noon.Unix(), "exp": noon.Add(time.Minute).Unix()})
		maps.Copy(all, change)
		return all
	}
	der, err := x509.MarshalPKIXPublicKey(rsaKey.Public())
	must(t, err)
	shown, err := json.Marshal(rsaKey.JWK())
	must(t, err)
	good := signer.Sign(nil, full(nil))
	parts := strings.Split(good, ".")
	tests := []struct {
		name, token string
		want        error
	}{
		{"ES256", good, nil},
		{"RS256", rsaKey.Sign(nil, full(nil)), nil},
		{"one audience of several", i.Token(noon, said(map[string]any{"aud": []string{"other", issuer.Client}})), nil},
		{"no name of a key", signer.Sign(map[string]any{"kid": ""}, full(nil)), nil},
		{"the last moment", i.Token(noon, said(map[string]any{"exp": noon.Unix()})), nil},
		{"a clock that is ahead", i.Token(noon, said(map[string]any{"nbf": noon.Add(time.Minute).Unix(), "iat": noon.Add(time.Minute).Unix()})), nil},

		{"another issuer", i.Token(noon, said(map[string]any{"iss": "https://evil.example"})), ErrInvalid},
		{"an issuer that is almost ours", i.Token(noon, said(map[string]any{"iss": i.URL + "/"})), ErrInvalid},
		{"no issuer", i.Token(noon, said(map[string]any{"iss": nil})), ErrInvalid},
		{"a key of somebody else by the same name", stranger.Sign(nil, full(nil)), ErrInvalid},
		{"a key of somebody else in the header", stranger.Sign(map[string]any{"jwk": stranger.JWK()}, full(nil)), ErrInvalid},
		{"a key at an address in the header", stranger.Sign(map[string]any{"jku": "http://127.0.0.1:1/keys"}, full(nil)), ErrInvalid},
		{"a key that there is not", signer.Sign(map[string]any{"kid": "second"}, full(nil)), ErrInvalid},
		{"another key than it names", signer.Sign(map[string]any{"kid": "rsa", "alg": "ES256"}, full(nil)), ErrInvalid},
		{"a key that only seals", sealing.Sign(nil, full(nil)), ErrInvalid},
		{"a key that is too short", weak.Sign(nil, full(nil)), ErrInvalid},
		{"another algorithm than the key's", signer.Sign(map[string]any{"alg": "RS256"}, full(nil)), ErrInvalid},
		{"another audience", i.Token(noon, said(map[string]any{"aud": "other"})), ErrInvalid},
		{"no audience", i.Token(noon, said(map[string]any{"aud": nil})), ErrInvalid},
		{"expired", i.Token(noon, said(map[string]any{"exp": noon.Add(-time.Second).Unix()})), ErrInvalid},
		{"without an end", i.Token(noon, said(map[string]any{"exp": nil})), ErrInvalid},
		{"an end that is no time", i.Token(noon, said(map[string]any{"exp": "never"})), ErrInvalid},
		{"not yet", i.Token(noon, said(map[string]any{"nbf": noon.Add(time.Hour).Unix()})), ErrInvalid},
		{"from the future", i.Token(noon, said(map[string]any{"iat": noon.Add(time.Hour).Unix()})), ErrInvalid},
		{"no algorithm", issuer.Part(map[string]any{"alg": "none"}) + "." + parts[1] + ".", ErrInvalid},
		{"no algorithm, in other letters", issuer.Part(map[string]any{"alg": "nOnE"}) + "." + parts[1] + ".", ErrInvalid},
		{"no signature", parts[0] + "." + parts[1] + ".", ErrInvalid},
		{"HS256 with the public key as PEM", hmacSigned("rsa", full(nil), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})), ErrInvalid},
		{"HS256 with the public key as DER", hmacSigned("rsa", full(nil), der), ErrInvalid},
		{"HS256 with the public key as JSON", hmacSigned("rsa", full(nil), shown), ErrInvalid},
		{"other claims under the signature", parts[0] + "." + issuer.Part(full(map[string]any{"sub": "8"})) + "." + parts[2], ErrInvalid},
		{"a header that must be understood", signer.Sign(map[string]any{"crit": []string{"x"}, "x": 1}, full(nil)), ErrInvalid},
		{"no text", "..", ErrInvalid},
		{"no JSON", "e30.e30.e30", ErrInvalid},
		{"nobody", i.Token(noon, said(map[string]any{"sub": ""})), ErrInvalid},
		{"not of the group", i.Token(noon, said(map[string]any{"groups": []string{"staff"}})), ErrNotAllowed},
		{"of no group", i.Token(noon, said(map[string]any{"groups": nil})), ErrNotAllowed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			who, err := s.Check(t.Context(), tt.token, noon)
			if !errors.Is(err, tt.want) {
				t.Fatalf("got %v, %v, want %v", who, err, tt.want)
			}
			if err == nil && (who.Scope != tokens.Write || who.Name != "maria (Lab)" || !strings.HasPrefix(who.ID, "Lab-") || !s.Knows(who.ID)) {
				t.Errorf("got %+v", who)
			}
			if err != nil && tt.token != "" && strings.Contains(err.Error(), tt.token) {
				t.Errorf("the error holds the token: %v", err)
			}
		})
	}
	if s.Knows("0011223344556677") || s.Knows("Other-0011223344556677") {
		t.Error("knows whom no issuer vouched for")
	}
}

// hmacSigned is a token signed with a secret, in place of which the public key is taken.
func hmacSigned(kid string, said map[string]any, secret []byte) string {
	text := issuer.Part(map[string]any{"alg": "HS256", "kid": kid}) + "." + issuer.Part(said)
	mac := hmac.New(sha256.New, secret)
	io.WriteString(mac, text) // it never fails
	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// A token that is no text of dots between base64 is refused before an issuer is asked.
func TestCheckOtherForms(t *testing.T) {
	i := issuer.New(t)
	s := opened(i)
	parts := strings.Split(i.Token(noon, said(nil)), ".")
	whole := `{"protected":"` + parts[0] + `","payload":"` + parts[1] + `","signature":"` + parts[2] + `"}`
	for _, text := range []string{whole, "." + whole + ".", strings.Join(parts, ". "), parts[0] + "..." + parts[1]} {
		if _, err := s.Check(t.Context(), text, noon); !errors.Is(err, ErrInvalid) {
			t.Errorf("%.60s: %v", text, err)
		}
	}
	if IsToken("assay_0011.22_33.44") || IsToken("assay_0011_22") || !IsToken("a.b.c") {
		t.Error("tokens of ours and of issuers are mixed up")
	}
}

// A new key counts at once, one that was withdrawn no longer than an hour, and keys that
// there are not make nobody ask the issuer all the time.
func TestRotation(t *testing.T) {
	i := issuer.New(t)
	s := opened(i)
	check := func(token string, now time.Time) error {
		_, err := s.Check(t.Context(), token, now)
		return err
	}
	later := func(d time.Duration) map[string]any {
		return said(map[string]any{"exp": noon.Add(d + time.Hour).Unix()})
	}
	before := i.Token(noon, later(2*time.Hour))
	must(t, check(before, noon))
	i.Shows(issuer.ECDSA("second"))
	after := i.Token(noon, later(2*time.Hour))
	must(t, check(after, noon.Add(pause)))
	if err := check(before, noon.Add(pause)); !errors.Is(err, ErrInvalid) {
		t.Errorf("the old key, once the new one was seen: %v", err)
	}
	asked := i.Asked("/keys")
	unknown := issuer.ECDSA("nobody's").Sign(nil, map[string]any{"iss": i.URL, "aud": issuer.Client})
	for range 50 {
		if err := check(unknown, noon.Add(pause+time.Second)); !errors.Is(err, ErrInvalid) {
			t.Fatalf("a key that there is not: %v", err)
		}
	}
	if again := i.Asked("/keys"); again > asked+1 {
		t.Errorf("the issuer was asked %d times for a key that there is not", again-asked)
	}
	i.Shows(issuer.ECDSA("third")) // and nobody uses it
	must(t, check(after, noon.Add(pause+fresh-time.Minute)))
	if err := check(after, noon.Add(2*pause+fresh)); !errors.Is(err, ErrInvalid) {
		t.Errorf("an hour after the key was withdrawn: %v", err)
	}
}

// An issuer that is away: at the start nobody is let in until it is there, later those go
// on for a day whose keys are known.
func TestAway(t *testing.T) {
	i := issuer.New(t)
	i.Answers(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	s := opened(i)
	s.Reach(t.Context(), noon)
	token := i.Token(noon, said(map[string]any{"exp": noon.Add(48 * time.Hour).Unix()}))
	check := func(now time.Time) error {
		_, err := s.Check(t.Context(), token, now)
		return err
	}
	if err := check(noon); !errors.Is(err, ErrAway) {
		t.Errorf("at the start: %v", err)
	}
	if _, _, err := s.Begin(t.Context(), "Lab", "/", noon); !errors.Is(err, ErrAway) {
		t.Errorf("a browser at the start: %v", err)
	}
	if n := i.Asked("/.well-known/openid-configuration"); n != 1 {
		t.Errorf("it was asked %d times within ten seconds", n)
	}
	i.Answers(nil)
	must(t, check(noon.Add(pause)))
	i.Answers(func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }) // it hangs up
	must(t, check(noon.Add(pause+fresh)))
	must(t, check(noon.Add(pause+stale-time.Second)))
	if err := check(noon.Add(2*pause + stale)); !errors.Is(err, ErrAway) {
		t.Errorf("after a day: %v", err)
	}
	i.Answers(nil)
	must(t, check(noon.Add(3*pause+stale)))
}

// What an issuer may not answer: each is refused, and what it said is not repeated to
// whoever asked.
func TestHostileIssuer(t *testing.T) {
	const marker = "inner-secret"
	document := func(i *issuer.Issuer, change map[string]any) string {
		all := map[string]any{"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token", "jwks_uri": i.URL + "/keys", "x": marker}
		maps.Copy(all, change)
		data, err := json.Marshal(all)
		must(t, err)
		return string(data)
	}
	key, err := json.Marshal(issuer.ECDSA("first").JWK())
	must(t, err)
	json := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, text)
		}
	}
	keys := func(text string) func(*issuer.Issuer) http.HandlerFunc {
		return func(i *issuer.Issuer) http.HandlerFunc {
			first := json(document(i, nil))
			return func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/keys" {
					json(text)(w, r)
					return
				}
				first(w, r)
			}
		}
	}
	tests := []struct {
		name, why string // why is for the log
		answer    func(*issuer.Issuer) http.HandlerFunc
	}{
		{"a document without end", "at most", func(i *issuer.Issuer) http.HandlerFunc {
			return json(document(i, map[string]any{"y": strings.Repeat("x", mostAnswer)}))
		}},
		{"the document of another", "did not match", func(i *issuer.Issuer) http.HandlerFunc {
			return json(document(i, map[string]any{"issuer": "https://evil.example"}))
		}},
		{"no document", "decode", func(*issuer.Issuer) http.HandlerFunc { return json("<html>" + marker) }},
		{"a way elsewhere", "leads elsewhere", func(i *issuer.Issuer) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, i.URL+"/other", http.StatusFound) }
		}},
		{"keys in the clear", "want an address with https", func(i *issuer.Issuer) http.HandlerFunc {
			return json(document(i, map[string]any{"jwks_uri": "http://keys.example/keys"}))
		}},
		{"keys in a file", "want an address with https", func(i *issuer.Issuer) http.HandlerFunc {
			return json(document(i, map[string]any{"jwks_uri": "file:///etc/passwd"}))
		}},
		{"people sent to another scheme", "want an address with https", func(i *issuer.Issuer) http.HandlerFunc {
			return json(document(i, map[string]any{"authorization_endpoint": "javascript:alert(1)"}))
		}},
		{"keys without end", "at most", keys(`{"keys": [], "x": "` + strings.Repeat("x", mostAnswer) + `"}`)},
		{"no keys", "no key by which", keys(`{"keys": []}`)},
		{"keys that are none", "no key by which", keys(`{"keys": [{"kty": "oct", "k": "AAAA"}, {"kty": "RSA"}, 7]}`)},
		{"too many keys", "want at most", keys(`{"keys": [` + strings.Repeat(string(key)+",", mostKeys) + string(key) + `]}`)},
		{"nothing for long", "exceeded", func(*issuer.Issuer) http.HandlerFunc {
			return func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			i := issuer.New(t)
			i.Answers(tt.answer(i))
			patience := time.Minute
			if tt.name == "nothing for long" {
				patience = 50 * time.Millisecond
			}
			var log strings.Builder
			s := New(asked(i), Options{Patience: patience, Log: slog.New(slog.NewTextHandler(&log, nil))})
			_, err := s.Check(t.Context(), i.Token(noon, said(nil)), noon)
			if !errors.Is(err, ErrAway) || strings.Contains(err.Error(), marker) {
				t.Errorf("got %v, want %v", err, ErrAway)
			}
			if !strings.Contains(log.String(), tt.why) || log.Len() > 2000 {
				t.Errorf("the log does not say %q in a few words: %.2000s", tt.why, log.String())
			}
		})
	}
}

// Somebody who hangs up does not spoil the question for those who wait for the same answer.
func TestAskedTogether(t *testing.T) {
	i := issuer.New(t)
	s := opened(i)
	gone, hangUp := context.WithCancel(t.Context())
	hangUp()
	s.Check(gone, i.Token(noon, said(nil)), noon) // whatever comes of it
	if _, err := s.Check(t.Context(), i.Token(noon, said(nil)), noon); err != nil {
		t.Errorf("after somebody hung up: %v", err)
	}
	waiting := make(chan error, 20)
	other := opened(i)
	before := i.Asked("/keys")
	for range cap(waiting) {
		go func() {
			_, err := other.Check(t.Context(), i.Token(noon, said(nil)), noon)
			waiting <- err
		}()
	}
	for range cap(waiting) {
		if err := <-waiting; err != nil {
			t.Error(err)
		}
	}
	if n := i.Asked("/keys") - before; n != 1 {
		t.Errorf("the issuer was asked %d times at once", n)
	}
}

// FuzzCheck: no text is let in that the issuer did not sign.
func FuzzCheck(f *testing.F) {
	i := issuer.New(f)
	s := opened(i)
	good := i.Token(noon, said(nil))
	parts := strings.Split(good, ".")
	for _, text := range []string{"", "..", "e30.e30.", parts[0] + "." + parts[1] + ".", good + "=", "." + good, strings.ToUpper(good)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if who, err := s.Check(t.Context(), text, noon); err == nil && !strings.HasPrefix(text, parts[0]+"."+parts[1]+".") {
			t.Errorf("%q was let in as %+v", text, who)
		}
	})
}

// browse follows a browser to the issuer and gives the address to which it is sent back.
func browse(t testing.TB, address string) *url.URL {
	t.Helper()
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	a, err := c.Get(address)
	must(t, err)
	defer a.Body.Close()
	back, err := a.Location()
	must(t, err)
	return back
}
