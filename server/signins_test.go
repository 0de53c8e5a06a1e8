package server

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/server/jobs"
	"assay/server/signin"
	"assay/tests/issuer"
)

// issued are the issuers of a file in which the group perf may read, and whoever the issuer
// calls ci may have runs carried out.
func issued(t testing.TB, i *issuer.Issuer, address string) *signin.Issuers {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sign-in.yaml")
	must(t, os.WriteFile(path, fmt.Appendf(nil, `url: %s
issuers:
- name: Lab
  issuer: %s
  client: %s
  secretEnv: SECRET
  allow:
  - {match: {groups: perf}, scope: read}
  - {match: {sub: ci}, scope: run}
`, address, i.URL, issuer.Client), 0o600))
	settings, err := signin.Read(path, func(string) (string, bool) { return issuer.Secret, true })
	must(t, err)
	return signin.New(settings, signin.Options{})
}

// signsIn opens a site with an issuer on its own clock.
func signsIn(t testing.TB, address string) (*site, *issuer.Issuer) {
	t.Helper()
	i := issuer.New(t)
	s := open(t, func(o *Options) { o.SignIn = issued(t, i, address) })
	i.Now = s.clock
	return s, i
}

func perf(name string) map[string]any {
	return map[string]any{"groups": []string{"perf"}, "preferred_username": name}
}

// cookieOf is a cookie that an answer sets, and its whole text.
func cookieOf(a answer, name string) (send func(*http.Request), whole string) {
	for _, whole := range a.header.Values("Set-Cookie") {
		if pair, _, _ := strings.Cut(whole, ";"); strings.HasPrefix(pair, name+"=") {
			return header("Cookie", pair), whole
		}
	}
	return func(*http.Request) {}, ""
}

// begin goes to the issuer and comes back with its answer.
func (s *site) begin(next string) (send func(*http.Request), back url.Values) {
	s.t.Helper()
	a := s.ask("GET", "/login/Lab?moved=yes&next="+urlText(next), "", "")
	if a.status != http.StatusSeeOther {
		s.t.Fatalf("begin: %d %s", a.status, a.body)
	}
	send, _ = cookieOf(a, "assay-sign-in")
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	there, err := c.Get(a.header.Get("Location"))
	must(s.t, err)
	defer there.Body.Close()
	at, err := there.Location()
	must(s.t, err)
	return send, at.Query()
}

// signIn goes all the way.
func (s *site) signIn(next string) answer {
	s.t.Helper()
	send, back := s.begin(next)
	return s.ask("GET", "/login/Lab/callback?"+back.Encode(), "", "", send)
}

// A person signs in, sees what their scope allows under the name that the issuer gave them,
// and signs out; the audit log says who it was.
func TestSignIn(t *testing.T) {
	s, i := signsIn(t, "http://localhost")
	i.SignsIn(perf(`<script>alert("maria")</script>`))
	if a := s.ask("GET", "/login?next=%2Fruns%3Fname%3Dx", "", ""); !strings.Contains(a.body, `href="/login/Lab?next=%2fruns%3fname%3dx">Sign in with Lab</a>`) {
		t.Errorf("the way in: %s", a.body)
	}
	if a := s.ask("GET", "/login/Lab?next=/runs", "", ""); a.header.Get("Location") != "http://localhost/login/Lab?moved=yes&next=%2Fruns" {
		t.Errorf("under another name of the server: %d to %q", a.status, a.header.Get("Location"))
	}
	a := s.ask("GET", "/login/Lab?moved=yes&next=/runs", "", "")
	_, attempt := cookieOf(a, "assay-sign-in")
	for _, want := range []string{"HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=600"} {
		if !strings.Contains(attempt, want) {
			t.Errorf("the cookie of an attempt %q has no %s", attempt, want)
		}
	}
	a = s.signIn("/runs?name=x")
	if a.status != http.StatusSeeOther || a.header.Get("Location") != "/runs?name=x" {
		t.Fatalf("signed in: %d to %q: %s", a.status, a.header.Get("Location"), a.body)
	}
	session, whole := cookieOf(a, "assay")
	for _, want := range []string{"HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=43200"} {
		if !strings.Contains(whole, want) {
			t.Errorf("the cookie of the session %q has no %s", whole, want)
		}
	}
	if _, gone := cookieOf(a, "assay-sign-in"); !strings.Contains(gone, "Max-Age=0") {
		t.Errorf("the cookie of the attempt stays: %q", gone)
	}
	if a := s.ask("GET", "/runs", "", "", session); a.status != http.StatusOK || strings.Contains(a.body, "<script>alert") || !strings.Contains(a.body, "&lt;script&gt;alert") {
		t.Errorf("the page: %d %.2000s", a.status, a.body)
	}
	if a := s.ask("POST", "/api/v1/uploads", "", "{}", session); a.status != http.StatusForbidden {
		t.Errorf("a reader writes: %d", a.status)
	}
	if a := s.ask("POST", "/logout", "", "", session, header("Sec-Fetch-Site", "cross-site")); a.status != http.StatusForbidden {
		t.Errorf("another site signs them out: %d", a.status)
	}
	s.later(sessionTime - time.Minute)
	if a := s.ask("GET", "/api/v1/runs", "", "", session); a.status != http.StatusOK {
		t.Errorf("before the session's end: %d", a.status)
	}
	s.ask("POST", "/logout", "", "", session)
	if a := s.ask("GET", "/api/v1/runs", "", "", session); a.status != http.StatusUnauthorized {
		t.Errorf("after signing out: %d", a.status)
	}
	session, _ = cookieOf(s.signIn("/"), "assay")
	s.later(sessionTime)
	if a := s.ask("GET", "/api/v1/runs", "", "", session); a.status != http.StatusUnauthorized {
		t.Errorf("after the session's end: %d", a.status)
	}
	audit, err := os.ReadFile(filepath.Join(s.dir, "audit.jsonl"))
	must(t, err)
	if !strings.Contains(string(audit), `(Lab)","client":"127.0.0.1","method":"GET","path":"/login/Lab/callback","status":303,"why":"signed in, read"`) || !strings.Contains(string(audit), `"token":"Lab-`) {
		t.Errorf("the audit log: %s", audit)
	}
	s.quiet(i)
}

// quiet looks for what issuers and browsers were told in everything that was written down.
func (s *site) quiet(i *issuer.Issuer) {
	s.t.Helper()
	audit, err := os.ReadFile(filepath.Join(s.dir, "audit.jsonl"))
	must(s.t, err)
	token := i.Token(s.clock(), perf("x"))
	for _, text := range []string{issuer.Secret, "code=", "state=", strings.Split(token, ".")[0]} {
		if strings.Contains(s.log.String()+string(audit), text) {
			s.t.Errorf("a log holds %s", text)
		}
	}
}

// Ways to be let in, or sent away, that there are not.
func TestHostileSignIn(t *testing.T) {
	s, i := signsIn(t, "http://localhost")
	i.SignsIn(perf("maria"))
	for _, next := range []string{"https://evil.example/", "//evil.example", `/\evil.example`, "javascript:alert(1)", "/\tevil", "/login/Lab", ""} {
		if a := s.signIn(next); a.status != http.StatusSeeOther || a.header.Get("Location") != "/" {
			t.Errorf("next %q leads to %q (%d)", next, a.header.Get("Location"), a.status)
		}
	}
	send, back := s.begin("/")
	callback := "/login/Lab/callback?" + back.Encode()
	other, _ := s.begin("/")
	tests := []struct {
		name, path string
		change     func(*http.Request)
		want       int
	}{
		{"an issuer that there is not", "/login/Other", nil, 404},
		{"an issuer that climbs", "/login/..%2fruns", nil, 404},
		{"back from an issuer that there is not", "/login/Other/callback?code=x&state=y", send, 404},
		{"a browser that began nothing", callback, nil, 401},
		{"another browser", callback, other, 401},
		{"a state twice given", callback + "&state=x", send, 400},
		{"a code without end", "/login/Lab/callback?code=" + strings.Repeat("x", 11_000), send, 400},
		{"the right browser, with what the issuer adds", callback + "&authuser=0", send, 303},
		{"the same again", callback, send, 401},
		{"a parameter that there is not", "/login/Lab?nxet=/", nil, 400},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var change []func(*http.Request)
			if tt.change != nil {
				change = append(change, tt.change)
			}
			a := s.ask("GET", tt.path, "", "", change...)
			if a.status != tt.want {
				t.Errorf("got %d %.300s, want %d", a.status, a.body, tt.want)
			}
			if _, session := cookieOf(a, "assay"); (session != "") != (tt.want == 303) {
				t.Errorf("a session: %q", session)
			}
		})
	}
	send, back = s.begin("/")
	a := s.ask("GET", "/login/Lab/callback?error=access_denied&error_description=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E&state="+back.Get("state"), "", "", send)
	if a.status != http.StatusUnauthorized || strings.Contains(a.body, "<img") || !strings.Contains(a.body, "access_denied &lt;img") {
		t.Errorf("refused by the issuer: %d %s", a.status, a.body)
	}
	i.SignsIn(map[string]any{"preferred_username": "mallory", "groups": []string{"staff"}})
	if a := s.signIn("/"); a.status != http.StatusForbidden || !strings.Contains(a.body, "mallory (Lab)") {
		t.Errorf("nobody: %d %s", a.status, a.body)
	}
	audit, err := os.ReadFile(filepath.Join(s.dir, "audit.jsonl"))
	must(t, err)
	if !strings.Contains(string(audit), `"name":"mallory (Lab)","client":"127.0.0.1","method":"GET","path":"/login/Lab/callback","status":403`) {
		t.Errorf("the audit log does not say who was refused: %s", audit)
	}
	refused := 0
	for range 200 {
		if s.ask("GET", "/login/Lab?moved=yes", "", "").status == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused < 100 {
		t.Errorf("%d of 200 sign-ins at once were refused", refused)
	}
	s.quiet(i)
}

// A server without issuers has no such way in, and takes none of their tokens.
func TestNoSignIn(t *testing.T) {
	s := open(t, nil)
	i := issuer.New(t)
	for _, path := range []string{"/login/Lab", "/login/Lab/callback?code=x&state=y"} {
		if a := s.ask("GET", path, "", ""); a.status != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	if a := s.ask("GET", "/api/v1/runs", i.Token(s.clock(), perf("maria")), ""); a.status != http.StatusUnauthorized {
		t.Errorf("a token of an issuer: %d", a.status)
	}
	if n := i.Asked("/.well-known/openid-configuration"); n != 0 {
		t.Errorf("the issuer was asked %d times", n)
	}
}

// Behind a proxy that ends TLS cookies are as safe as with a certificate.
func TestSignInBehindProxy(t *testing.T) {
	s, _ := signsIn(t, "https://bench.example.com")
	a := s.ask("GET", "/login/Lab?moved=yes", "", "")
	if _, whole := cookieOf(a, "__Host-assay-sign-in"); !strings.Contains(whole, "Secure") || strings.Contains(whole, "Domain") {
		t.Errorf("cookies %q", a.header.Values("Set-Cookie"))
	}
	if to := a.header.Get("Location"); !strings.Contains(to, "redirect_uri=https%3A%2F%2Fbench.example.com%2Flogin%2FLab%2Fcallback") {
		t.Errorf("sent to %s", to)
	}
	a = s.ask("POST", "/login", "", "token="+s.read, header("Content-Type", "application/x-www-form-urlencoded"))
	if _, whole := cookieOf(a, "__Host-assay"); !strings.Contains(whole, "Secure") {
		t.Errorf("cookies %q", a.header.Values("Set-Cookie"))
	}
}

// Programs show what the issuer signed for this server, wherever they would show a token.
func TestIssuedTokens(t *testing.T) {
	s, i := signsIn(t, "http://localhost")
	ci := func(change map[string]any) string {
		said := map[string]any{"sub": "ci"}
		for name, value := range change {
			said[name] = value
		}
		return i.Token(s.clock(), said)
	}
	tests := []struct {
		name, method, path, token, body string
		want                            int
	}{
		{"a reader reads", "GET", "/api/v1/runs", i.Token(s.clock(), perf("maria")), "", 200},
		{"a reader writes", "POST", "/api/v1/uploads", i.Token(s.clock(), perf("maria")), "{}", 403},
		{"ci begins an upload", "POST", "/api/v1/uploads", ci(nil), `{"bytes": 10, "sha256": "` + strings.Repeat("0", 64) + `"}`, 201},
		{"ci decides about runs", "POST", "/api/v1/runs/x/acts", ci(nil), "{}", 403},
		{"somebody else", "GET", "/api/v1/runs", ci(map[string]any{"sub": "cj"}), "", 403},
		{"for another server", "GET", "/api/v1/runs", ci(map[string]any{"aud": "other"}), "", 401},
		{"an old one", "GET", "/api/v1/runs", ci(map[string]any{"exp": s.clock().Add(-time.Second).Unix()}), "", 401},
		{"a changed one", "GET", "/api/v1/runs", ci(nil) + "A", "", 401},
		{"one with another behind it", "GET", "/api/v1/runs", ci(nil) + " " + s.read, "", 401},
		{"one of ours", "GET", "/api/v1/runs", s.read, "", 200},
		{"a page", "GET", "/runs", i.Token(s.clock(), perf("maria")), "", 200},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if a := s.ask(tt.method, tt.path, tt.token, tt.body); a.status != tt.want {
				t.Errorf("got %d %.300s, want %d", a.status, a.body, tt.want)
			}
		})
	}
	i.Answers(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	s.later(25 * time.Hour) // longer than keys count; ours have ended too
	if a := s.ask("GET", "/api/v1/runs", ci(nil), ""); a.status != http.StatusServiceUnavailable || !strings.Contains(a.body, "cannot be reached") {
		t.Errorf("the issuer is away: %d %s", a.status, a.body)
	}
	s.quiet(i)
}

// Somebody who guesses is slowed down, whatever the guesses look like.
func TestGuessingIssued(t *testing.T) {
	s, i := signsIn(t, "http://localhost")
	slowed := 0
	for range 30 {
		if s.ask("GET", "/api/v1/runs", i.Token(s.clock(), map[string]any{"aud": "other"}), "").status == http.StatusTooManyRequests {
			slowed++
		}
	}
	if slowed != 10 {
		t.Errorf("%d of 30 guesses were slowed down, want those after the first 20", slowed)
	}
}

// A run that somebody asked for with an issuer's token, which counts for minutes, is carried
// out when its turn comes; the stream about it ends with the token.
func TestIssuedRun(t *testing.T) {
	i := issuer.New(t)
	s, _ := carrying(t, func(o *Options) { o.SignIn = issued(t, i, "http://localhost") })
	i.Now = s.clock
	token := i.Token(s.clock(), map[string]any{"sub": "ci"})
	a := s.ask("POST", "/api/v1/runs", token, fmt.Sprintf(document, "second"))
	if a.status != http.StatusAccepted {
		t.Fatalf("asked for a run: %d %s", a.status, a.body)
	}
	job := decode[jobs.Job](t, a.body)
	lines := scanner(s.listen(job.ID, token))
	if !next(lines, func(_ string, now jobNow) bool { return now.State == jobs.Queued }) {
		t.Fatal("the stream says nothing")
	}
	s.later(10 * time.Minute)
	if next(lines, func(kind string, _ jobNow) bool { return kind == "end" }) {
		t.Error("an old token hears the end of the run")
	}
	for _, j := range decode[jobList](t, s.ask("GET", "/api/v1/jobs", s.read, "").body).Jobs {
		if j.ID != job.ID {
			s.ask("DELETE", "/api/v1/runs/"+j.ID, s.admin, "") // its turn has come
		}
	}
	listen := scanner(s.listen(job.ID, s.admin))
	if !next(listen, func(_ string, now jobNow) bool { return now.State == jobs.Running || now.State.Over() }) {
		t.Fatal("the stream ended")
	}
	now := decode[jobNow](t, s.ask("GET", "/api/v1/jobs/"+job.ID, s.admin, "").body)
	if now.State != jobs.Running || now.By != "ci (Lab)" {
		t.Errorf("it is %s, asked for by %s: %s", now.State, now.By, now.Why)
	}
	s.ask("DELETE", "/api/v1/runs/"+job.ID, s.admin, "")
	if !next(listen, func(kind string, _ jobNow) bool { return kind == "end" }) {
		t.Error("the stream ended without the outcome")
	}
}
