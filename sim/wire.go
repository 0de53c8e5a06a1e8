package sim

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"strconv"
	"strings"
)

// A wire turns the events of a stream into writes on its connection: framing,
// compression, transfer coding, and the moment of each write.
type wire struct {
	headed  bool   // status line and headers are sent
	out     []byte // the write under way
	pieces  []int  // ends of the parts of out that are written apart
	framed  []byte // scratch
	merged  int    // events in out
	name    string // of the event being framed, where it has one
	stamped int    // rows whose sending time is known

	squeezed bytes.Buffer
	squeeze  compressor // nil without content coding

	late      []write // writes that wait for their time
	armed     bool    // a pacer task for late exists
	handed    bool    // the stream belongs to the pacer's thread
	ended     bool    // complete the stream when late is empty
	notBefore int64   // no write before this time
}

// A write is what leaves at one time. It completes the rows before row.
type write struct {
	due  int64
	data []byte
	row  int
}

type compressor interface {
	io.Writer
	Flush() error
	Close() error
}

// head sends status line and headers.
func (w *wire) head(s *stream, due int64) {
	w.headed = true
	var h strings.Builder
	version := "1.1"
	if s.style.http10 {
		version = "1.0"
	}
	h.WriteString("HTTP/" + version + " 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nCache-Control: no-cache\r\n")
	h.WriteString("X-Request-Id: " + s.id + "\r\n")
	switch s.style.encoding {
	case "gzip":
		w.squeeze = gzip.NewWriter(&w.squeezed)
	case "deflate":
		w.squeeze = zlib.NewWriter(&w.squeezed) // RFC 9110: "deflate" is the zlib format
	}
	if w.squeeze != nil {
		h.WriteString("Content-Encoding: " + s.style.encoding + "\r\n")
	}
	if s.last || !s.chunked() {
		h.WriteString("Connection: close\r\n")
	}
	if s.chunked() {
		h.WriteString("Transfer-Encoding: chunked\r\n")
	}
	h.WriteString("\r\n")
	text := h.String()
	if s.style.slowHead == 0 {
		w.put(s, due, []byte(text), 0)
		return
	}
	for i := range len(text) {
		w.put(s, due+int64(i)*int64(s.style.slowHead), []byte(text[i:i+1]), 0)
	}
	w.notBefore = due + int64(len(text))*int64(s.style.slowHead)
}

// event frames payload and adds it to the write under way.
func (w *wire) event(s *stream, payload []byte) {
	w.framed = w.framed[:0]
	if s.events == 0 {
		w.framed = append(w.framed, s.style.preamble...)
	}
	if w.name != "" {
		w.framed = append(append(append(w.framed, "event: "...), w.name...), '\n')
	}
	if frame := s.style.frame; frame != nil {
		w.framed = frame(w.framed, payload, s.events)
	} else {
		w.framed = plainFrame(w.framed, payload, 0)
	}
	w.body(s, w.framed)
	w.merged++
}

func plainFrame(dst, payload []byte, _ int) []byte {
	dst = append(dst, "data: "...)
	dst = append(dst, payload...)
	return append(dst, "\n\n"...)
}

// comment sends a keep-alive, which is no event.
func (w *wire) comment(s *stream, due int64) {
	w.body(s, []byte(": keep-alive\n\n"))
	w.send(s, due)
}

// body adds framed bytes in their transfer chunks.
func (w *wire) body(s *stream, b []byte) {
	if w.squeeze != nil {
		_, _ = w.squeeze.Write(b) // into memory
		_ = w.squeeze.Flush()
		w.chunk(s, w.squeezed.Bytes())
		w.squeezed.Reset()
		return
	}
	from := 0
	if s.style.cuts != nil && !(s.style.drip && s.events > 0) {
		for _, to := range s.style.cuts(b) {
			w.chunk(s, b[from:to])
			from = to
			if s.style.apart {
				w.pieces = append(w.pieces, len(w.out))
			}
		}
	}
	w.chunk(s, b[from:])
}

func (w *wire) chunk(s *stream, b []byte) {
	if len(b) == 0 {
		return // an empty chunk would end the body
	}
	if !s.chunked() {
		w.out = append(w.out, b...)
		return
	}
	w.out = strconv.AppendInt(w.out, int64(len(b)), 16)
	w.out = append(w.out, "\r\n"...)
	w.out = append(w.out, b...)
	w.out = append(w.out, "\r\n"...)
}

// flush sends the write under way, unless more events are to be merged into it.
func (w *wire) flush(s *stream, due int64) {
	if w.merged >= s.style.merge {
		w.send(s, due)
	}
}

// end closes the body as the style wants it and sends what is left.
func (w *wire) end(s *stream, due int64) {
	if s.style.ending == endCut || s.style.ending == endReset {
		w.out = w.out[:len(w.out)/2]
		w.pieces = nil
		w.send(s, due)
		return
	}
	if s.style.ending == endAbort || s.style.ending == endGoAway {
		w.send(s, due)
		return
	}
	if s.style.after != "" {
		w.body(s, []byte(s.style.after))
	}
	if w.squeeze != nil {
		_ = w.squeeze.Close()
		w.chunk(s, w.squeezed.Bytes())
	}
	if s.style.ending == endOpen {
		w.send(s, due)
		due += int64(s.server.cfg.FaultDelay)
	}
	if s.chunked() {
		w.out = append(w.out, "0\r\n\r\n"...)
	}
	w.send(s, due)
}

// unary sends an answer that is not a stream.
func (w *wire) unary(s *stream, due int64) {
	answer := s.appendAnswer
	if s.dialect != nil {
		answer = func(dst []byte) []byte { return s.dialect.whole(dst, s) }
	}
	body := answer(nil)
	s.rows = append(s.rows, row{kind: rowBody, tokens: int32(s.sent()), due: due})
	headers := append(closeHeader(s.last), "X-Request-Id: "+s.id)
	w.out = append(w.out, httpHead(200, "application/json", len(body), headers...)...)
	w.out = append(w.out, body...)
	w.send(s, due)
}

// send hands out to the connection, in its pieces.
func (w *wire) send(s *stream, due int64) {
	from := 0
	for i, to := range w.pieces {
		w.put(s, due+int64(i)*int64(s.style.gap), w.out[from:to], w.stamped)
		from = to
	}
	at := due + int64(len(w.pieces))*int64(s.style.gap)
	w.put(s, at, w.out[from:], len(s.rows))
	if len(w.pieces) > 0 {
		w.notBefore = max(w.notBefore, at)
	}
	w.out, w.pieces, w.merged = w.out[:0], w.pieces[:0], 0
}

// put writes b at once when its time has come, and otherwise queues it.
func (w *wire) put(s *stream, due int64, b []byte, rows int) {
	due = max(due, w.notBefore)
	now := s.server.clock.now()
	if !w.busy() && due <= now {
		w.write(s, now, b, rows)
		return
	}
	w.late = append(w.late, write{due, bytes.Clone(b), rows})
	if w.handed {
		w.arm(s)
	}
}

// arm makes sure that a task of the pacer looks after the late writes.
func (w *wire) arm(s *stream) {
	if len(w.late) > 0 && !w.armed {
		w.armed = true
		s.pacer.add(w.late[0].due, (*lateWrites)(s))
	}
}

// write stamps before it sends: the client may have read the bytes before the
// call returns.
func (w *wire) write(s *stream, now int64, b []byte, rows int) {
	s.conn.send(b)
	for ; w.stamped < rows; w.stamped++ {
		s.rows[w.stamped].sent = now
	}
}

func (w *wire) busy() bool { return len(w.late) > 0 || w.armed }

// lateWrites is the task that sends the late writes of a stream.
type lateWrites stream

func (l *lateWrites) fire(int64) (int64, bool) {
	s := (*stream)(l)
	w := &s.wire
	now := s.server.clock.now()
	for len(w.late) > 0 && w.late[0].due <= now && !s.gone.Load() {
		w.write(s, now, w.late[0].data, w.late[0].row)
		w.late = w.late[1:]
	}
	if len(w.late) > 0 && !s.gone.Load() {
		return w.late[0].due, true
	}
	w.late, w.armed = nil, false
	if w.ended {
		s.complete()
	}
	return 0, false
}

func (l *lateWrites) drop() {
	s := (*stream)(l)
	s.wire.late, s.wire.armed = nil, false
	if s.wire.ended {
		s.complete()
	}
}
