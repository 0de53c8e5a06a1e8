package target

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
)

// Readers of answers, as Config.Reader and the records name them.
const (
	// ReadNetHTTP is Go's own HTTP client: any target, stamps taken after a
	// goroutine was woken and has read.
	ReadNetHTTP = "net/http"

	// ReadEpoll is assay's own reader of plain HTTP on Linux, with stamps taken
	// after the read.
	ReadEpoll = "epoll"

	// ReadKernel is ReadEpoll with the stamps that the kernel took when the bytes
	// reached this host. A record says so only if every stamp of it is one.
	ReadKernel = "epoll+kernel"
)

// An engine carries out exchanges in place of net/http.
type engine interface {
	// do sends p and returns when the answer has ended, one way or another.
	do(ctx context.Context, p Prepared, raw *Raw)

	// warm opens n connections to each URL beforehand.
	warm(ctx context.Context, n int) error
	close()
}

// An exchange is one request on the wire of an engine. While it is under way its
// fields belong to the reading thread, except for the atomic ones.
type exchange struct {
	framer framer
	packed packed
	first  int64 // stamp of the first byte
	end    int64 // stamp of the last byte of the body
	reads  int32
	kernel int32 // reads that the kernel stamped
	err    error
	began  func() // see Prepared.FirstByte
	lines  bool   // a [DONE] line ends the answer

	unsent   []byte      // of the request; belongs to the thread when sending is set
	sending  atomic.Bool // the thread writes the rest of the request
	wrote    *atomic.Int64
	last     atomic.Int64 // stamp of the last read, for the idle limit
	done     atomic.Bool  // [DONE] was seen
	finished atomic.Bool  // nothing of this exchange will change any more
	reusable bool         // its connection may carry another one

	cause  atomic.Pointer[error] // why we gave it up
	signal chan struct{}         // look at done and finished; holds one, since looking twice is no use
}

func newExchange() *exchange { return &exchange{signal: make(chan struct{}, 1)} }

// reset makes x ready for the exchange that begins at the stamp at.
func (x *exchange) reset(at int64, wrote *atomic.Int64) {
	x.framer.reset()
	x.packed.reset()
	x.first, x.end, x.reads, x.kernel, x.err = 0, 0, 0, 0, nil
	x.unsent, x.wrote, x.reusable = nil, wrote, false
	x.sending.Store(false)
	x.last.Store(at)
	x.done.Store(false)
	x.finished.Store(false)
	x.cause.Store(nil)
	select {
	case <-x.signal:
	default:
	}
}

// take keeps the bytes of one read that came at the stamp at. It runs on the
// reading thread and does not allocate once the buffers have grown.
func (x *exchange) take(b []byte, at int64, kernel bool) error {
	if x.first == 0 {
		x.first = at
	}
	x.reads++
	if kernel {
		x.kernel++
	}
	body, err := x.framer.feed(b)
	if len(body) > 0 && x.began != nil {
		x.began()
		x.began = nil
	}
	if len(body) > 0 && !x.done.Load() {
		x.packed.add(body, at)
		x.end = at
		if x.lines && x.framer.done.saw(body) {
			x.done.Store(true)
		}
	}
	return err
}

// finish ends x. Nothing may touch x after it but whoever waits for it.
func (x *exchange) finish(err error, at int64) {
	if cause := x.cause.Load(); cause != nil && err != nil {
		err = *cause
	}
	if x.done.Load() {
		err = nil // what happens after [DONE] is no part of the answer
	}
	x.err = err
	if err != nil || x.end == 0 {
		x.end = at
	}
	signal := x.signal
	x.finished.Store(true)
	ring(signal)
}

func ring(signal chan struct{}) {
	select {
	case signal <- struct{}{}:
	default: // it will be looked at anyway
	}
}

func (x *exchange) stampedBy() string {
	if x.reads > 0 && x.kernel == x.reads {
		return ReadKernel
	}
	return ReadEpoll
}

// unpack turns what an engine kept into what Decode reads.
func (r *Raw) unpack(c *Client) {
	x := r.exchange
	if x == nil {
		return
	}
	r.exchange = nil
	r.request.Stamps = x.stampedBy()
	if x.framer.headed() {
		r.reading = c.bodies.Get().(*reading)
		r.reading.body, r.reading.marks = r.reading.body[:0], r.reading.marks[:0]
		r.readHead(x.framer.head)
		x.packed.unpack(r.reading)
	}
	x.wrote, x.unsent, x.began = nil, nil, nil // they belong to the caller
	c.exchanges.Put(x)
}

// readHead reads the headers of an answer. A head that net/http would refuse is
// refused here too, and then there is no answer.
func (r *Raw) readHead(head []byte) {
	response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(head)), &http.Request{Method: http.MethodPost})
	if err != nil {
		r.err, r.reading, r.header = err, nil, nil
		return
	}
	r.request.Status, r.request.Protocol, r.header = int32(response.StatusCode), response.Proto, response.Header
}

// encode writes p as it will go out, so that nothing but the write is left to do
// when it is due. net/http writes it, so both readers send the same bytes.
func (c *Client) encode(p *Prepared) error {
	var out bytes.Buffer
	out.Grow(len(p.body) + 512)
	if err := c.newRequest(context.Background(), *p, &phases{}).Write(&out); err != nil {
		return fmt.Errorf("encode the request: %w", err)
	}
	p.wire = bytes.Clone(out.Bytes()) // to size: many may wait
	p.body = nil
	return nil
}
