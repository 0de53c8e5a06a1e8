package signin

import (
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/tests/issuer"
	"assay/tokens"
)

// A person signs in.
func TestBrowser(t *testing.T) {
	i := issuer.New(t)
	i.Now = func() time.Time { return noon }
	i.SignsIn(said(map[string]any{"email": "maria@example.com", "email_verified": true}))
	s := opened(i)
	address, key, err := s.Begin(t.Context(), "Lab", "/runs?name=x", noon)
	must(t, err)
	back := browse(t, address)
	if !strings.HasPrefix(back.String(), here+"/login/Lab/callback?") {
		t.Errorf("sent back to %s", back)
	}
	who, next, err := s.Finish(t.Context(), "Lab", key, back.Query(), noon)
	must(t, err)
	if next != "/runs?name=x" || who.Name != "maria@example.com (Lab)" || who.Scope != tokens.Write {
		t.Errorf("got %+v, then %s", who, next)
	}
}

// What does not come from the browser that began, or not from its issuer, is refused.
func TestHostileBrowser(t *testing.T) {
	i, other := issuer.New(t), issuer.New(t)
	for _, one := range []*issuer.Issuer{i, other} {
		one.Now = func() time.Time { return noon }
		one.SignsIn(said(nil))
	}
	settings := asked(i)
	settings.Issuers = append(settings.Issuers, asked(other).Issuers[0])
	settings.Issuers[1].Name = "Other"
	var log strings.Builder
	s := New(settings, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	begin := func() (key string, back url.Values) {
		address, key, err := s.Begin(t.Context(), "Lab", "/", noon)
		must(t, err)
		return key, browse(t, address).Query()
	}
	with := func(back url.Values, name, value string) url.Values { back.Set(name, value); return back }
	tests := []struct {
		name string
		try  func() error
	}{
		{"a state twice", func() error {
			key, back := begin()
			_, _, err := s.Finish(t.Context(), "Lab", key, back, noon)
			must(t, err)
			before := i.Asked("/token")
			_, _, err = s.Finish(t.Context(), "Lab", key, back, noon)
			if i.Asked("/token") != before {
				t.Error("the issuer was asked again")
			}
			return err
		}},
		{"no browser that began", func() error {
			_, back := begin()
			_, _, err := s.Finish(t.Context(), "Lab", "", back, noon)
			return err
		}},
		{"the answer to another browser", func() error { // who would have it signed in as themselves
			victim, _ := begin()
			_, back := begin()
			_, _, err := s.Finish(t.Context(), "Lab", victim, back, noon)
			return err
		}},
		{"a stolen code", func() error { // PKCE: the thief's verifier is another
			thief, own := begin()
			_, stolen := begin()
			_, _, err := s.Finish(t.Context(), "Lab", thief, with(own, "code", stolen.Get("code")), noon)
			return err
		}},
		{"no state", func() error {
			key, back := begin()
			back.Del("state")
			_, _, err := s.Finish(t.Context(), "Lab", key, back, noon)
			return err
		}},
		{"no code", func() error {
			key, back := begin()
			_, _, err := s.Finish(t.Context(), "Lab", key, with(back, "code", ""), noon)
			return err
		}},
		{"a code that is made up", func() error {
			key, back := begin()
			_, _, err := s.Finish(t.Context(), "Lab", key, with(back, "code", "AAAA"), noon)
			return err
		}},
		{"after ten minutes", func() error {
			key, back := begin()
			_, _, err := s.Finish(t.Context(), "Lab", key, back, noon.Add(BrowserTime))
			return err
		}},
		{"at the address of another issuer", func() error {
			key, back := begin()
			back.Del("iss") // not every issuer says who it is
			_, _, err := s.Finish(t.Context(), "Other", key, back, noon)
			if other.Asked("/token") != 0 {
				t.Error("it was given the code")
			}
			return err
		}},
		{"an answer that names another issuer", func() error {
			key, back := begin()
			_, _, err := s.Finish(t.Context(), "Lab", key, with(back, "iss", other.URL), noon)
			return err
		}},
		{"a refusal with HTML", func() error {
			key, back := begin()
			back.Set("error", "access_denied")
			_, _, err := s.Finish(t.Context(), "Lab", key, with(back, "error_description", "<script>\x1b[31m\u202e"), noon)
			if err == nil || strings.ContainsAny(err.Error(), "\x1b\u202e") {
				t.Errorf("%v", err)
			}
			return err
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.try(); !errors.Is(err, ErrBroken) {
				t.Errorf("got %v, want %v", err, ErrBroken)
			}
		})
	}
	if strings.Contains(log.String(), issuer.Secret) || log.Len() == 0 {
		t.Errorf("the log holds the secret, or nothing: %s", log.String())
	}
	if _, _, err := s.Begin(t.Context(), "Nobody", "/", noon); !errors.Is(err, ErrBroken) {
		t.Errorf("an issuer that there is not: %v", err)
	}
}

// What an issuer, or somebody in between, gives for a code is believed only if it is for
// this sign-in.
func TestHostileAnswer(t *testing.T) {
	i := issuer.New(t)
	i.Now = func() time.Time { return noon }
	i.SignsIn(said(nil))
	s := opened(i)
	unsigned := issuer.Part(map[string]any{"alg": "none"}) + "." + issuer.Part(map[string]any{"iss": i.URL, "aud": issuer.Client, "sub": "7"}) + "."
	tests := []struct {
		name string
		lie  func(map[string]any)
		want error
	}{
		{"no nonce", func(c map[string]any) { delete(c, "nonce") }, ErrBroken},
		{"another nonce", func(c map[string]any) { c["nonce"] = "AAAA" }, ErrBroken},
		{"made for another program", func(c map[string]any) { c["azp"] = "other" }, ErrBroken},
		{"another audience", func(c map[string]any) { c["aud"] = "other" }, ErrInvalid},
		{"another issuer", func(c map[string]any) { c["iss"] = "https://evil.example" }, ErrInvalid},
		{"expired", func(c map[string]any) { c["exp"] = noon.Add(-time.Hour).Unix() }, ErrInvalid},
		{"no signature", func(c map[string]any) { c["id_token"] = unsigned }, ErrInvalid},
		{"no token", func(c map[string]any) { c["id_token"] = "" }, ErrInvalid},
		{"a token that is no text", func(c map[string]any) { c["id_token"] = 7 }, ErrInvalid},
		{"nobody who may do anything", func(c map[string]any) { delete(c, "groups") }, ErrNotAllowed},
		{"the truth", func(map[string]any) {}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			i.Lies(tt.lie)
			address, key, err := s.Begin(t.Context(), "Lab", "/", noon)
			must(t, err)
			if _, _, err := s.Finish(t.Context(), "Lab", key, browse(t, address).Query(), noon); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

// Sign-ins that nobody completes do not fill the memory.
func TestBegunIsBounded(t *testing.T) {
	var b begun
	for n := range mostBegun + 100 {
		b.add(strings.Repeat("k", n%50)+string(rune(n)), attempt{until: noon.Add(BrowserTime)}, noon)
	}
	if len(b.open) > mostBegun {
		t.Errorf("%d are open", len(b.open))
	}
	b.add("later", attempt{until: noon.Add(time.Hour)}, noon.Add(BrowserTime))
	if len(b.open) != 1 {
		t.Errorf("%d are open after their time", len(b.open))
	}
}
