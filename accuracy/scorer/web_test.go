package scorer

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/spec"
	"assay/unit"
)

// posted answers batches as mode says.
func posted(t *testing.T, mode string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var batch wireBatch
		if err := json.NewDecoder(r.Body).Decode(&batch); err != nil {
			t.Error(err)
		}
		switch mode {
		case "guarded":
			if r.Header.Get("Authorization") != "Bearer open-sesame" {
				http.Error(w, "who are you?", http.StatusUnauthorized)
				return
			}
		case "fails":
			http.Error(w, "no accelerator", http.StatusInternalServerError)
			return
		case "moves":
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
			return
		case "hangs":
			<-r.Context().Done()
			return
		case "floods":
			for range longestReply>>20 + 1 {
				fmt.Fprint(w, strings.Repeat(" ", 1<<20))
			}
			return
		}
		var replies []string
		for _, item := range batch.Batch {
			replies = append(replies, lengthOf(item))
		}
		fmt.Fprintf(w, `{"scores": [%s]}`, strings.Join(replies, ","))
	}
}

// An address is posted batches, with the credentials of the environment, and whatever it
// does wrong is a reason.
func TestWeb(t *testing.T) {
	t.Parallel()
	env := Environment{Lookup: func(name string) (string, bool) { return "Bearer open-sesame", name == "SCORER_KEY" }}
	tests := []struct {
		mode, variable, want, ended string
		timeout                     time.Duration
	}{
		{mode: "good", want: "1, 2, 3, 4"},
		{mode: "guarded", variable: "SCORER_KEY", want: "1, 2, 3, 4"},
		{mode: "guarded", want: "unscored, unscored, unscored, unscored", ended: "401 Unauthorized: who are you?"},
		{mode: "guarded", variable: "ABSENT", want: "unscored, unscored, unscored, unscored", ended: "environment variable ABSENT is not set"},
		{mode: "fails", want: "unscored, unscored, unscored, unscored", ended: "500 Internal Server Error: no accelerator"},
		{mode: "moves", want: "unscored, unscored, unscored, unscored", ended: "307 Temporary Redirect"},
		{mode: "hangs", want: "unscored, unscored, unscored, unscored", ended: "no reply within 50ms", timeout: 50 * time.Millisecond},
		{mode: "floods", want: "unscored, unscored, unscored, unscored", ended: "longer than 16 MiB"},
	}
	for _, tt := range tests {
		t.Run(tt.mode+tt.variable, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(posted(t, tt.mode))
			defer server.Close()
			s := spec.Scorer{Name: "own", URL: server.URL, Scores: []string{"length"}, Batch: 3, Timeout: unit.Duration(tt.timeout)}
			if tt.variable != "" {
				s.Headers = map[string]spec.Secret{"Authorization": {Env: tt.variable}}
			}
			results, ended := Run(t.Context(), s, env, items("x", "xx", "xxx", "xxxx"))
			if got := shown(results); got != tt.want {
				t.Errorf("got %s; want %s", got, tt.want)
			}
			if (ended == nil) != (tt.ended == "") || ended != nil && !strings.Contains(ended.Error(), tt.ended) {
				t.Errorf("ended with %v; want %q", ended, tt.ended)
			}
		})
	}
}

// A certificate is believed when its authority is named, and not otherwise.
func TestWebTLS(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(posted(t, "good"))
	defer server.Close()
	authority := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o644); err != nil {
		t.Fatal(err)
	}
	s := spec.Scorer{Name: "own", URL: server.URL, Scores: []string{"length"}}
	if _, err := Run(t.Context(), s, environment, items("x")); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("an unknown certificate was believed: %v", err)
	}
	s.TLS.CAFile = authority
	if results, err := Run(t.Context(), s, environment, items("x")); err != nil || shown(results) != "1" {
		t.Errorf("got %s, %v", shown(results), err)
	}
}
