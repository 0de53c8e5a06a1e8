package server

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// FuzzRequest: whatever somebody with a token to write asks for, the server answers
// without failing inside and without saying where it keeps things.
func FuzzRequest(f *testing.F) {
	s := open(f, nil)
	s.kept("run-1", "nightly", 1)
	h := s.srv.Handler()
	for _, r := range s.srv.routes {
		f.Add(r.Method, strings.NewReplacer("{run}", "run-1", "{id}", strings.Repeat("0", 32), "{path...}", "spec.yaml", "{$}", "", "{name}", "style.css", "{series}", "0011223344556677").Replace(r.Path), "metric=ttft&run=run-1&run=run-1&of=1+ms", `{"sql": "SELECT 1"}`, "0")
	}
	f.Add("POST", "/api/v1/uploads", "", `{"bytes": 1, "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}`, "")
	f.Fuzz(func(t *testing.T, method, path, query, body, offset string) {
		r := &http.Request{Method: method, Host: "localhost", RemoteAddr: "127.0.0.1:1", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body))}
		u, err := url.Parse("http://localhost/")
		must(t, err)
		u.Path, u.RawQuery = "/"+strings.TrimPrefix(path, "/"), query
		r.URL, r.RequestURI = u, u.RequestURI()
		r.Header.Set("Authorization", "Bearer "+s.write)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Upload-Offset", offset)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code == http.StatusInternalServerError {
			t.Errorf("%s %s?%s failed inside: %s", method, path, query, s.log.String())
		}
		if strings.Contains(w.Body.String(), s.dir) {
			t.Errorf("%s %s?%s says where things lie", method, path, query)
		}
	})
}
