package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"assay/tests/dex"
	"assay/tests/fixture"
	"assay/tests/whole"
)

// People and programs that Dex knows, a real provider, are let in by the rules of a file;
// Dex is away, and comes back with other keys.
func TestServeWithDex(t *testing.T) {
	whole.OIDC(t)
	dir, at, provider := t.TempDir(), freeAddress(t), freeAddress(t)
	own := "http://" + at
	d := dex.Serve(t, provider, own+"/login/Dex/callback")
	file := filepath.Join(dir, "sign-in.yaml")
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("secret", dex.Secret)
	write("sign-in.yaml", fmt.Sprintf("url: %s\nissuers:\n- name: Dex\n  issuer: %s\n  client: %s\n  secretFile: secret\n  allow:\n  - {match: {email: %s}, scope: write}\n", own, d.URL, dex.Client, dex.Maria))
	place := filepath.Join(dir, "warehouse")
	s := serving(t, "--addr", at, "--warehouse", place, "--oidc", file)
	defer s.stop()
	s.line(t)

	if page := signedIn(t, own, dex.Maria); !strings.Contains(page, "maria@example.com (Dex)") {
		t.Errorf("after signing in: %.600s", page)
	}
	if page := signedIn(t, own, dex.Bob); !strings.Contains(page, "no rule of the server lets this account in: bob@example.com (Dex)") {
		t.Errorf("somebody else: %.600s", page)
	}
	maria := d.Token(dex.Maria)
	asksAssistant(t, own+"/mcp", maria, http.StatusOK, `"serverInfo":{"name":"assay"`)
	asksAssistant(t, own+"/mcp", d.Token(dex.Bob), http.StatusForbidden, "bob@example.com (Dex)")
	asksAssistant(t, own+"/mcp", maria[:len(maria)-8]+"AAAAAAAA", http.StatusUnauthorized, "not valid")
	bundle := fixture.Run{ID: "night-1", Launches: 3}.Write(t, t.TempDir())
	if out, errs, code := call(t, "push", bundle, "--to", own, "--token-file", write("token", maria)); code != exitOK {
		t.Errorf("push: %d %s %s", code, out, errs)
	}

	d.Stop()
	asksAssistant(t, own+"/mcp", maria, http.StatusOK, `"serverInfo":{"name":"assay"`)
	d = dex.Serve(t, provider, own+"/login/Dex/callback")
	again := d.Token(dex.Maria)
	for range 60 { // the server asks for keys once in ten seconds at most
		if status := statusWith(t, own+"/api/v1/runs", again); status == http.StatusOK {
			break
		}
		time.Sleep(time.Second)
	}
	asksAssistant(t, own+"/mcp", again, http.StatusOK, `"serverInfo":{"name":"assay"`)
	asksAssistant(t, own+"/mcp", maria, http.StatusUnauthorized, "has no key")

	audit, err := os.ReadFile(filepath.Join(place, "audit.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"why":"signed in, write"`, `"name":"maria@example.com (Dex)"`, `"name":"bob@example.com (Dex)"`} {
		if !strings.Contains(string(audit), want) {
			t.Errorf("the audit log has no %s:\n%s", want, audit)
		}
	}
	inBrowser(t, own)
}

func statusWith(t *testing.T, address, token string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	return a.StatusCode
}

var formAction = regexp.MustCompile(`action="([^"]+)"`)

// signedIn follows the links and forms of a sign-in and gives the page at its end.
func signedIn(t *testing.T, own, who string) string {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &http.Client{Jar: jar}
	read := func(a *http.Response, err error) (*url.URL, string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		body, err := io.ReadAll(a.Body)
		if err != nil {
			t.Fatal(err)
		}
		return a.Request.URL, string(body)
	}
	if _, page := read(c.Get(own + "/runs")); !strings.Contains(page, "Sign in with Dex") {
		t.Fatalf("the way in: %.600s", page)
	}
	at, page := read(c.Get(own + "/login/Dex?next=%2Fruns"))
	action := at
	if found := formAction.FindStringSubmatch(page); found != nil {
		if action, err = at.Parse(strings.ReplaceAll(found[1], "&amp;", "&")); err != nil {
			t.Fatal(err)
		}
	}
	_, page = read(c.PostForm(action.String(), url.Values{"login": {who}, "password": {dex.Password}}))
	return page
}

// inBrowser does the same in a real Chromium, to which Dex and the server are two sites:
// only a browser knows which cookies go along then, and what the policy of a page forbids.
func inBrowser(t *testing.T, own string) {
	t.Helper()
	for _, name := range []string{"node", "chromium"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Logf("not tried in a browser: no %s on the path (make browser installs it)", name)
			return
		}
	}
	cmd := exec.Command("node", "signin.mjs", own, dex.Maria, dex.Password)
	cmd.Dir = "../../tests/browser"
	out, err := cmd.CombinedOutput()
	var got struct{ Name, Error string }
	if err != nil || json.Unmarshal(out, &got) != nil || got.Error != "" {
		t.Errorf("node signin.mjs: %v\n%s", err, out)
	}
}
