package client

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"assay/bundle/parcel"
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

// While another client sends the same bundle, this one waits and sends nothing; it goes on
// where the other broke off, and takes for done what the other finished.
func TestPushBesideAnother(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "data"), []byte(strings.Repeat("x", 1000)), 0o644); err != nil {
		t.Fatal(err)
	}
	size, _, err := parcel.Measure(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		breaksOff int64 // where the other ends; all of it means that it finishes
		want      Kept
		sent      int64 // by this client
	}{
		"the other finishes":   {breaksOff: size, want: Kept{RunID: "theirs"}},
		"the other breaks off": {breaksOff: size / 2, want: Kept{RunID: "ours", New: true}, sent: size - size/2},
	} {
		var has, sent int64
		polls := 0
		h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			over := has >= tt.breaksOff
			switch {
			case r.Method == "GET" && over && tt.breaksOff == size:
				fmt.Fprint(w, `{"runID": "theirs"}`)
			case r.Method == "GET":
				w.WriteHeader(http.StatusNotFound)
			case r.URL.Path == "/api/v1/uploads":
				polls++
				fmt.Fprintf(w, `{"id": "one", "offset": %d}`, has)
				if polls > 1 { // more tries than are made of what does not move
					has = min(tt.breaksOff, has+tt.breaksOff/(2*tries))
				}
			case r.Method == "PATCH" && !over:
				w.WriteHeader(http.StatusConflict)
			case r.Method == "PATCH":
				n, _ := io.Copy(io.Discard, r.Body)
				sent, has = sent+n, has+n
			case has < size:
				w.WriteHeader(http.StatusConflict)
			default:
				fmt.Fprint(w, `{"runID": "ours", "new": true}`)
			}
		}))
		c, err := New(h.URL, "secret")
		if err != nil {
			t.Fatal(err)
		}
		c.Pause = time.Microsecond
		got, err := c.Push(t.Context(), dir, "sha256:00")
		if err != nil || got != tt.want || sent != tt.sent {
			t.Errorf("%s: %+v, %v after %d bytes, want %+v after %d", name, got, err, sent, tt.want, tt.sent)
		}
		h.Close()
	}
}

// A server that says when to ask again is asked then, and not before.
func TestPushWaitsAsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Client{}
		begun := time.Now()
		answers := []error{&refusal{status: 503, after: 7 * time.Second}, &refusal{status: 503, after: time.Hour}, &refusal{status: 503}, nil}
		var at []time.Duration
		err := c.retried(t.Context(), func() (bool, error) {
			at = append(at, time.Since(begun))
			return false, answers[len(at)-1]
		})
		if want := []time.Duration{0, 7 * time.Second, 37 * time.Second, 41 * time.Second}; err != nil || !slices.Equal(at, want) {
			t.Errorf("%v, tried after %v, want %v", err, at, want)
		}
	})
}
