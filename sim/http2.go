package sim

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// An http2Conn carries many requests over one connection. Each is answered as if
// it had a connection of its own with HTTP/1.1 on it, whose bytes become frames:
// so every fault is the same in both protocols. Tokens still leave from the
// pacer's thread, in one write for each.
type http2Conn struct {
	server *Server
	link   net.Conn // its writes never wait
	work   sync.WaitGroup

	mu      sync.Mutex // of everything below, and of the order of frames
	out     bytes.Buffer
	framer  *http2.Framer // reads from the client, writes to out
	fields  bytes.Buffer
	encoder *hpack.Encoder
	window  int64 // what the client takes on the connection
	initial int64 // what it takes on a new stream
	streams map[uint32]*http2Stream
	latest  uint32 // the highest stream that the client opened

	received uint32 // bytes that the client may send again
}

// receiveWindow is how much of a request a client may send ahead.
const receiveWindow = 1 << 20

// frameBytes is the longest frame that every peer takes.
const frameBytes = 16 << 10

// serveHTTP2 answers requests until the client leaves.
func (s *Server) serveHTTP2(nc net.Conn, from io.Reader) {
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(from, preface); err != nil || string(preface) != http2.ClientPreface {
		return
	}
	c := &http2Conn{server: s, link: nc, window: 65535, initial: 65535, streams: map[uint32]*http2Stream{}}
	c.framer = http2.NewFramer(&c.out, from)
	c.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	c.framer.MaxHeaderListSize = maxHead
	c.encoder = hpack.NewEncoder(&c.fields)
	c.write(func() {
		_ = c.framer.WriteSettings(
			http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 100_000},
			http2.Setting{ID: http2.SettingInitialWindowSize, Val: receiveWindow})
		_ = c.framer.WriteWindowUpdate(0, 1<<30)
	})
	for {
		frame, err := c.framer.ReadFrame()
		if err == nil {
			err = c.take(frame)
		}
		if _, one := err.(http2.StreamError); err != nil && !one {
			break
		}
	}
	c.mu.Lock()
	for _, st := range c.streams {
		_ = st.far.Close() // the client has left
	}
	c.mu.Unlock()
	c.work.Wait()
}

// write sends the frames that add puts out, in one piece. Writing to memory does
// not fail, and a client that is gone is noticed by reading.
func (c *http2Conn) write(add func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	add()
	c.flush()
}

func (c *http2Conn) flush() {
	if c.out.Len() > 0 {
		_, _ = c.link.Write(c.out.Bytes())
		c.out.Reset()
	}
}

// take deals with one frame of the client.
func (c *http2Conn) take(frame http2.Frame) error {
	id := frame.Header().StreamID
	switch f := frame.(type) {
	case *http2.SettingsFrame:
		if !f.IsAck() {
			c.settings(f)
		}
	case *http2.PingFrame:
		if !f.IsAck() {
			c.write(func() { _ = c.framer.WritePing(true, f.Data) })
		}
	case *http2.MetaHeadersFrame:
		if id > c.latest {
			c.open(f)
		}
	case *http2.DataFrame:
		c.mu.Lock()
		st := c.streams[id]
		if c.received += uint32(len(f.Data())); c.received > receiveWindow {
			_ = c.framer.WriteWindowUpdate(0, c.received)
			c.received = 0
			c.flush()
		}
		c.mu.Unlock()
		if st != nil {
			st.request.add(st.chunk(f.Data()), f.StreamEnded())
		}
	case *http2.WindowUpdateFrame:
		c.write(func() { c.grow(id, int64(f.Increment)) })
	case *http2.RSTStreamFrame:
		c.mu.Lock()
		defer c.mu.Unlock()
		if st := c.streams[id]; st != nil {
			st.ended = true
			_ = st.far.Close()
		}
	}
	return nil
}

func (c *http2Conn) settings(f *http2.SettingsFrame) {
	c.write(func() {
		if v, ok := f.Value(http2.SettingInitialWindowSize); ok {
			for _, st := range c.streams {
				st.window += int64(v) - c.initial
			}
			c.initial = int64(v)
		}
		if v, ok := f.Value(http2.SettingHeaderTableSize); ok {
			c.encoder.SetMaxDynamicTableSizeLimit(v)
		}
		_ = c.framer.WriteSettingsAck()
		for _, st := range c.streams {
			st.drain()
		}
	})
}

// grow adds to a window and sends what waited for it.
func (c *http2Conn) grow(id uint32, n int64) {
	if st := c.streams[id]; st != nil {
		st.window += n
		st.drain()
	}
	if id == 0 {
		c.window += n
		for _, st := range c.streams {
			st.drain()
		}
	}
}

// open begins to answer a request.
func (c *http2Conn) open(f *http2.MetaHeadersFrame) {
	near, far := net.Pipe()
	st := &http2Stream{Conn: near, conn: c, far: far, id: f.StreamID}
	st.request.more.L = &st.request.mu
	head := st.head(f)
	c.mu.Lock()
	c.latest = f.StreamID
	st.window = c.initial
	c.streams[st.id] = st
	c.mu.Unlock()
	st.request.add(head, f.StreamEnded())
	c.work.Go(func() { st.request.copy(st) })
	c.work.Go(func() { c.server.serveHTTP1(st) })
}

// head is the request as HTTP/1.1.
func (st *http2Stream) head(f *http2.MetaHeadersFrame) []byte {
	b := fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n",
		f.PseudoValue("method"), f.PseudoValue("path"), f.PseudoValue("authority"))
	length := false
	for _, field := range f.RegularFields() {
		length = length || field.Name == "content-length"
		b = fmt.Appendf(b, "%s: %s\r\n", field.Name, field.Value)
	}
	if st.chunks = !length && !f.StreamEnded(); st.chunks {
		b = append(b, "Transfer-Encoding: chunked\r\n"...)
	}
	return append(b, "\r\n"...)
}

// chunk frames a part of the request's body as HTTP/1.1 wants it.
func (st *http2Stream) chunk(data []byte) []byte {
	if !st.chunks || len(data) == 0 {
		return data
	}
	return fmt.Appendf(nil, "%x\r\n%s\r\n", len(data), data)
}

// A requestQueue holds what came of a request until it is read: the reader of
// frames must not wait for one of them.
type requestQueue struct {
	mu    sync.Mutex
	more  sync.Cond
	bytes []byte
	whole bool
}

func (q *requestQueue) add(b []byte, last bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.bytes = append(q.bytes, b...)
	q.whole = q.whole || last
	q.more.Signal()
}

// copy feeds the request to the side that reads it, and lets the client send
// more.
func (q *requestQueue) copy(st *http2Stream) {
	for {
		q.mu.Lock()
		for len(q.bytes) == 0 && !q.whole && !st.isClosed() {
			q.more.Wait()
		}
		b, last := q.bytes, q.whole
		q.bytes = nil
		q.mu.Unlock()
		if last && st.chunks {
			b = append(b, "0\r\n\r\n"...)
		}
		if len(b) > 0 {
			if _, err := st.far.Write(b); err != nil {
				return
			}
		}
		if last || len(b) == 0 {
			return
		}
		st.conn.write(func() { _ = st.conn.framer.WriteWindowUpdate(st.id, uint32(len(b))) })
	}
}

// An http2Stream is one request and its answer. The simulator reads HTTP/1.1
// from it and writes HTTP/1.1 to it.
type http2Stream struct {
	net.Conn // our end of a pipe; what is written does not go into it
	conn     *http2Conn
	far      net.Conn // the client's end
	id       uint32
	chunks   bool // the request has no length
	request  requestQueue

	answer  unframer
	window  int64
	pending []byte // waits for a window
	last    bool   // pending ends the answer
	ended   bool   // END_STREAM or RST_STREAM is sent or came
	closed  bool
}

// Write turns bytes of HTTP/1.1 into frames and sends them in one piece.
func (st *http2Stream) Write(b []byte) (int, error) {
	c := st.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	if st.ended {
		return 0, net.ErrClosed
	}
	err := st.answer.feed(b, st.headers, st.data)
	c.flush()
	return len(b), err
}

// headers sends the head of the answer. An interim one is left out.
func (st *http2Stream) headers(status int, header http.Header, last bool) {
	c := st.conn
	c.fields.Reset()
	_ = c.encoder.WriteField(hpack.HeaderField{Name: ":status", Value: strconv.Itoa(status)})
	for name, values := range header {
		switch name {
		case "Connection", "Transfer-Encoding", "Keep-Alive":
			continue // HTTP/2 has no such thing
		}
		for _, value := range values {
			_ = c.encoder.WriteField(hpack.HeaderField{Name: strings.ToLower(name), Value: value})
		}
	}
	_ = c.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: st.id, BlockFragment: c.fields.Bytes(), EndHeaders: true, EndStream: last})
	st.ended = last
}

// data sends a piece of the body, as far as the client takes it.
func (st *http2Stream) data(b []byte, last bool) {
	st.pending = append(st.pending, b...)
	st.last = st.last || last
	st.drain()
}

// drain puts out what the windows allow.
func (st *http2Stream) drain() {
	c := st.conn
	for !st.ended && (len(st.pending) > 0 || st.last) {
		n := min(int64(len(st.pending)), frameBytes, max(0, st.window), max(0, c.window))
		if n == 0 && len(st.pending) > 0 {
			return
		}
		st.ended = st.last && int(n) == len(st.pending)
		_ = c.framer.WriteData(st.id, st.ended, st.pending[:n])
		st.window -= n
		c.window -= n
		st.pending = st.pending[:copy(st.pending, st.pending[n:])]
	}
	if st.ended && st.closed {
		delete(c.streams, st.id)
	}
}

func (st *http2Stream) isClosed() bool {
	st.conn.mu.Lock()
	defer st.conn.mu.Unlock()
	return st.closed
}

// Close ends the answer: properly where the end of the connection is its end,
// otherwise by a reset.
func (st *http2Stream) Close() error {
	c := st.conn
	c.mu.Lock()
	if !st.ended && st.answer.untilClose() {
		st.data(nil, true)
	}
	if !st.ended && len(st.pending) == 0 {
		_ = c.framer.WriteRSTStream(st.id, http2.ErrCodeInternal)
		st.ended = true
	}
	st.closed = true
	c.flush()
	if st.ended {
		delete(c.streams, st.id)
	}
	c.mu.Unlock()
	st.request.add(nil, true) // ends its copying
	_ = st.far.Close()
	return st.Conn.Close()
}

// abort resets the stream.
func (st *http2Stream) abort() {
	c := st.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	if !st.ended {
		st.ended = true
		_ = c.framer.WriteRSTStream(st.id, http2.ErrCodeCancel)
		c.flush()
	}
}

// goAway tells the client to open no more streams here; with cut, the connection
// ends at once.
func (st *http2Stream) goAway(cut bool) {
	c := st.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	code := http2.ErrCodeNo
	if cut {
		code = http2.ErrCodeInternal
	}
	_ = c.framer.WriteGoAway(c.latest, code, nil)
	c.flush()
	if a, ok := c.link.(aborter); ok && cut {
		st.ended = true
		a.abort()
	}
}
