package server

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/tokens"
)

func urlText(text string) string { return url.QueryEscape(text) }

// Every client that should be refused is, with a status that says why, an answer in our own
// words and no secret in it.
func TestHostileClients(t *testing.T) {
	s := open(t, nil)
	s.kept("run-1", "nightly", 1)
	revoked, token, err := tokens.New("revoked", tokens.Admin, s.now, time.Hour)
	must(t, err)
	must(t, s.tokens.Add(token))
	must(t, s.tokens.Revoke(token.ID))
	old, token, err := tokens.New("old", tokens.Admin, s.now.Add(-2*time.Hour), time.Hour)
	must(t, err)
	must(t, s.tokens.Add(token))
	data, promised := packed(t, sealed(t, "run-2", "nightly", 1))
	one := decode[upload](t, s.ask("POST", "/api/v1/uploads", s.write, promised).body)
	uploadPath := "/api/v1/uploads/" + one.ID
	stranger, token, err := tokens.New("another writer", tokens.Admin, s.now, 24*time.Hour)
	must(t, err)
	must(t, s.tokens.Add(token))
	offset := func(text string) func(*http.Request) { return header("Upload-Offset", text) }
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	large := strings.Repeat("x", 70<<10)
	asks := fmt.Sprintf(document, "asked")
	act := `{"as": "retracted", "why": "x"}`
	tests := []struct {
		name, method, path, token, body string
		want                            int
		change                          func(*http.Request)
	}{
		{"no token", "GET", "/api/v1/runs", "", "", 401, nil},
		{"no token for a page goes to the way in", "GET", "/runs", "", "", 303, nil},
		{"no token for metrics", "GET", "/metrics", "", "", 401, nil},
		{"no token for the description", "GET", "/api/openapi.json", "", "", 401, nil},
		{"no token for an upload", "POST", "/api/v1/uploads", "", promised, 401, nil},
		{"no token for a form", "POST", "/alerts/0011223344556677", "", "", 401, nil},
		{"a made-up token", "GET", "/api/v1/runs", "assay_0011223344556677_AAAA", "", 401, nil},
		{"an expired token", "GET", "/api/v1/runs", old, "", 401, nil},
		{"a revoked token", "GET", "/api/v1/runs", revoked, "", 401, nil},
		{"a token in the address", "GET", "/api/v1/runs?token=" + s.read, "", "", 401, nil},
		{"a token as a cookie", "GET", "/api/v1/runs", "", "", 401, header("Cookie", "assay="+s.read)},
		{"a made-up session", "GET", "/api/v1/runs", "", "", 401, header("Cookie", "assay=AAAAAAAAAAAAAAAAAAAAAAAAAA")},
		{"a reader uploads", "POST", "/api/v1/uploads", s.read, promised, 403, nil},
		{"a reader looks at an upload", "GET", uploadPath, s.read, "", 403, nil},
		{"a reader decides about an alert", "POST", "/api/v1/alerts/0011223344556677", s.read, act, 403, nil},
		{"a writer decides about a run", "POST", "/api/v1/runs/run-1/acts", s.write, act, 403, nil},
		{"another site writes in a browser", "POST", "/api/v1/uploads", s.write, promised, 403, header("Sec-Fetch-Site", "cross-site")},
		{"a sister site writes in a browser", "POST", "/api/v1/uploads", s.write, promised, 403, header("Sec-Fetch-Site", "same-site")},
		{"another origin writes", "POST", "/api/v1/uploads", s.write, promised, 403, header("Origin", "https://evil.example")},
		{"an origin of null writes", "POST", "/api/v1/uploads", s.write, promised, 403, header("Origin", "null")},
		{"another site logs a browser in", "POST", "/login", "", "token=" + s.read, 403, header("Origin", "https://evil.example")},
		{"another site logs a browser out", "POST", "/logout", "", "", 403, header("Origin", "https://evil.example")},
		{"a name that was bound to this address", "GET", "/api/v1/runs", s.read, "", 421, host("evil.example")},
		{"such a name with our port", "GET", "/healthz", "", "", 421, host("evil.example:8470")},
		{"a name that begins as ours", "GET", "/healthz", "", "", 421, host("localhost.evil.example")},
		{"an address of another network", "GET", "/healthz", "", "", 421, host("10.0.0.1")},
		{"a path that climbs", "GET", "/api/v1/runs/run-1/files/..%2f..%2f..%2ftokens.json", s.read, "", 404, nil},
		{"a path that climbs, written out", "GET", "/api/v1/runs/run-1/files/%2e%2e/%2e%2e/tokens.json", s.read, "", 404, nil},
		{"an absolute path", "GET", "/api/v1/runs/run-1/files//etc/passwd", s.read, "", 307, nil},
		{"a path with a zero byte", "GET", "/api/v1/runs/run-1/files/spec.yaml%00.txt", s.read, "", 404, nil},
		{"a file that the catalogue does not list", "GET", "/api/v1/runs/run-1/files/nothing", s.read, "", 404, nil},
		{"an asset outside of the assets", "GET", "/assets/..%2fserver.go", "", "", 404, nil},
		{"a template as an asset", "GET", "/assets/layout.tmpl", "", "", 404, nil},
		{"a run that climbs", "GET", "/api/v1/runs/..%2f..%2ftokens.json", s.read, "", 404, nil},
		{"a body that is too long", "POST", "/api/v1/query", s.read, `{"sql": "` + large + `"}`, 413, nil},
		{"a body that is too long, in pieces", "POST", "/api/v1/query", s.read, `{"sql": "` + large + `"}`, 413, func(r *http.Request) { r.ContentLength = -1 }},
		{"a body where there is none", "GET", "/api/v1/runs", s.read, "x", 400, nil},
		{"another kind of body", "POST", "/api/v1/query", s.read, `{"sql": "SELECT 1"}`, 415, header("Content-Type", "text/plain")},
		{"a field that there is not", "POST", "/api/v1/query", s.read, `{"sql": "SELECT 1", "admin": true}`, 400, nil},
		{"two values", "POST", "/api/v1/query", s.read, `{"sql": "SELECT 1"} {"sql": "SELECT 2"}`, 400, nil},
		{"half a value", "POST", "/api/v1/query", s.read, `{"sql": "SEL`, 400, nil},
		{"deep nesting", "POST", "/api/v1/query", s.read, strings.Repeat("[", 20_000), 400, nil},
		{"a query that writes", "POST", "/api/v1/query", s.read, `{"sql": "DELETE FROM benchmark_run_fact"}`, 400, nil},
		{"a query that writes behind another", "POST", "/api/v1/query", s.read, `{"sql": "SELECT 1; DROP TABLE metric_fact"}`, 400, nil},
		{"a query that writes inside of WITH", "POST", "/api/v1/query", s.read, `{"sql": "WITH x AS (SELECT 1) DELETE FROM benchmark_run_fact"}`, 400, nil},
		{"a query that opens a file", "POST", "/api/v1/query", s.read, `{"sql": "ATTACH '/etc/passwd' AS p"}`, 400, nil},
		{"a query that writes a file", "POST", "/api/v1/query", s.read, `{"sql": "VACUUM INTO '/tmp/copy'"}`, 400, nil},
		{"too many rows", "POST", "/api/v1/query", s.read, `{"sql": "SELECT 1", "rows": 100000}`, 400, nil},
		{"a parameter that there is not", "GET", "/api/v1/runs?nmae=x", s.read, "", 400, nil},
		{"a parameter twice", "GET", "/api/v1/runs?name=x&name=y", s.read, "", 400, nil},
		{"a parameter that is too long", "GET", "/api/v1/runs?name=" + strings.Repeat("x", 11_000), s.read, "", 400, nil},
		{"rows without end", "GET", "/api/v1/runs?rows=1000000000", s.read, "", 400, nil},
		{"rows below nothing", "GET", "/api/v1/runs?rows=-1", s.read, "", 400, nil},
		{"SQL in a filter fits nothing", "GET", "/api/v1/runs?name='+OR+1=1--", s.read, "", 200, nil},
		{"a method that there is not", "DELETE", "/api/v1/runs", s.admin, "", 405, nil},
		{"a method hidden in a header", "POST", "/api/v1/history", s.admin, "", 405, header("X-HTTP-Method-Override", "GET")},
		{"TRACE", "TRACE", "/api/v1/runs", s.read, "", 405, nil},
		{"a path that there is not", "GET", "/api/v2/runs", s.read, "", 404, nil},
		{"an upload of nothing", "POST", "/api/v1/uploads", s.write, `{"bytes": 0, "sha256": "` + strings.Repeat("0", 64) + `"}`, 400, nil},
		{"an upload that is too large", "POST", "/api/v1/uploads", s.write, `{"bytes": 99999999999999, "sha256": "` + strings.Repeat("0", 64) + `"}`, 413, nil},
		{"an upload without a digest", "POST", "/api/v1/uploads", s.write, `{"bytes": 10, "sha256": "../../x"}`, 400, nil},
		{"an upload of another name", "PATCH", "/api/v1/uploads/..%2f..%2fbundles", s.write, "x", 404, offset("0")},
		{"bytes behind the end", "PATCH", uploadPath, s.write, "x", 409, offset("10")},
		{"bytes before the beginning", "PATCH", uploadPath, s.write, "x", 409, offset("-1")},
		{"bytes nowhere", "PATCH", uploadPath, s.write, "x", 400, offset("0x10")},
		{"more bytes than were promised", "PATCH", uploadPath, s.write, data + "x", 413, offset("0")},
		{"bytes without a length", "PATCH", uploadPath, s.write, "x", 411, func(r *http.Request) { r.ContentLength = -1; offset("0")(r) }},
		{"an upload that is finished twice", "POST", "/api/v1/uploads/" + strings.Repeat("0", 32) + "/finish", s.write, "", 404, nil},
		{"another token looks at an upload", "GET", uploadPath, stranger, "", 404, nil},
		{"another token adds to an upload", "PATCH", uploadPath, stranger, "x", 404, offset("0")},
		{"another token drops an upload", "DELETE", uploadPath, stranger, "", 404, nil},
		{"another token finishes an upload", "POST", uploadPath + "/finish", stranger, "", 404, nil},
		{"an alert that there is not", "POST", "/api/v1/alerts/0011223344556677", s.write, `{"run": "run-1", "as": "fixed", "why": "x"}`, 404, nil},
		{"a decision without a reason", "POST", "/api/v1/runs/run-1/acts", s.admin, `{"as": "retracted", "why": " "}`, 400, nil},
		{"a decision that there is not", "POST", "/api/v1/runs/run-1/acts", s.admin, `{"as": "deleted", "why": "x"}`, 400, nil},
		{"one run compared", "GET", "/api/v1/compare?run=run-1", s.read, "", 400, nil},
		{"six runs compared", "GET", "/api/v1/compare?run=a&run=b&run=c&run=d&run=e&run=f", s.read, "", 400, nil},
		{"a reader asks for a run", "POST", "/api/v1/runs", s.read, asks, 403, nil},
		{"a writer asks for a run", "POST", "/api/v1/runs", s.write, asks, 403, nil},
		{"no token asks for a run", "POST", "/api/v1/runs", "", asks, 401, nil},
		{"another site asks for a run", "POST", "/api/v1/runs", s.admin, asks, 403, header("Sec-Fetch-Site", "cross-site")},
		{"a run where none is allowed", "POST", "/api/v1/runs", s.admin, asks, 422, nil},
		{"a run on Kubernetes", "POST", "/api/v1/runs?launcher=kubernetes", s.admin, asks, 422, nil},
		{"a run of another kind", "POST", "/api/v1/runs", s.admin, asks, 415, header("Content-Type", "text/plain")},
		{"a document that is too long", "POST", "/api/v1/runs", s.admin, strings.Repeat("x", 2<<20), 413, nil},
		{"a reader ends a run", "DELETE", "/api/v1/runs/job-0011223344556677", s.read, "", 403, nil},
		{"a run that nobody asked for is ended", "DELETE", "/api/v1/runs/job-0011223344556677", s.admin, "", 404, nil},
		{"a run of the warehouse is ended", "DELETE", "/api/v1/runs/run-1", s.admin, "", 404, nil},
		{"no token listens to a run", "GET", "/api/v1/runs/job-0011223344556677/events", "", "", 401, nil},
		{"events of a run that nobody asked for", "GET", "/api/v1/runs/job-0011223344556677/events", s.read, "", 404, nil},
		{"events of a path that climbs", "GET", "/api/v1/runs/..%2f..%2ftokens.json/events", s.read, "", 404, nil},
		{"a job that climbs", "GET", "/api/v1/jobs/..%2f..%2ftokens.json", s.read, "", 404, nil},
		{"the page of a job that climbs", "GET", "/jobs/..%2f..%2ftokens.json", s.read, "", 404, nil},
		{"a reader asks for a run in a form", "POST", "/jobs", s.read, "document=x", 403, header("Content-Type", "application/x-www-form-urlencoded")},
		{"a run in a form of another kind", "POST", "/jobs", s.admin, asks, 415, nil},
		{"a writer ends a run in a form", "POST", "/jobs/job-0011223344556677/cancel", s.write, "", 403, nil},
		{"a gate without a policy", "GET", "/api/v1/gate?baseline=run-1&candidate=run-1", s.read, "", 422, nil},
		{"a gate by a policy that is none", "GET", "/api/v1/gate?baseline=run-1&candidate=run-1&policy=" + urlText(asks), s.read, "", 422, nil},
		{"a gate of runs that there are not", "GET", "/api/v1/gate?baseline=..%2fx&candidate=run-1&policy=" + urlText(firstPolicy), s.read, "", 404, nil},
		{"a gate by a policy without end", "GET", "/gate?policy=" + strings.Repeat("x", 11_000), s.read, "", 400, nil},
		{"inside of a run that climbs", "GET", "/runs/..%2f..%2ftokens.json/inside", s.read, "", 404, nil},
		{"cost with a filter that there is not", "GET", "/economy?nmae=x", s.read, "", 400, nil},
		{"quality without a token goes to the way in", "GET", "/quality", "", "", 303, nil},
		{"a form of another kind", "POST", "/login", "", `{"token": "x"}`, 415, nil},
	}
	if len(tests) < 40 {
		t.Errorf("%d clients, want 40 or more", len(tests))
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s.later(time.Minute / 4) // wrong tokens are slowed down, which is another test
			var change []func(*http.Request)
			if tt.change != nil {
				change = append(change, tt.change)
			}
			a := s.ask(tt.method, tt.path, tt.token, tt.body, change...)
			if a.status != tt.want {
				t.Errorf("got %d %.300s, want %d", a.status, a.body, tt.want)
			}
			for _, secret := range []string{s.dir, s.read, s.write, s.admin, "goroutine"} {
				if strings.Contains(a.body, secret) {
					t.Errorf("the answer holds %q: %.300s", secret, a.body)
				}
			}
		})
	}
	// Nothing of all this changed anything.
	list := decode[runList](t, s.ask("GET", "/api/v1/runs", s.read, "").body)
	if list.All != 1 || !list.Runs[0].Counts {
		t.Errorf("%d runs, counts %v", list.All, list.Runs[0].Counts)
	}
	s.noSecrets()
}

// noSecrets looks for tokens in everything that was written down.
func (s *site) noSecrets() {
	s.t.Helper()
	audit, err := os.ReadFile(filepath.Join(s.dir, "audit.jsonl"))
	must(s.t, err)
	for _, secret := range []string{s.read, s.write, s.admin} {
		random := strings.SplitN(secret, "_", 3)[2] // which may have such signs itself
		if strings.Contains(s.log.String(), random) || strings.Contains(string(audit), random) {
			s.t.Error("a log holds a token")
		}
	}
	if len(audit) == 0 {
		s.t.Error("nothing was audited")
	}
}

// Requests that a library would not send: the server answers with a refusal or hangs up,
// and serves the next one.
func TestHostileWire(t *testing.T) {
	s := open(t, nil)
	at := strings.TrimPrefix(s.url, "http://")
	tests := []struct{ name, wire string }{
		{"two lengths", "POST /api/v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"},
		{"a length and pieces", "POST /api/v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n"},
		{"two hosts", "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"},
		{"no host", "GET /healthz HTTP/1.1\r\n\r\n"},
		{"a host in the request line", "GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"},
		{"a negative length", "POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n"},
		{"headers without end", "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 64<<10) + "\r\n\r\n"},
		{"a header that is folded", "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b: c\r\n evil\r\n\r\nx"},
		{"no HTTP", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"},
		{"another version", "GET /healthz HTTP/9.9\r\nHost: localhost\r\n\r\n"},
		{"CONNECT", "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			conn, err := net.Dial("tcp", at)
			must(t, err)
			defer conn.Close()
			must(t, conn.SetDeadline(time.Now().Add(time.Minute)))
			_, err = io.WriteString(conn, tt.wire)
			must(t, err)
			a, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				return // it hung up
			}
			defer a.Body.Close()
			if a.StatusCode < 400 && tt.name != "a header that is folded" {
				t.Errorf("answered %s", a.Status)
			}
		})
	}
	if a := s.ask("GET", "/healthz", "", ""); a.status != http.StatusOK {
		t.Errorf("afterwards: %d", a.status)
	}
}

// Somebody who guesses tokens is slowed down; somebody else is not.
func TestGuessing(t *testing.T) {
	s := open(t, nil)
	slowed := 0
	for i := range 30 {
		if s.ask("GET", "/api/v1/runs", fmt.Sprintf("assay_%016x_AAAA", i), "").status == http.StatusTooManyRequests {
			slowed++
		}
	}
	if slowed != 10 {
		t.Errorf("%d of 30 guesses were slowed down, want those after the first 20", slowed)
	}
	if a := s.ask("POST", "/login", "", "token="+s.read, header("Content-Type", "application/x-www-form-urlencoded")); a.status != http.StatusTooManyRequests {
		t.Errorf("logging in meanwhile: %d, want 429", a.status)
	}
	if a := s.ask("GET", "/api/v1/runs", s.read, ""); a.status != http.StatusOK {
		t.Errorf("a good token meanwhile: %d", a.status)
	}
	s.later(time.Minute)
	if a := s.ask("GET", "/api/v1/runs", "assay_0011223344556677_AAAA", ""); a.status != http.StatusUnauthorized {
		t.Errorf("a minute later: %d, want 401", a.status)
	}
}

func TestRequestsPerSecond(t *testing.T) {
	s := open(t, func(o *Options) { o.PerSecond = 5 })
	refused := 0
	for range 15 {
		if s.ask("GET", "/healthz", "", "").status == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused != 5 {
		t.Errorf("%d of 15 requests were refused, want those after the first 10", refused)
	}
	s.later(time.Second)
	if a := s.ask("GET", "/healthz", "", ""); a.status != http.StatusOK {
		t.Errorf("a second later: %d", a.status)
	}
}

// A browser's session: strict cookie, scope of its token, ended by logging out, by
// revoking the token and by time; and no way to be sent elsewhere.
func TestSession(t *testing.T) {
	s := open(t, nil)
	isForm := header("Content-Type", "application/x-www-form-urlencoded")
	logIn := func(next string) (answer, func(*http.Request)) {
		a := s.ask("POST", "/login", "", "token="+s.read+"&next="+urlText(next), isForm)
		cookie, _, _ := strings.Cut(a.header.Get("Set-Cookie"), ";")
		return a, header("Cookie", cookie)
	}
	a, session := logIn("/runs?name=x")
	if a.status != http.StatusSeeOther || a.header.Get("Location") != "/runs?name=x" {
		t.Fatalf("log in: %d to %q", a.status, a.header.Get("Location"))
	}
	for _, want := range []string{"HttpOnly", "SameSite=Strict", "Path=/", "Max-Age="} {
		if !strings.Contains(a.header.Get("Set-Cookie"), want) {
			t.Errorf("the cookie %q has no %s", a.header.Get("Set-Cookie"), want)
		}
	}
	if strings.Contains(a.header.Get("Set-Cookie"), s.read) {
		t.Error("the cookie holds the token")
	}
	if a := s.ask("GET", "/api/v1/runs", "", "", session); a.status != http.StatusOK {
		t.Errorf("the session reads: %d", a.status)
	}
	if a := s.ask("POST", "/api/v1/uploads", "", "{}", session); a.status != http.StatusForbidden {
		t.Errorf("the session of a reader writes: %d", a.status)
	}
	for _, next := range []string{"https://evil.example/", "//evil.example", `/\evil.example`, "javascript:alert(1)", "/\tevil", ""} {
		if a, _ := logIn(next); a.header.Get("Location") != "/" {
			t.Errorf("next %q leads to %q", next, a.header.Get("Location"))
		}
	}
	s.ask("POST", "/logout", "", "", session)
	if a := s.ask("GET", "/api/v1/runs", "", "", session); a.status != http.StatusUnauthorized {
		t.Errorf("after logging out: %d", a.status)
	}
	_, session = logIn("/")
	s.later(2 * time.Hour) // the token counts for one
	if a := s.ask("GET", "/api/v1/runs", "", "", session); a.status != http.StatusUnauthorized {
		t.Errorf("after the token's end: %d", a.status)
	}
	s.later(-2 * time.Hour)
	_, session = logIn("/")
	list, err := s.tokens.List()
	must(t, err)
	for _, one := range list {
		must(t, s.tokens.Revoke(one.ID))
	}
	if a := s.ask("GET", "/api/v1/runs", "", "", session); a.status != http.StatusUnauthorized {
		t.Errorf("after the token was revoked: %d", a.status)
	}
	s.noSecrets()
}

// Secure servers mark their cookies so that no other can set them.
func TestSecureCookie(t *testing.T) {
	s := open(t, func(o *Options) { o.Secure = true })
	a := s.ask("POST", "/login", "", "token="+s.read, header("Content-Type", "application/x-www-form-urlencoded"))
	if cookie := a.header.Get("Set-Cookie"); !strings.HasPrefix(cookie, "__Host-assay=") || !strings.Contains(cookie, "Secure") {
		t.Errorf("the cookie is %q", cookie)
	}
	if a.header.Get("Strict-Transport-Security") == "" {
		t.Error("no Strict-Transport-Security")
	}
}

// Somebody who sends slower than is allowed, or nothing at all, is hung up on: headers that
// never end, and a body that never comes.
func TestSlowClients(t *testing.T) {
	s := open(t, nil)
	h := s.srv.HTTP()
	if h.ReadHeaderTimeout == 0 || h.ReadTimeout == 0 || h.WriteTimeout == 0 || h.IdleTimeout == 0 || h.MaxHeaderBytes == 0 {
		t.Fatalf("the server has a limit that is not set: %+v", h)
	}
	h.ReadHeaderTimeout, h.ReadTimeout = 50*time.Millisecond, 100*time.Millisecond // as in life, in less time
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	done := make(chan error, 1)
	go func() { done <- h.Serve(l) }()
	defer func() { h.Close(); <-done }()
	for name, wire := range map[string]string{
		"half a header": "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ",
		"nothing":       "",
		"half a body":   "POST /api/v1/query HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + s.read + "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", l.Addr().String())
			must(t, err)
			defer conn.Close()
			must(t, conn.SetDeadline(time.Now().Add(time.Minute)))
			_, err = io.WriteString(conn, wire)
			must(t, err)
			answer, err := io.ReadAll(conn) // ends when the server hangs up
			if err != nil || strings.Contains(string(answer), " 200 ") {
				t.Errorf("got %q, %v, want the end of the connection", answer, err)
			}
		})
	}
}
