//go:build linux && (amd64 || arm64)

package sandbox

import (
	"io"
	"strings"
	"sync"
)

// tailBytes is how much of a program's output is kept: the end of a traceback.
const tailBytes = 4 << 10

// A tail keeps the last bytes of what is written to it and counts the rest.
type tail struct {
	mu    sync.Mutex
	keep  int
	bytes []byte
	total int64
}

func newTail(keep int) *tail { return &tail{keep: keep} }

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total += int64(len(p))
	t.bytes = append(t.bytes, p[max(0, len(p)-t.keep):]...)
	if over := len(t.bytes) - t.keep; over > 0 {
		t.bytes = append(t.bytes[:0], t.bytes[over:]...)
	}
	return len(p), nil
}

func (t *tail) text() (kept string, total int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.bytes), "\uFFFD"), t.total
}

// drain reads until the end, in constant memory. Beyond most bytes it calls flood once
// and reads on, so that the writer can be killed and not merely stopped.
func (t *tail) drain(from io.Reader, most int64, flood func()) {
	chunk := make([]byte, 32<<10)
	flooded := false
	for {
		n, err := from.Read(chunk)
		t.Write(chunk[:n])
		if _, total := t.text(); total > most && !flooded {
			flooded = true
			flood()
		}
		if err != nil {
			return
		}
	}
}
