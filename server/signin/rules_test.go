package signin

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"assay/tests/issuer"
	"assay/tokens"
)

// Rules over what issuers write: lists, parts, numbers and texts.
func TestRules(t *testing.T) {
	rules := []Rule{
		{Match: map[string]any{"groups": "perf"}, Scope: tokens.Read},
		{Match: map[string]any{"email": "maria@example.com"}, Scope: tokens.Admin},
		{Match: map[string]any{"repository": "acme/engine", "ref": "refs/heads/main"}, Scope: tokens.Write},
		{Match: map[string]any{"realm_access": map[string]any{"roles": "bench"}}, Scope: tokens.Run},
		{Match: map[string]any{"repository_id": 9007199254740993}, Scope: tokens.Write},
		{Match: map[string]any{"trusted": true}, Scope: tokens.Write},
	}
	i := issuer.New(t)
	s := opened(i, rules...)
	type object = map[string]any
	tests := []struct {
		name  string
		said  object
		scope tokens.Scope
	}{
		{"a list", object{"groups": []string{"x", "perf"}}, tokens.Read},
		{"a text", object{"groups": "perf"}, tokens.Read},
		{"a part of a text", object{"groups": "perfect"}, ""},
		{"other letters", object{"groups": "Perf"}, ""},
		{"a list in a list", object{"groups": []any{[]string{"perf"}}}, ""},
		{"an object", object{"groups": object{"perf": true}}, ""},
		{"nothing", object{"groups": nil}, ""},
		{"an e-mail address that was seen", object{"email": "maria@example.com", "email_verified": true}, tokens.Admin},
		{"one that was seen, as some write it", object{"email": "maria@example.com", "email_verified": "true"}, tokens.Admin},
		{"one that was not", object{"email": "maria@example.com", "email_verified": false}, ""},
		{"one of which nothing is said", object{"email": "maria@example.com"}, ""},
		{"one of which something else is said", object{"email": "maria@example.com", "email_verified": 1}, ""},
		{"several addresses", object{"email": []string{"maria@example.com"}, "email_verified": true}, tokens.Admin},
		{"all of several claims", object{"repository": "acme/engine", "ref": "refs/heads/main"}, tokens.Write},
		{"one of several claims", object{"repository": "acme/engine", "ref": "refs/heads/evil"}, ""},
		{"a part", object{"realm_access": object{"roles": []string{"bench"}}}, tokens.Run},
		{"a part in another place", object{"roles": []string{"bench"}}, ""},
		{"a part of a text", object{"realm_access": "bench"}, ""},
		{"a large number", object{"repository_id": 9007199254740993}, tokens.Write},
		{"a number that is almost the same", object{"repository_id": 9007199254740992}, ""},
		{"a number as a text", object{"repository_id": "9007199254740993"}, tokens.Write},
		{"true", object{"trusted": true}, tokens.Write},
		{"the largest of several scopes", object{"groups": "perf", "email": "maria@example.com", "email_verified": true, "trusted": true}, tokens.Admin},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			who, err := s.Check(t.Context(), i.Token(noon, tt.said), noon)
			if who.Scope != tt.scope || (tt.scope == "") != errors.Is(err, ErrNotAllowed) {
				t.Errorf("got %q, %v, want %q", who.Scope, err, tt.scope)
			}
			if tt.scope == "" && !strings.Contains(err.Error(), "(Lab)") {
				t.Errorf("the refusal does not say who: %v", err)
			}
		})
	}
}

// People are called by what the issuer has seen to be theirs, in one line without tricks.
func TestNames(t *testing.T) {
	i := issuer.New(t)
	s := opened(i, Rule{Match: map[string]any{"ok": true}, Scope: tokens.Read})
	type object = map[string]any
	for want, said := range map[string]object{
		"somebody (Lab)":         {"name": "The Admin"},
		"maria (Lab)":            {"preferred_username": "maria", "email": "boss@example.com"},
		"m@example.com (Lab)":    {"preferred_username": "maria", "email": "m@example.com", "email_verified": true},
		`a\nb\x1b\u202ec (Lab)`:  {"preferred_username": "a\nb\x1b\u202ec"},
		"<b>x</b> (Other) (Lab)": {"preferred_username": "<b>x</b> (Other)"}, // pages escape it
		"repo:acme/engine (Lab)": {"sub": "repo:acme/engine", "preferred_username": " "},
		"… (Lab)":                {"sub": strings.Repeat("x", 5000)},
		"another somebody (Lab)": {"sub": "another somebody", "preferred_username": 7},
	} {
		said["ok"] = true
		if who, err := s.Check(t.Context(), i.Token(noon, said), noon); err != nil || who.Name != want {
			t.Errorf("got %q, %v, want %q", who.Name, err, want)
		}
	}
	one, err := s.Check(t.Context(), i.Token(noon, object{"ok": true, "sub": "a", "preferred_username": "maria"}), noon)
	must(t, err)
	two, err := s.Check(t.Context(), i.Token(noon, object{"ok": true, "sub": "b", "preferred_username": "maria"}), noon)
	must(t, err)
	if one.ID == two.ID {
		t.Error("two people of one name have one id")
	}
}

const goodSettings = `url: https://bench.example.com
issuers:
- name: Keycloak
  issuer: https://sso.example.com/realms/lab
  client: assay
  secretFile: secret
  scopes: [groups]
  allow:
  - {match: {groups: perf}, scope: write}
- name: GitHub
  issuer: https://token.actions.githubusercontent.com
  audience: https://bench.example.com
  allow:
  - match: {repository: acme/engine, ref: refs/heads/main}
    scope: write
`

var yamlBlocks = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")

// The example of the guide is good.
func TestGuide(t *testing.T) {
	guide, err := os.ReadFile("../../docs/guides/serve.md")
	must(t, err)
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "keycloak.secret"), []byte("x"), 0o600))
	path := filepath.Join(dir, "sign-in.yaml")
	must(t, os.WriteFile(path, yamlBlocks.FindSubmatch(guide)[1], 0o600))
	s, err := Read(path, func(string) (string, bool) { return "", false })
	must(t, err)
	if len(s.Issuers) != 3 || len(s.Issuers[0].Allow) != 3 {
		t.Errorf("got %+v", s)
	}
}

// Settings that would let in the wrong people, or nobody, are refused with what to write.
func TestSettings(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "secret"), []byte("from-a-file\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "empty"), nil, 0o600))
	read := func(text string) (Settings, error) {
		path := filepath.Join(dir, "sign-in.yaml")
		must(t, os.WriteFile(path, []byte(text), 0o600))
		return Read(path, func(name string) (string, bool) {
			return map[string]string{"SSO_SECRET": "from-the-environment"}[name], name == "SSO_SECRET"
		})
	}
	s, err := read(goodSettings)
	must(t, err)
	if s.Issuers[0].secret != "from-a-file" || s.Issuers[0].Audience != "assay" {
		t.Errorf("got %+v", s.Issuers[0])
	}
	s, err = read(strings.Replace(goodSettings, "secretFile: secret", "secretEnv: SSO_SECRET", 1))
	must(t, err)
	if s.Issuers[0].secret != "from-the-environment" {
		t.Errorf("got %+v", s.Issuers[0])
	}
	tests := []struct{ name, old, new, want string }{
		{"a field that there is not", "client:", "clientID:", "clientID"},
		{"a secret in the file", "secretFile: secret", "secret: hunter2", "secret not found"},
		{"an issuer in the clear", "https://sso.", "http://sso.", "issuers[0].issuer"},
		{"an issuer with a password", "https://sso.", "https://a:b@sso.", "issuers[0].issuer"},
		{"the server in the clear", "url: https:", "url: http:", "url: "},
		{"the server with a path", "url: https://bench.example.com", "url: https://bench.example.com/x", "url: "},
		{"no server to come back to", "url: https://bench.example.com", "", "send them back"},
		{"a name that is a path", "name: Keycloak", "name: ../login", "issuers[0].name"},
		{"a name twice", "name: GitHub", "name: keycloak", "issuers[1].name"},
		{"an issuer twice", "https://token.actions.githubusercontent.com", "https://sso.example.com/realms/lab", "there twice"},
		{"no audience", "audience: https://bench.example.com", "", "issuers[1].audience"},
		{"a scope that there is not", "scope: write}", "scope: root}", "issuers[0].allow[0].scope"},
		{"everybody", "{match: {groups: perf}, scope: write}", "{match: {}, scope: write}", "issuers[0].allow[0].match"},
		{"everybody whom the issuer knows", "{groups: perf}", "{iss: https://sso.example.com/realms/lab}", "issuers[0].allow[0].match"},
		{"everybody for whom the token is", "repository: acme/engine, ref: refs/heads/main", "aud: https://bench.example.com", "issuers[1].allow[0].match"},
		{"a claim that is empty", "groups: perf", `groups: ""`, "allow[0].match.groups"},
		{"a claim that is nothing", "groups: perf", "groups:", "allow[0].match.groups"},
		{"several values", "groups: perf", "groups: [perf, staff]", "a rule for each"},
		{"parts that are empty", "groups: perf", "groups: {roles: {}}", "allow[0].match.groups"},
		{"no rules", "- {match: {groups: perf}, scope: write}", "", "nobody may do anything"},
		{"a secret that is nowhere", "secretFile: secret", "secretFile: elsewhere", "issuers[0].secretFile"},
		{"a secret that is empty", "secretFile: secret", "secretFile: empty", "holds nothing"},
		{"a variable that is not set", "secretFile: secret", "secretEnv: UNSET", "holds nothing"},
		{"two secrets", "secretFile: secret", "secretFile: secret\n  secretEnv: SSO_SECRET", "want one of them"},
		{"a secret without a client", "client: assay", "audience: assay", "issuers[0].client"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(goodSettings, tt.old, tt.new, 1)
			if text == goodSettings {
				t.Fatal("nothing was changed")
			}
			if _, err := read(text); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want something about %s", err, tt.want)
			} else if strings.Contains(err.Error(), "from-") {
				t.Errorf("the error holds a secret: %v", err)
			}
		})
	}
	for _, text := range []string{"", "issuers: []", "- x"} {
		if _, err := read(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}
