package target

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// A framer finds the body and the end of one HTTP/1.1 response in the bytes of
// its reads. It knows framing alone: what the headers say is read later, off the
// measured path.
type framer struct {
	state  frameState
	left   int64 // bytes left of a body with a length, or of a chunk
	digits int   // of the chunk size under way, or bytes of a trailer line
	status int   // of the answer, once its head has come
	heads  int   // bytes of the head and of all interim ones before it
	tail   int   // bytes of trailers
	excess int64 // bytes of framing beyond what so much data needs
	head   []byte
	line   int  // where the head's line under way begins
	keep   bool // the server will answer again on this connection
	extra  bool // bytes came after the end: the connection is out of step
	done   doneScanner
}

type frameState uint8

const (
	inHead frameState = iota
	inBody            // of a known length
	untilClose
	chunkSize
	chunkExtension
	chunkSizeEnd
	chunkData
	chunkReturn
	chunkFeed
	inTrailer
	atEnd
)

var (
	errMalformedChunk = errors.New("malformed chunked encoding")
	errChunkFraming   = errors.New("chunked encoding contains too much non-data")
	errTrailerEOF     = errors.New("unexpected EOF reading trailer")
)

func (f *framer) reset() { *f = framer{head: f.head[:0]} }

// headed reports whether the whole head has come.
func (f *framer) headed() bool { return f.state != inHead }

// feed takes the bytes of one read and returns those that belong to the body,
// moved together inside b.
func (f *framer) feed(b []byte) ([]byte, error) {
	for f.state == inHead {
		n, err := f.takeHead(b)
		if err != nil || f.state == inHead && n == len(b) {
			return nil, err
		}
		b = b[n:]
	}
	switch f.state {
	case inBody:
		n := int(min(f.left, int64(len(b))))
		f.left -= int64(n)
		if f.left == 0 {
			f.end(b[n:])
		}
		return b[:n], nil
	case untilClose:
		return b, nil
	case atEnd:
		f.extra = f.extra || len(b) > 0
		return nil, nil
	}
	return f.dechunk(b)
}

func (f *framer) end(rest []byte) {
	f.state = atEnd
	f.extra = len(rest) > 0
}

// takeHead keeps bytes up to the blank line and returns how many it took. An
// interim answer (100, 103) is skipped: the real one follows.
func (f *framer) takeHead(b []byte) (int, error) {
	taken := 0
	for taken < len(b) {
		n := bytes.IndexByte(b[taken:], '\n') + 1
		if n == 0 {
			n = len(b) - taken
		}
		f.head = append(f.head, b[taken:taken+n]...)
		taken += n
		if f.heads += n; f.heads > maxHeadBytes {
			return taken, tooLarge("the head of the answer", maxHeadBytes)
		}
		if f.head[len(f.head)-1] != '\n' {
			break
		}
		line := bytes.TrimRight(f.head[f.line:], "\r\n")
		f.line = len(f.head)
		if len(line) > 0 {
			continue
		}
		err := f.begin()
		return taken, err
	}
	return taken, nil
}

// begin reads from the head how the body is framed.
func (f *framer) begin() error {
	first, rest, _ := bytes.Cut(f.head, []byte("\n"))
	status, ok := statusOf(first)
	if !ok {
		return fmt.Errorf("malformed HTTP response %q", bytes.TrimRight(first, "\r"))
	}
	if status >= 100 && status < 200 && status != 101 {
		f.head, f.line = f.head[:0], 0
		return nil
	}
	f.status = status
	old := bytes.HasPrefix(first, []byte("HTTP/1.0"))
	f.keep = !old
	length, chunked := int64(-1), false
	for len(rest) > 0 {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimSpace(value)
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			n, err := strconv.ParseInt(string(value), 10, 64)
			if err != nil || n < 0 {
				return fmt.Errorf("bad Content-Length %q", value)
			}
			length = n
		case bytes.EqualFold(name, []byte("Transfer-Encoding")) && !old:
			chunked = true // any other coding is refused when the headers are read
		case bytes.EqualFold(name, []byte("Connection")):
			f.keep = keepsAlive(value, f.keep)
		}
	}
	switch {
	case status == 204 || status == 304:
		f.state = atEnd
	case chunked:
		f.state = chunkSize
	case length == 0:
		f.state = atEnd
	case length > 0:
		f.state, f.left = inBody, length
	default:
		f.state, f.keep = untilClose, false
	}
	return nil
}

func statusOf(line []byte) (status int, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte("HTTP/1."))
	if !ok || len(rest) < 5 || rest[1] != ' ' {
		return 0, false
	}
	status, err := strconv.Atoi(string(rest[2:5]))
	return status, err == nil && status >= 100
}

func keepsAlive(connection []byte, before bool) bool {
	for token := range bytes.SplitSeq(connection, []byte(",")) {
		token = bytes.TrimSpace(token)
		if bytes.EqualFold(token, []byte("close")) {
			return false
		}
		before = before || bytes.EqualFold(token, []byte("keep-alive"))
	}
	return before
}

// dechunk takes the chunk framing out of b, in place: what is left is never
// longer than what it came from.
func (f *framer) dechunk(b []byte) ([]byte, error) {
	out := b[:0]
	for i := 0; i < len(b); {
		if f.state == chunkData {
			n := int(min(f.left, int64(len(b)-i)))
			out = append(out, b[i:i+n]...)
			i += n
			if f.left -= int64(n); f.left == 0 {
				f.state = chunkReturn
			}
			continue
		}
		if err := f.control(b[i]); err != nil {
			return out, err
		}
		i++
		if f.state == atEnd {
			f.end(b[i:])
			break
		}
	}
	return out, nil
}

// maxChunkExcess is how many bytes of chunk extensions an answer may have that its
// data does not account for. net/http has the same number.
const maxChunkExcess = 16 << 10

// control takes one byte of the framing between chunks.
func (f *framer) control(c byte) error {
	switch f.state {
	case chunkSize:
		return f.sizeByte(c)
	case chunkExtension:
		if f.digits++; f.digits > 4096 || c == '\n' {
			return errMalformedChunk
		}
		if c == '\r' {
			f.state = chunkSizeEnd
		}
	case chunkSizeEnd:
		if c != '\n' {
			return errMalformedChunk
		}
		// One byte in each chunk is bad manners and honest; net/http allows as much.
		f.excess = max(0, f.excess+int64(f.digits)+4-16-2*f.left)
		if f.excess > maxChunkExcess {
			return errChunkFraming
		}
		f.state = chunkData
		if f.left == 0 {
			f.state = inTrailer
		}
		f.digits = 0
	case chunkReturn:
		if c != '\r' {
			return errMalformedChunk
		}
		f.state = chunkFeed
	case chunkFeed:
		if c != '\n' {
			return errMalformedChunk
		}
		f.state = chunkSize
	case inTrailer:
		if f.tail++; f.tail > maxTrailerBytes {
			return tooLarge("the trailer of the answer", maxTrailerBytes)
		}
		switch {
		case c == '\n' && f.digits == 0:
			f.state = atEnd
		case c == '\n':
			f.digits = 0
		case c != '\r':
			f.digits++
		}
	}
	return nil
}

func (f *framer) sizeByte(c byte) error {
	var digit byte
	switch {
	case c >= '0' && c <= '9':
		digit = c - '0'
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		digit = c | 0x20 - 'a' + 10
	case f.digits > 0 && c == '\r':
		f.state = chunkSizeEnd
		return nil
	case f.digits > 0 && (c == ';' || c == ' ' || c == '\t'):
		f.state = chunkExtension
		return nil
	default:
		return errMalformedChunk
	}
	if f.digits++; f.digits > 15 { // 2^60 bytes, before the sign is reached
		return errors.New("http chunk length too large")
	}
	f.left = f.left<<4 | int64(digit)
	return nil
}

// eof says what the end of the connection means at this place. Nil is the proper
// end of a body without a length.
func (f *framer) eof() error {
	switch {
	case f.state == atEnd || f.state == untilClose:
		f.state = atEnd
		return nil
	case f.state == inTrailer:
		return errTrailerEOF
	case f.state == inHead && len(f.head) == 0:
		return fmt.Errorf("the server closed the connection without an answer: %w", io.EOF)
	}
	return io.ErrUnexpectedEOF
}

// A doneScanner looks for the [DONE] line in a body that comes in pieces. It
// keeps the last bytes, since a read may end anywhere inside the line.
type doneScanner struct {
	tail  [doneTail]byte
	n     int
	begun bool // a byte has left the tail: its first one is not the body's
}

// doneTail is the longest form of the line and the break before it.
const doneTail = len("\ndata: [DONE]")

// saw reports whether piece completes the line.
func (d *doneScanner) saw(piece []byte) bool {
	var seam [2 * doneTail]byte
	joined := append(append(seam[:0], d.tail[:d.n]...), piece[:min(len(piece), doneTail)]...)
	found := hasDone(joined, !d.begun) || len(piece) > doneTail && hasDone(piece, !d.begun && d.n == 0)
	d.keep(piece)
	return found
}

func (d *doneScanner) keep(piece []byte) {
	if len(piece) >= doneTail {
		d.begun = d.begun || d.n > 0 || len(piece) > doneTail
		d.n = copy(d.tail[:], piece[len(piece)-doneTail:])
		return
	}
	if over := d.n + len(piece) - doneTail; over > 0 {
		copy(d.tail[:], d.tail[over:d.n])
		d.n -= over
		d.begun = true
	}
	d.n += copy(d.tail[d.n:], piece)
}

// hasDone looks for the line in text, at whose start a line begins or not.
func hasDone(text []byte, begins bool) bool {
	for from := 0; ; {
		i := bytes.Index(text[from:], []byte("[DONE]"))
		if i < 0 {
			return false
		}
		before, ok := bytes.CutSuffix(text[:from+i], []byte("data: "))
		if !ok {
			before, ok = bytes.CutSuffix(text[:from+i], []byte("data:"))
		}
		if ok && (len(before) == 0 && begins || len(before) > 0 && (before[len(before)-1] == '\n' || before[len(before)-1] == '\r')) {
			return true
		}
		from += i + 1
	}
}
