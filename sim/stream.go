package sim

import (
	"sync/atomic"
	"time"
)

// A stream is one answer under way. Until it is handed to a pacer it belongs to
// the connection's goroutine, from then on to the pacer's thread, and after done
// is closed to the connection's goroutine again.
type stream struct {
	server   *Server
	conn     *conn
	pacer    *pacer
	req      *request
	style    *style
	dialect  dialect // nil means OpenAI's completions
	id       string
	clientID string // the client's x-request-id
	arrival  int64  // when the last byte of the request was read
	last     bool   // the client wants the connection closed afterwards

	promptTokens int
	choices      []choice
	cached       int // prompt tokens found in the prefix cache
	prefix       []byte

	wire   wire
	events int    // sent so far, comments not counted
	json   []byte // scratch for the event being made
	rows   []row
	open   int // choices that still speak

	gone atomic.Bool // the client left
	cut  bool        // ended before its end
	done chan struct{}
}

func (s *stream) sent() int {
	n := 0
	for i := range s.choices {
		n += s.choices[i].sent
	}
	return n
}

// thought is the number of tokens sent as reasoning.
func (s *stream) thought() int {
	if !s.style.thinking || !s.req.chat {
		return 0
	}
	n := 0
	for i := range s.choices {
		n += min(s.choices[i].sent, s.choices[i].border())
	}
	return n
}

func (s *stream) lastChoice() bool { return s.open == 1 }

func (s *stream) finishReason(ch *choice) string {
	switch {
	case s.style.finish != "":
		return s.style.finish
	case ch.finish != "":
		return ch.finish
	case ch.stops:
		return "stop"
	}
	return "length"
}

// begin sends what comes before the first token: the head of the answer and the
// events that do not wait for the model.
func (s *stream) begin() {
	if !s.streams() {
		return
	}
	now := s.server.clock.now()
	if !s.wire.headed {
		s.wire.head(s, now)
	}
	if s.dialect != nil {
		s.dialect.begin(s, now)
		return
	}
	if s.style.role {
		s.event(rowRole, 0, 0, now, s.appendBlank(s.json[:0], `"role":"assistant","content":""`, ""))
		s.wire.flush(s, now)
	}
	if s.style.blanks {
		s.event(rowBlank, 0, 0, now, s.appendBlank(s.json[:0], `"content":""`, ""))
		s.wire.flush(s, now)
	}
	if s.style.keepAlive {
		s.wire.comment(s, now)
	}
}

// beginEarly sends the head and a role event before the request is read.
func (s *stream) beginEarly(chat bool) {
	now := s.server.clock.now()
	s.req = &request{chat: chat, stream: true}
	s.prefix = eventPrefix(s.id, chunkObject(chat), s.server.cfg.Model, time.Now().Unix())
	s.wire.head(s, now)
	if s.dialect != nil {
		s.wire.comment(s, now) // its first event counts the prompt
		return
	}
	s.event(rowRole, 0, 0, now, s.appendBlank(s.json[:0], `"role":"assistant","content":""`, ""))
	s.wire.flush(s, now)
}

// hand gives the stream to its pacer's thread.
func (s *stream) hand() {
	s.wire.handed = true
	s.wire.arm(s)
}

// chunked reports whether the body has a transfer coding. Without one it ends
// with the connection.
func (s *stream) chunked() bool { return !s.style.raw && !s.style.http10 }

func (s *stream) streams() bool { return s.req.stream && !s.style.unary }

// token is called when a choice has made another token, at its due time.
func (s *stream) token(c int, due int64) {
	ch := &s.choices[c]
	ch.made++
	s.server.meter.token(s, ch, due)
	last := ch.made == ch.limit
	if !last && s.holds(ch) {
		return
	}
	if s.streams() && !s.style.mute {
		s.speak(c, due, last)
	} else if !s.style.mute {
		ch.sent = ch.made
	}
	if !last {
		return
	}
	if s.open == 1 {
		s.end(due)
	}
	s.open--
}

// holds reports whether the tokens not yet sent wait for another.
func (s *stream) holds(ch *choice) bool {
	group := s.style.group
	if group == 0 {
		group = s.server.cfg.TokensPerChunk
	}
	return ch.made-ch.sent < group || s.style.mix && ch.made == ch.border() && ch.limit > 1
}

// speak sends the tokens made since the last event of the choice.
func (s *stream) speak(c int, due int64, last bool) {
	ch := &s.choices[c]
	sp := span{choice: c, from: ch.sent, to: ch.made}
	ch.sent = ch.made
	finish := ""
	if last && !s.style.noEnd && s.style.fail == "" {
		finish = s.finishReason(ch)
	}
	if s.style.keepAlive && s.dialect == nil {
		s.wire.comment(s, due)
	}
	if s.style.halves {
		sp.part = 1
		s.utter(sp, due, "")
		s.wire.flush(s, due)
		sp.part = 2
	}
	s.utter(sp, due, finish)
	if last && s.open == 1 {
		return // the tail travels in the same write
	}
	s.wire.flush(s, due)
	if middle := sp.from < ch.border() && sp.to >= ch.border(); middle && c == 0 {
		s.interlude(due)
	}
}

// utter adds the event of a span to the write under way.
func (s *stream) utter(sp span, due int64, finish string) {
	if s.dialect != nil {
		s.dialect.say(s, sp, due)
		return
	}
	s.event(rowContent, sp.choice, tokensOf(sp), due, s.appendEvent(s.json[:0], sp, finish))
}

// interlude sends what a fault puts into the middle of the stream.
func (s *stream) interlude(due int64) {
	if s.style.blanks && s.dialect == nil {
		s.event(rowBlank, 0, 0, due, s.appendBlank(s.json[:0], `"content":null`, ""))
		s.wire.flush(s, due)
	}
	if s.style.badEvent {
		s.event(rowBad, 0, 0, due, append(s.json[:0], `{"id":"chatcmpl-broken","choices":[{"index":0,`...))
		s.wire.flush(s, due)
	}
	if s.style.goAway {
		s.conn.goAway(false)
	}
	if s.style.stall > 0 {
		s.wire.notBefore = due + int64(s.style.stall)
	}
}

// end sends what follows the last token.
func (s *stream) end(due int64) {
	if !s.streams() {
		s.wire.unary(s, due)
		s.finish()
		return
	}
	if s.dialect != nil {
		s.dialect.end(s, due)
		s.wire.end(s, due)
		s.finish()
		return
	}
	if s.style.mute && s.style.fail == "" && !s.style.noEnd {
		s.event(rowFinish, 0, 0, due, s.closeChoice(s.openMute(), s.finishReason(&s.choices[0])))
	}
	if s.style.fail != "" {
		s.event(rowError, 0, 0, due, append(s.json[:0],
			`{"error":{"message":"the simulated engine failed","type":"InternalServerError","param":null,"code":`+s.style.fail+`}}`...))
	}
	if s.style.lateUsage > 0 {
		s.wire.flush(s, due)
		due += int64(s.style.lateUsage)
	}
	whole := s.style.fail == "" && !s.style.noEnd
	if whole && (s.style.usage == usageOwn || s.style.usage == usageAsked && s.req.includeUsage) {
		s.event(rowUsage, 0, 0, due, s.appendUsageEvent(s.json[:0]))
	}
	if !s.style.noDone {
		s.event(rowDone, 0, 0, due, append(s.json[:0], "[DONE]"...))
	}
	s.wire.end(s, due)
	s.finish()
}

// openMute opens the event that ends an answer without a word.
func (s *stream) openMute() []byte {
	b := s.openChoice(s.json[:0], 0)
	if s.req.chat {
		return append(b, `"content":""`...)
	}
	return append(b, `"text":""`...)
}

// event adds one event to the write under way.
func (s *stream) event(kind rowKind, c, tokens int, due int64, payload []byte) {
	s.json = payload[:0]
	s.rows = append(s.rows, row{kind: kind, choice: int32(c), tokens: int32(tokens), due: due})
	s.wire.event(s, payload)
	s.events++
}

// finish is called when everything is sent or queued.
func (s *stream) finish() {
	if s.wire.busy() {
		s.wire.ended = true // the last late write completes the stream
		return
	}
	s.complete()
}

// complete hands the stream back to the connection's goroutine, which is reading
// to see whether the client leaves: the deadline ends that read.
func (s *stream) complete() {
	_ = s.conn.net.SetReadDeadline(longAgo)
	close(s.done)
}

// drop ends a stream whose client or server is going away.
func (s *stream) drop() {
	s.cut = true
	if !s.wire.busy() {
		s.complete()
		return
	}
	s.wire.late = nil
	s.wire.ended = true
}

// elapsed is the time from arrival to t.
func (s *stream) elapsed(t int64) time.Duration { return time.Duration(t - s.arrival) }
