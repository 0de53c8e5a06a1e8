package sim

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// An accessLog writes a line for each answer. A nil log does nothing.
type accessLog struct {
	mu  sync.Mutex
	out io.Writer
	err error
}

func newAccessLog(w io.Writer) *accessLog {
	if w == nil {
		return nil
	}
	return &accessLog{out: w}
}

func (l *accessLog) line(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := fmt.Fprintf(l.out, format, args...); err != nil && l.err == nil {
		l.err = fmt.Errorf("sim: write access log: %w", err)
	}
}

func (l *accessLog) page(head *http.Request, status int, took int64) {
	if l != nil {
		l.line("%s %s %d %v\n", head.Method, head.URL.Path, status, time.Duration(took))
	}
}

// stream logs the answer to a completion; status 0 is an answer that a fault
// replaced.
func (l *accessLog) stream(s *stream, head *http.Request, status int) {
	if l == nil {
		return
	}
	end := "complete"
	if s.cut {
		end = "cut"
	}
	l.line("%s %s %d %v id=%s client_id=%q prompt=%d output=%d %s\n", head.Method, head.URL.Path, status,
		s.elapsed(s.server.clock.now()), s.id, s.clientID, s.promptTokens, s.sent(), end)
}

func (l *accessLog) close() error {
	if l == nil {
		return nil
	}
	return l.err
}
