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
	// start sends p; see Client.Start.
	start(ctx context.Context, p Prepared, raw *Raw, done func(*Raw))

	// warm opens n connections to each URL beforehand.
	warm(ctx context.Context, n int) error
	close()
}

// An exchange is one request on the wire of an engine. From when a connection has
// it until it ends, its fields belong to the reading thread.
type exchange struct {
	sent   int64 // when it began, for the total limit
	last   int64 // stamp of the last read, for the idle limit
	framer framer
	packed deltaBody
	first  int64 // stamp of the first byte
	end    int64 // stamp of the last byte of the body
	reads  int32
	kernel int32 // reads that the kernel stamped
	size   int64 // bytes of the body that have come
	limit  int64 // how many may; see bodyLimit

	lines bool   // a [DONE] line ends the answer
	done  bool   // it was seen
	began func() // see Prepared.FirstByte

	wire    []byte      // the whole request, in case it must be sent again
	unsent  []byte      // of the request; belongs to the thread when sending is set
	sending atomic.Bool // the thread writes the rest of the request

	ctx      context.Context // whose end cuts the exchange off
	raw      *Raw
	finished func(*Raw) // told when nothing of this exchange will change any more
}

// reset makes x ready for the exchange of raw, which begins now.
func (x *exchange) reset(ctx context.Context, raw *Raw, finished func(*Raw)) {
	x.framer.reset()
	x.packed.reset()
	x.sent, x.last = raw.request.Sent, raw.request.Sent
	x.first, x.end, x.reads, x.kernel, x.size = 0, 0, 0, 0, 0
	x.unsent, x.done = nil, false
	x.sending.Store(false)
	x.ctx, x.raw, x.finished = ctx, raw, finished
}

// release lets go of what belongs to the caller.
func (x *exchange) release() {
	x.wire, x.unsent, x.began = nil, nil, nil
	x.ctx, x.raw, x.finished = nil, nil, nil
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
	if len(body) == 0 {
		return err
	}
	if x.began != nil {
		x.began()
		x.began = nil
	}
	x.size += int64(len(body))
	if !x.done {
		x.keep(body, at)
	}
	if err == nil {
		err = fits(x.size, x.limit, x.packed.pieces)
	}
	return err
}

// keep takes bytes of the body. Behind a [DONE] line only so many more are waited for.
func (x *exchange) keep(body []byte, at int64) {
	x.limit = bodyLimit(x.limit, x.framer.status)
	x.packed.add(body, at)
	x.end = at
	if x.done = x.lines && x.framer.done.saw(body); x.done {
		x.limit = x.size + bytesAfterDone
	}
}

// finish ends x at the stamp at. Nothing may touch x after it but whoever has
// its Raw.
func (x *exchange) finish(err error, at int64) {
	if x.done {
		err = nil // what happens after [DONE] is no part of the answer
	}
	if err != nil || x.end == 0 {
		x.end = at
	}
	raw, finished := x.raw, x.finished
	raw.Done, raw.err = x.end, err
	if !x.done {
		raw.over = at
	}
	raw.phases.first.Store(x.first)
	finished(raw)
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
		if err := r.readHead(x.framer.head); err != nil {
			r.err = err
		} else {
			r.reading = c.bodies.Get().(*stampedBody)
			r.reading.body, r.reading.marks = r.reading.body[:0], r.reading.marks[:0]
			x.packed.unpack(r.reading)
		}
	}
	x.release()
	if cap(x.packed.data) <= mostKept {
		c.exchanges.Put(x)
	}
}

// readHead reads the headers of an answer. A head that net/http would refuse is
// refused here too, and then there is no answer, whatever came after it.
func (r *Raw) readHead(head []byte) error {
	response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(head)), &http.Request{Method: http.MethodPost})
	if err != nil {
		return err
	}
	r.request.Status, r.request.Protocol, r.header = int32(response.StatusCode), response.Proto, response.Header
	return nil
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
