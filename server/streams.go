package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// streams counts answers that go on, so that nobody takes all of them.
type streams struct {
	mu  sync.Mutex
	of  map[string]int // by the id of the token
	all int
}

const (
	mostStreams         = 200
	mostStreamsPerToken = 8
)

// enter counts one stream more; leave counts it less.
func (s *streams) enter(token string) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == nil {
		s.of = map[string]int{}
	}
	if s.of[token] >= mostStreamsPerToken || s.all >= mostStreams {
		return nil, refuse(http.StatusTooManyRequests, "too many streams are open: at most %d for a token, and %d together", mostStreamsPerToken, mostStreams)
	}
	s.of[token]++
	s.all++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all--
		if s.of[token]--; s.of[token] == 0 {
			delete(s.of, token)
		}
	}, nil
}

// A stream writes server-sent events.
type stream struct {
	c       *Call
	control *http.ResponseController
	slowest time.Duration // that a reader may take for one event before it is hung up on
}

// begin answers with a stream. Each event has a time of its own to be taken.
func begin(c *Call, slowest time.Duration) (*stream, error) {
	s := &stream{c, http.NewResponseController(c.W), slowest}
	c.W.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	c.W.Header().Set("X-Accel-Buffering", "no") // proxies pass it on as it comes
	c.W.WriteHeader(http.StatusOK)
	return s, s.write(": assay\n\n")
}

// send writes one event; false means that nobody listens any more.
func (s *stream) send(kind string, v any) bool {
	data, err := json.Marshal(v)
	return err == nil && s.write(fmt.Sprintf("event: %s\ndata: %s\n\n", kind, data)) == nil
}

func (s *stream) write(text string) error {
	if err := s.control.SetWriteDeadline(time.Now().Add(s.slowest)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := s.c.W.Write([]byte(text)); err != nil {
		return err
	}
	return s.control.Flush()
}
