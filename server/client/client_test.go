package client

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A token does not travel in the clear, nor to an address that is none.
func TestNewRefuses(t *testing.T) {
	for _, address := range []string{"", "bench.example.com", "ftp://bench.example.com", "http://bench.example.com", "http://10.0.0.1:8470", "https://user:password@bench.example.com", "http://127.evil"} {
		if _, err := New(address, "token"); err == nil {
			t.Errorf("%q was taken", address)
		}
	}
	if _, err := New("https://bench.example.com", " "); err == nil {
		t.Error("an empty token was taken")
	}
	for _, address := range []string{"https://bench.example.com/", "http://127.0.0.1:8470", "http://localhost:1", "http://[::1]:1"} {
		if _, err := New(address, "token"); err != nil {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// A server that fails in the middle gets the rest, and what it has not again. A refusal is
// final.
func TestPushGoesOn(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "data"), []byte(strings.Repeat("x", 3*chunk/2)), 0o644); err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	calls, refused := 0, false
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		switch {
		case r.Header.Get("Authorization") != "Bearer secret":
			w.WriteHeader(http.StatusUnauthorized)
		case r.Method == "GET":
			w.WriteHeader(http.StatusNotFound)
		case refused:
			w.WriteHeader(http.StatusForbidden)
		case r.Method == "PATCH":
			if r.Header.Get("Upload-Offset") != fmt.Sprint(got.Len()) {
				w.WriteHeader(http.StatusConflict)
				return
			}
			if calls == 3 { // half of the first piece arrives
				io.CopyN(&got, r.Body, chunk/2)
				panic(http.ErrAbortHandler)
			}
			io.Copy(&got, r.Body)
		case strings.HasSuffix(r.URL.Path, "/finish"):
			fmt.Fprint(w, `{"runID": "run-1", "new": true}`)
		default:
			fmt.Fprintf(w, `{"id": "one", "offset": %d}`, got.Len())
		}
	}))
	defer h.Close()
	c, err := New(h.URL, "secret\n")
	if err != nil {
		t.Fatal(err)
	}
	c.Pause = time.Millisecond
	kept, err := c.Push(t.Context(), dir, "sha256:00")
	if err != nil || !kept.New || got.Len() < 3*chunk/2 || strings.Count(got.String(), "x") < 3*chunk/2 {
		t.Errorf("kept %+v, %v, %d bytes", kept, err, got.Len())
	}
	refused, calls = true, 0
	if _, err := c.Push(t.Context(), dir, "sha256:00"); err == nil || calls != 2 {
		t.Errorf("a refusal gave %v after %d calls, want an error after 2", err, calls)
	}
}
