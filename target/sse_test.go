package target

import (
	"slices"
	"strings"
	"testing"
)

func TestEvents(t *testing.T) {
	tests := []struct {
		name string
		body string
		want []string
		rest string
	}{
		{"two events", "data: a\n\ndata: b\n\n", []string{"a", "b"}, ""},
		{"carriage returns", "data: a\r\rdata: b\r\r", []string{"a", "b"}, ""},
		{"both line ends", "data: a\r\n\r\ndata: b\n\n", []string{"a", "b"}, ""},
		{"no space, two spaces", "data:a\n\ndata:  b\n\n", []string{"a", " b"}, ""},
		{"several data lines", "data: a\ndata: b\n\n", []string{"a\nb"}, ""},
		{"other fields and a mark at the start", "\xef\xbb\xbfevent: x\nid: 1\nretry: 5\ndata: a\n\n", []string{"a"}, ""},
		{"comment", ": alive\n\ndata: a\n\n", []string{"<comment>", "a"}, ""},
		{"name that only begins with data", "database: a\n\ndata: b\n\n", []string{"b"}, ""},
		{"half a line", "data: a\n\ndata: {\"x", []string{"a"}, "data: {\"x"},
		{"no blank line", "data: a\n\ndata: [DONE]\n", []string{"a"}, "data: [DONE]\n"},
		{"empty data", "data\n\n", []string{""}, ""},
		{"nothing", "", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			last := 0
			rest := events([]byte(tt.body), func(data []byte, end int) {
				if end <= last || end > len(tt.body) {
					t.Errorf("event ends at %d after one that ended at %d", end, last)
				}
				last = end
				if data == nil {
					got = append(got, "<comment>")
					return
				}
				got = append(got, string(data))
			})
			if !slices.Equal(got, tt.want) || string(rest) != tt.rest {
				t.Errorf("events = %q, rest %q; want %q, rest %q", got, rest, tt.want, tt.rest)
			}
		})
	}
}

// The work must grow with the body and not with its square, which here would be
// an hour: no clock has to say so.
func TestEventsInLinearTime(t *testing.T) {
	t.Parallel()
	const size = 4 << 20
	f := func(line, end string, events, data int) {
		t.Helper()
		gotEvents, gotData := 0, 0
		rest := eventsOf(strings.Repeat(line, size/len(line))+end, func(text []byte) {
			gotEvents++
			gotData += len(text)
		})
		if gotEvents != events || gotData != data || rest != 0 {
			t.Errorf("%q: %d events with %d bytes of data, %d bytes left; want %d with %d", line, gotEvents, gotData, rest, events, data)
		}
	}
	f("data:a\n", "\n", 1, 2*(size/7)-1)
	f("data:a\r", "\r", 1, 2*(size/7)-1)
	f(":\r", "", size/2, 0)
	f(":\n", "", size/2, 0)
	f("\r", "", 0, 0)
	f("x\r", "\n", 0, 0)
}

func eventsOf(body string, yield func(data []byte)) (rest int) {
	return len(events([]byte(body), func(data []byte, _ int) { yield(data) }))
}

func FuzzEvents(f *testing.F) {
	f.Add([]byte("data: a\r\n\r\ndata: b\n\n"))
	f.Add([]byte("\xef\xbb\xbf: x\rdata\r\r"))
	f.Add([]byte(":\r0"))
	f.Fuzz(func(t *testing.T, body []byte) {
		last, whole := 0, 0
		rest := events(body, func(data []byte, end int) {
			if end < last || end > len(body) {
				t.Fatalf("event ends at %d after one that ended at %d, body of %d", end, last, len(body))
			}
			if last = end; data != nil { // a comment may stand inside of an event
				whole = end
			}
		})
		if len(rest) > len(body)-whole {
			t.Fatalf("the rest of %d bytes reaches into events that ended at %d of %d", len(rest), whole, len(body))
		}
	})
}
