package target

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// An http2Conn is what a connection that speaks HTTP/2 has beside its descriptor:
// many exchanges at a time, each a stream. A loop reads its frames. Data is handed
// on as it comes, also in the middle of a frame, so that an event has the stamp of
// the read that completed it and not of the one that completed its frame.
type http2Conn struct {
	conn   *conn
	framer *http2.Framer // reads whole frames from frame, writes to queue

	// Of the reading thread.
	frame   bytes.Reader // one whole frame, or a head with its continuations
	partial []byte       // what has come of it
	from    int          // where the frame under way begins in partial
	data    dataFrame    // the frame of data under way
	stamp   http2Stamp   // of the last read
	newest  int64        // the kernel's last stamp
	owed    uint32       // bytes of data that the server may send again
	answers bool         // frames wait in queue to be sent after this read
	settled bool         // the server's settings have come
	reading int          // bytes that the next read takes at most; see shortRead
	frames  int          // that have come
	list    []uint32     // room for the ids of a sweep

	// Under conn.mu, as every write is.
	queue   bytes.Buffer // frames that the socket has not taken
	queued  []*exchange  // whose last frame is among them
	waiting []*exchange  // whose body waits for room in queue or in a window
	window  int64        // bytes of bodies that the server takes on this connection
	initial int64        // the same of a new stream
	largest int64        // the largest frame that the server takes
	next    uint32       // the id of the next stream
	watched bool         // the loop is told when there is room to write

	// Under mu, which is held for a look only.
	mu      sync.Mutex
	streams map[uint32]*exchange

	limit   atomic.Int64 // streams that may be open
	open    atomic.Int64 // streams that are
	going   atomic.Bool  // no new streams
	goneBy  error        // why, where the server said so; of the reading thread
	ready   chan struct{}
	unready sync.Once // closes ready, when the settings have come or never will
	fault   error     // why they never will; set before ready is closed
}

// An http2Stamp is when a read was made.
type http2Stamp struct {
	at, now int64
	kernel  bool
}

// What the server is sent: windows so large that it never waits for us, since
// every byte is taken at once, and no answers that were not asked for.
const (
	ourWindow     = 1 << 30
	ownLeast      = 1 << 16 // what every connection begins with is 65 535
	windowUpdates = ourWindow / 2
	ourFrameSize  = 16 << 10 // the least that may be asked for
)

// streamsUnlimited is how many streams a server is held to take that does not say.
// net/http has the same number.
const streamsUnlimited = 1000

// mostBlock bounds the packed head of one answer. Unpacked it may have half as much.
const mostBlock = 2 * maxHeadBytes

// mostQueued bounds what waits to be written. A server that asks for answers and
// does not read them is given up.
const mostQueued = 1 << 20

var errFrameTooLarge = errors.New("http2: frame too large")

func newHTTP2(c *conn) *http2Conn {
	h := &http2Conn{
		conn: c, streams: map[uint32]*exchange{}, next: 1, ready: make(chan struct{}), reading: shortRead,
		window: ownLeast - 1, initial: ownLeast - 1, largest: ourFrameSize,
	}
	h.limit.Store(streamsUnlimited)
	h.framer = http2.NewFramer(&h.queue, &h.frame)
	h.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	h.framer.MaxHeaderListSize = maxHeadBytes
	h.framer.SetMaxReadFrameSize(ourFrameSize)
	h.queue.WriteString(http2.ClientPreface)
	// Writes to queue, which is memory, do not fail.
	_ = h.framer.WriteSettings(
		http2.Setting{ID: http2.SettingEnablePush, Val: 0},
		http2.Setting{ID: http2.SettingInitialWindowSize, Val: ourWindow},
		http2.Setting{ID: http2.SettingMaxHeaderListSize, Val: maxHeadBytes})
	_ = h.framer.WriteWindowUpdate(0, ourWindow-ownLeast+1)
	return h
}

// A dataFrame is what is left of a frame of data.
type dataFrame struct {
	open   bool
	x      *exchange // nil when nobody waits for it any more
	padded bool      // the next byte is the length of the padding
	left   int       // bytes of data
	pad    int       // bytes of padding after them
	ends   bool      // the stream ends with it
}

// feed takes the plaintext of one read. An error ends the connection.
func (h *http2Conn) feed(b []byte) error {
	for len(b) > 0 {
		var err error
		if h.data.open {
			b, err = h.payload(b)
		} else {
			b, err = h.gather(b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

const frameHead = 9

// gather takes bytes of a frame that is read whole, or the head of one of data.
func (h *http2Conn) gather(b []byte) ([]byte, error) {
	if n := min(len(b), frameHead-(len(h.partial)-h.from)); n > 0 {
		h.partial, b = append(h.partial, b[:n]...), b[n:]
	}
	if len(h.partial)-h.from < frameHead {
		return b, nil
	}
	head := h.partial[h.from:]
	size, kind, flags := int(binary.BigEndian.Uint32(head)>>8), http2.FrameType(head[3]), http2.Flags(head[4])
	id := binary.BigEndian.Uint32(head[5:]) & (1<<31 - 1)
	if size > ourFrameSize {
		return b, tooLargeFrame(head)
	}
	if kind == http2.FrameData && h.from == 0 {
		h.partial = h.partial[:0]
		return b, h.beginData(id, size, flags)
	}
	n := min(len(b), frameHead+size-len(head))
	h.partial, b = append(h.partial, b[:n]...), b[n:]
	if len(h.partial)-h.from < frameHead+size {
		return b, nil
	}
	return b, h.whole(kind, flags, size)
}

// tooLargeFrame says what a frame beyond the limit really is, where that can be known.
func tooLargeFrame(head []byte) error {
	if bytes.HasPrefix(head, []byte("HTTP/")) {
		return fmt.Errorf("%w, the target answered in HTTP/1", errNotHTTP2)
	}
	return errFrameTooLarge
}

// whole handles the frame in partial, unless it is a part of a head whose end has
// not come.
func (h *http2Conn) whole(kind http2.FrameType, flags http2.Flags, size int) error {
	head := kind == http2.FrameHeaders || kind == http2.FrameContinuation && h.from > 0
	if head && !flags.Has(http2.FlagHeadersEndHeaders) {
		if kind == http2.FrameContinuation && size == 0 {
			h.partial = h.partial[:h.from] // it says nothing, and must not take room
		}
		h.from = len(h.partial)
		if h.from > mostBlock {
			return http2.ConnectionError(http2.ErrCodeProtocol)
		}
		return nil
	}
	h.frames++
	h.frame.Reset(h.partial)
	h.partial, h.from = h.partial[:0], 0
	frame, err := h.framer.ReadFrame()
	var broken http2.StreamError
	if errors.As(err, &broken) {
		if broken.Cause == nil {
			broken.Cause = h.framer.ErrorDetail()
		}
		if x := h.find(broken.StreamID); x != nil {
			h.end(x, broken)
		}
		return nil
	}
	if err != nil {
		return err
	}
	return h.handle(frame)
}

// handle does what a frame says.
func (h *http2Conn) handle(frame http2.Frame) error {
	settings, ok := frame.(*http2.SettingsFrame)
	if !ok && !h.settled {
		return http2.ConnectionError(http2.ErrCodeProtocol) // settings come first
	}
	switch f := frame.(type) {
	case *http2.SettingsFrame:
		return h.settings(settings)
	case *http2.MetaHeadersFrame:
		return h.headers(f)
	case *http2.RSTStreamFrame:
		if x := h.find(f.StreamID); x != nil {
			h.end(x, http2.StreamError{StreamID: f.StreamID, Code: f.ErrCode, Cause: errFromServer})
		}
	case *http2.GoAwayFrame:
		h.goAway(f)
	case *http2.WindowUpdateFrame:
		return h.widen(f)
	case *http2.PingFrame:
		if !f.IsAck() {
			h.reply(func() { _ = h.framer.WritePing(true, f.Data) })
		}
	case *http2.PushPromiseFrame:
		return http2.ConnectionError(http2.ErrCodeProtocol)
	}
	return nil // unknown frames are to be ignored
}

// errFromServer marks a stream that the server gave up; see lostWords.
var errFromServer = errors.New("received from peer")

// beginData begins a frame of data.
func (h *http2Conn) beginData(id uint32, size int, flags http2.Flags) error {
	if !h.settled || id == 0 {
		return http2.ConnectionError(http2.ErrCodeProtocol)
	}
	x := h.find(id)
	if x == nil && !h.asked(id) {
		return http2.ConnectionError(http2.ErrCodeProtocol)
	}
	if x != nil && !x.framer.headed() {
		h.end(x, http2.StreamError{StreamID: id, Code: http2.ErrCodeProtocol, Cause: errors.New("data before the head")})
		x = nil
	}
	h.refill(x, size)
	h.data = dataFrame{open: true, x: x, padded: flags.Has(http2.FlagDataPadded), left: size, ends: flags.Has(http2.FlagDataEndStream)}
	if h.data.padded && size == 0 {
		return http2.ConnectionError(http2.ErrCodeFrameSize)
	}
	if size == 0 {
		h.endData()
	}
	return nil
}

// payload takes bytes of a frame of data and returns what follows them.
func (h *http2Conn) payload(b []byte) ([]byte, error) {
	d := &h.data
	if d.padded {
		d.padded = false
		d.pad = int(b[0])
		if d.left -= 1 + d.pad; d.left < 0 {
			return b, http2.ConnectionError(http2.ErrCodeProtocol)
		}
		b = b[1:]
	}
	n := min(len(b), d.left)
	d.left -= n
	if x := d.x; x != nil && n > 0 {
		h.deliver(x, b[:n])
	}
	b = b[n:]
	n = min(len(b), d.pad)
	if d.left == 0 {
		d.pad -= n
		b = b[n:]
	}
	if d.left == 0 && d.pad == 0 {
		h.endData()
	}
	return b, nil
}

func (h *http2Conn) endData() {
	x, ends := h.data.x, h.data.ends
	h.data = dataFrame{}
	h.frames++
	if x != nil && ends {
		h.finish(x)
	}
}

// deliver hands bytes of its body to x.
func (h *http2Conn) deliver(x *exchange, b []byte) {
	at := h.note(x)
	var err error
	if x.declared >= 0 && int64(len(b)) > x.declared {
		b, err = b[:x.declared], errLongBody
	}
	x.declared -= int64(len(b)) // below zero it stays there
	if fault := x.body(b, at); fault != nil {
		err = fault
	}
	if err != nil {
		h.end(x, err)
	}
}

var errLongBody = errors.New("the server sent more than the declared Content-Length")

// refill gives the server back what it used of its windows for a frame to x.
func (h *http2Conn) refill(x *exchange, size int) {
	h.owed += uint32(size)
	if h.owed >= windowUpdates {
		n := h.owed
		h.reply(func() { _ = h.framer.WriteWindowUpdate(0, n) })
		h.owed = 0
	}
	if x == nil {
		return
	}
	x.owed += uint32(size)
	if n := x.owed; n >= windowUpdates {
		h.reply(func() { _ = h.framer.WriteWindowUpdate(x.stream, n) })
		x.owed = 0
	}
}

// note counts a read for x and returns its stamp. One that lies before what x has
// seen comes from a step of the wall clock.
func (h *http2Conn) note(x *exchange) int64 {
	at, kernel := h.stamp.at, h.stamp.kernel
	if at < x.last {
		at, kernel = h.stamp.now, false
	}
	x.last = at
	x.note(at, kernel)
	return at
}

// find returns the exchange of a stream, nil when it has ended or never was.
func (h *http2Conn) find(id uint32) *exchange {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.streams[id]
}

// asked reports whether a stream was ever begun.
func (h *http2Conn) asked(id uint32) bool {
	h.conn.mu.Lock()
	defer h.conn.mu.Unlock()
	return id%2 == 1 && id < h.next
}

// lastWord is the error of streams that a connection leaves unfinished which ended
// with err.
func (h *http2Conn) lastWord(err error) error {
	switch {
	case err == io.EOF && h.goneBy != nil:
		return h.goneBy
	case err == io.EOF:
		return io.ErrUnexpectedEOF
	}
	return err
}
