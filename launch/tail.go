package launch

import (
	"io"
	"strings"
	"sync"
)

// A tail keeps the end of what is written to it, for errors. The zero value is ready to
// use.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// mostTail is some lines, of which the last ones say what went wrong.
const mostTail = 4 << 10

var _ io.Writer = (*tail)(nil)

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - mostTail; over > 0 {
		t.text = t.text[over:]
	}
	return len(p), nil
}

// last is the last line that says something.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
