package token

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// Each form of /tokenize is found, once: vLLM wants prompt and counts, llama.cpp
// wants content, answers without a count and ignores what it does not know, GuideLLM's
// mock wants text and refuses the rest.
func TestServerForms(t *testing.T) {
	for _, tt := range []struct {
		field  string
		strict bool
	}{{"prompt", true}, {"content", false}, {"text", true}} {
		var asked atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			var q map[string]any
			if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
				t.Error(err)
			}
			text, ok := q[tt.field].(string)
			if !ok && tt.strict {
				http.Error(w, "field "+tt.field+" is required", http.StatusBadRequest)
				return
			}
			answer := map[string]any{"tokens": make([]int, len(strings.Fields(text)))}
			if tt.strict {
				answer["count"] = len(strings.Fields(text))
			}
			json.NewEncoder(w).Encode(answer)
		}))
		s := &Server{HTTP: server.Client(), URL: server.URL}
		if n, err := s.Count("one two three"); err != nil || n != 3 {
			t.Errorf("%s: %d tokens, %v; want 3", tt.field, n, err)
		}
		before := asked.Load()
		if _, err := s.Count("four"); err != nil || asked.Load() != before+1 {
			t.Errorf("%s: a form that is known is asked %d times, want once (%v)", tt.field, asked.Load()-before, err)
		}
		server.Close()
	}
}
