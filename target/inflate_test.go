package target

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"testing"

	"github.com/andybalholm/brotli"
)

// flusher is what a server does with a compressed stream: each event is flushed
// by itself.
type flusher interface {
	io.WriteCloser
	Flush() error
}

// Case 28: whatever the coding and however the bytes were cut, the text is the
// same and each event has the stamp of the read that completed it.
func TestInflateKeepsStamps(t *testing.T) {
	codings := map[string]func(io.Writer) flusher{
		"gzip":    func(w io.Writer) flusher { return gzip.NewWriter(w) },
		"deflate": func(w io.Writer) flusher { return zlib.NewWriter(w) },
		"br":      func(w io.Writer) flusher { return brotli.NewWriter(w) },
	}
	parts := []string{roleEvent, helloEvent, worldEvent, finishEvent, usageEvent, doneEvent}
	for coding, open := range codings {
		t.Run(coding, func(t *testing.T) {
			var wire bytes.Buffer
			var ends []int // of each flushed event on the wire
			w := open(&wire)
			for _, part := range parts {
				if _, err := io.WriteString(w, part); err != nil {
					t.Fatal(err)
				}
				if err := w.Flush(); err != nil {
					t.Fatal(err)
				}
				ends = append(ends, wire.Len())
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			for size := 1; size <= 40; size++ {
				from := &stampedBody{body: wire.Bytes()}
				for end := size; end < wire.Len()+size; end += size {
					from.marks = append(from.marks, mark{end: min(end, wire.Len()), at: int64(min(end, wire.Len()))})
				}
				to, err := inflate(coding, from, 1<<20)
				if err != nil {
					t.Fatalf("reads of %d bytes: %v", size, err)
				}
				if string(to.body) != whole {
					t.Fatalf("reads of %d bytes: got %q", size, to.body)
				}
				a := answer{marks: to.marks}
				at := 0
				for i, part := range parts {
					at += len(part)
					// The stamp is that of the read that ended the event, or of one
					// before it when its last bytes carry no data of their own.
					got, _ := a.arrival(at)
					latest := int64((ends[i] + size - 1) / size * size)
					earliest := int64(0)
					if i > 0 {
						earliest = int64(ends[i-1])
					}
					if got > latest || got < earliest {
						t.Errorf("reads of %d bytes: event %d stamped at byte %d, want %d to %d", size, i, got, earliest, latest)
					}
				}
			}
		})
	}
}

func TestInflateBrokenOff(t *testing.T) {
	var wire bytes.Buffer
	w := gzip.NewWriter(&wire)
	io.WriteString(w, helloEvent)
	w.Flush()
	body := wire.Bytes()
	to, err := inflate("gzip", &stampedBody{body: body, marks: []mark{{end: len(body), at: 1}}}, 1<<20)
	if err == nil || to == nil || string(to.body) != helloEvent {
		t.Errorf("got %v, %v; want what could be read and an error", to, err)
	}
}
