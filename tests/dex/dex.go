// Package dex starts a real OpenID Connect provider of others for tests: Dex, with two
// people in it. It is no part of the product.
package dex

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// Who there is, and what Dex knows a server by.
const (
	Maria    = "maria@example.com"
	Bob      = "bob@example.com"
	Password = "password"
	Client   = "assay"
	Secret   = "open-sesame-0123456789"
)

// hash is bcrypt's of the password, as an example of Dex has it.
const hash = "$2a$10$2b2cU8CPhOTaGrs1HRQuAueS7JTT5ZHsHSzYiFPm1leZck7Mc8T4W"

// program is Dex itself, which the first test that wants it builds; that takes minutes. Its
// module is not installed by name, since its go.mod replaces another: program/go.mod names
// the version.
func program(t testing.TB) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	_, here, _, _ := runtime.Caller(0)
	path := filepath.Join(cache, "assay-tests", "dex-v2.41.1", "dex")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	cmd := exec.Command("go", "build", "-o", path, "github.com/dexidp/dex/cmd/dex")
	cmd.Dir, cmd.Env = filepath.Join(filepath.Dir(here), "program"), append(os.Environ(), "GOFLAGS=-buildvcs=false")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("no Dex to test against: go build: %v\n%s", err, out)
	}
	return path
}

// A Provider is a Dex that ends with the test, or with Stop. Its keys are its own: started
// again at the same address it has others.
type Provider struct {
	URL  string
	Stop func()
	t    testing.TB
}

// Serve starts Dex at an address of loopback, by the name that browsers take for another
// site than 127.0.0.1. It sends people back to an address.
func Serve(t testing.TB, address, back string) *Provider {
	t.Helper()
	path, dir := program(t), t.TempDir()
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	p := &Provider{URL: "http://localhost:" + port + "/dex", t: t}
	config := filepath.Join(dir, "config.yaml")
	text := fmt.Sprintf(`issuer: %s
storage: {type: memory}
web: {http: %q}
oauth2: {skipApprovalScreen: true, passwordConnector: local}
enablePasswordDB: true
staticPasswords:
- {email: %s, hash: %q, username: maria, userID: "1"}
- {email: %s, hash: %q, username: bob, userID: "2"}
staticClients:
- {id: %s, secret: %s, name: assay, redirectURIs: [%q]}
`, p.URL, address, Maria, hash, Bob, hash, Client, Secret, back)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var story bytes.Buffer
	cmd := exec.Command(path, "serve", config)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &story, &story
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	p.Stop = func() {
		if !ended {
			cmd.Process.Kill()
			cmd.Wait() // it says that it was killed
		}
		ended = true
	}
	t.Cleanup(p.Stop)
	for range 600 {
		if a, err := http.Get(p.URL + "/.well-known/openid-configuration"); err == nil {
			a.Body.Close()
			if a.StatusCode == http.StatusOK {
				return p
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	p.Stop()
	t.Fatalf("Dex does not answer:\n%s", story.String())
	return nil
}

// Token is what Dex signs for a program that knows somebody's password.
func (p *Provider) Token(who string) string {
	p.t.Helper()
	r, err := http.NewRequest(http.MethodPost, p.URL+"/token", bytes.NewBufferString(url.Values{
		"grant_type": {"password"}, "username": {who}, "password": {Password}, "scope": {"openid email profile"},
	}.Encode()))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.SetBasicAuth(Client, Secret)
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer a.Body.Close()
	var got struct {
		Token string `json:"id_token"`
	}
	if err := json.NewDecoder(a.Body).Decode(&got); err != nil || got.Token == "" {
		p.t.Fatalf("Dex gave no token: %s, %v", a.Status, err)
	}
	return got.Token
}
