package target

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"assay/record"
)

// What a person sees first is neither a space, nor a character without width, nor a dot of
// reasoning.
func TestShown(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		events []string // deltas, each in a read of its own
		first  int      // the event that is seen first; -1 for none
		answer int
		bytes  int32
		words  int32
	}{
		{"words", []string{`"content":"one"`, `"content":" two"`}, 0, 0, 6, 2},
		{"a space first", []string{`"content":" "`, `"content":"\n"`, `"content":"one"`}, 2, 2, 3, 1},
		{"no width", []string{`"content":"\u200b\ufeff"`, `"content":"one\u200b"`}, 1, 1, 3, 1},
		{"a dot of reasoning", []string{`"reasoning_content":"."`, `"reasoning_content":" hm"`, `"content":"one"`}, 1, 2, 6, 2},
		{"reasoning alone", []string{`"reasoning_content":"hm"`}, 0, -1, 2, 1},
		{"said twice", []string{`"content":" one"`, `"content":" one"`, `"content":" two"`}, 0, 0, 9, 3},
		{"a tool", []string{`"tool_calls":[{"index":0}]`}, 0, 0, 0, 0},
		{"nothing to be seen", []string{`"content":"\u200b"`, `"content":"\u2800"`}, -1, -1, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url := serve(t, func(conn net.Conn, _ *http.Request) {
				fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
				for _, d := range tt.events {
					fmt.Fprintf(conn, "data: {\"model\":\"m\",\"system_fingerprint\":\"fp\",\"choices\":[{\"delta\":{%s}}]}\n\n", d)
					time.Sleep(5 * time.Millisecond)
				}
				fmt.Fprint(conn, finishEvent+doneEvent)
			})
			words := func(text string) (int, error) { return len(strings.Fields(text)), nil }
			r, chunks := ask1(t, t.Context(), newClient(t, url, func(cfg *Config) { cfg.CountText = words }))
			if r.Result != record.OK || r.Model != "m" || r.Fingerprint != "fp" {
				t.Fatalf("%s %s: model %q of %q", r.Result, r.Error, r.Model, r.Fingerprint)
			}
			for what, at := range map[string]struct {
				got   *int64
				event int
			}{"visible": {r.FirstVisible, tt.first}, "answer": {r.FirstAnswer, tt.answer}} {
				if (at.got == nil) != (at.event < 0) || at.got != nil && *at.got != chunks[at.event].At {
					t.Errorf("first %s is %v, want event %d", what, at.got, at.event)
				}
			}
			if tt.name == "said twice" && (*r.Repeated != 1 || *r.VisibleParts != 3) {
				t.Errorf("%d of %d events repeat the one before, want 1 of 3", *r.Repeated, *r.VisibleParts)
			}
			if tt.bytes > 0 && (*r.VisibleBytes != tt.bytes || *r.OwnTokens != tt.words) {
				t.Errorf("%d bytes of %d words, want %d of %d", *r.VisibleBytes, *r.OwnTokens, tt.bytes, tt.words)
			}
		})
	}
}
