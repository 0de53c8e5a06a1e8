package secret

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestSameHost(t *testing.T) {
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another host was asked for %s with key %q", r.URL.Path, r.Header.Get("x-api-key"))
	}))
	defer thief.Close()
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		switch r.URL.Path {
		case "/metrics":
			http.Redirect(w, r, "/metrics/", http.StatusTemporaryRedirect)
		case "/elsewhere":
			http.Redirect(w, r, thief.URL+"/v1/models", http.StatusFound)
		case "/other-scheme":
			http.Redirect(w, r, strings.Replace("http://"+r.Host, "http:", "https:", 1), http.StatusFound)
		case "/in-two-steps":
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		case "/endless":
			http.Redirect(w, r, "/endless", http.StatusFound)
		}
	}))
	defer server.Close()
	client := &http.Client{CheckRedirect: SameHost}
	for _, tt := range []struct {
		path          string
		status, asked int
	}{
		{"/metrics", http.StatusOK, 2},
		{"/elsewhere", http.StatusFound, 1},
		{"/other-scheme", http.StatusFound, 1},
		{"/in-two-steps", http.StatusFound, 2},
		{"/endless", http.StatusFound, mostRedirects},
	} {
		asked = 0
		req, err := http.NewRequest(http.MethodGet, server.URL+tt.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("x-api-key", "sk-0123456789")
		resp, err := client.Do(req)
		if err != nil {
			t.Fatalf("%s: %v", tt.path, err)
		}
		resp.Body.Close()
		if resp.StatusCode != tt.status || asked != tt.asked {
			t.Errorf("%s: status %d after %d requests, want %d after %d", tt.path, resp.StatusCode, asked, tt.status, tt.asked)
		}
	}
}
