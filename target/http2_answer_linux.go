package target

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"golang.org/x/net/http2"
)

// headers takes the head of an answer, an interim one or the trailers.
func (h *http2Conn) headers(f *http2.MetaHeadersFrame) error {
	x := h.find(f.StreamID)
	if x == nil {
		return nil // given up, and the answer was on its way
	}
	if x.framer.headed() {
		return h.trailers(x, f)
	}
	h.note(x)
	if err := x.readHeaders(f); err != nil {
		h.end(x, err)
		return nil
	}
	if x.framer.headed() && f.StreamEnded() {
		h.finish(x)
	}
	return nil
}

// trailers takes what follows the body. Trailers too long to be kept are cut: the
// answer is whole without them.
func (h *http2Conn) trailers(x *exchange, f *http2.MetaHeadersFrame) error {
	if !f.StreamEnded() || len(f.PseudoFields()) > 0 {
		return http2.ConnectionError(http2.ErrCodeProtocol)
	}
	x.trailers = f.RegularFields()
	h.finish(x)
	return nil
}

// readHeaders reads the head of an answer over HTTP/2. Interim answers are skipped.
func (x *exchange) readHeaders(f *http2.MetaHeadersFrame) error {
	malformed := func(what string) error {
		return http2.StreamError{StreamID: f.StreamID, Code: http2.ErrCodeProtocol, Cause: errors.New(what)}
	}
	for _, field := range f.Fields {
		x.framer.heads += int(field.Size())
	}
	if f.Truncated || x.framer.heads > maxHeadBytes {
		return tooLarge("the head of the answer", maxHeadBytes)
	}
	status, err := strconv.Atoi(f.PseudoValue("status"))
	switch {
	case err != nil || status < 100:
		return malformed(fmt.Sprintf("malformed status %.20q", f.PseudoValue("status")))
	case status < 200 && f.StreamEnded():
		return malformed("an interim answer ends the stream")
	case status < 200:
		return nil
	}
	x.framer.status, x.framer.state = status, untilClose
	x.fields = f.RegularFields()
	x.declared = -1
	lengths := 0
	for _, field := range x.fields {
		if field.Name != "content-length" {
			continue
		}
		// One that is no number frames nothing here, and net/http does not mind it either.
		if n, err := strconv.ParseUint(field.Value, 10, 63); err == nil {
			x.declared = int64(n)
		}
		if lengths++; lengths > 1 {
			x.declared = -1
		}
	}
	return nil
}

// finish ends x, whose stream the server has ended.
func (h *http2Conn) finish(x *exchange) {
	h.note(x)
	x.framer.state = atEnd
	if x.declared > 0 {
		h.end(x, io.ErrUnexpectedEOF)
		return
	}
	h.end(x, nil)
}

// end ends x at the last read. The server is told where it does not know.
func (h *http2Conn) end(x *exchange, err error) {
	h.endAt(x, err, h.stamp.at)
}

func (h *http2Conn) endAt(x *exchange, err error, at int64) {
	h.remove(x)
	if h.data.x == x {
		h.data.x = nil
	}
	c := h.conn
	c.mu.Lock() // whoever began x has returned when it is free
	if code, reset := x.resetCode(err); reset && !c.closed {
		_ = h.framer.WriteRSTStream(x.stream, code)
		h.answers = true
	}
	h.forget(x)
	c.mu.Unlock()
	c.loop.busy.Add(-1)
	c.loop.engine.leave(x.ctx, nil)
	x.finish(err, max(at, x.last))
}

// resetCode is what the server is told of the end of x, and whether it is told at
// all: it knows when it has ended the stream itself and has the whole request.
func (x *exchange) resetCode(err error) (code http2.ErrCode, reset bool) {
	var broken http2.StreamError
	switch {
	case errors.As(err, &broken):
		return broken.Code, broken.Cause != errFromServer
	case x.framer.state != atEnd:
		return http2.ErrCodeCancel, true
	}
	return http2.ErrCodeNo, x.sending.Load()
}

// remove takes x out of the table.
func (h *http2Conn) remove(x *exchange) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.streams, x.stream)
	h.open.Add(-1)
}

// goAway gives up the streams that the server will not answer. The others go on.
func (h *http2Conn) goAway(f *http2.GoAwayFrame) {
	h.going.Store(true)
	h.goneBy = fmt.Errorf("the server sent GOAWAY and closed the connection: last stream %d, %v, %q", f.LastStreamID, f.ErrCode, f.DebugData())
	for _, id := range h.ids(nil) {
		if x := h.find(id); id > f.LastStreamID && x != nil {
			h.end(x, errWentAway)
		}
	}
}

var errWentAway = errors.New("the server sent GOAWAY")

// ids appends the open streams to list. They may end while it is gone through.
func (h *http2Conn) ids(list []uint32) []uint32 {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id := range h.streams {
		list = append(list, id)
	}
	return list
}
