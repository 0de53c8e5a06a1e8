package target

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"sync/atomic"

	"golang.org/x/net/http2/hpack"
)

// Readers of answers, as Config.Reader and the records name them.
const (
	// ReadNetHTTP is Go's own HTTP client: any target, stamps taken after a
	// goroutine was woken and has read.
	ReadNetHTTP = "net/http"

	// ReadEpoll is assay's own reader on Linux, of HTTP/1.1 and HTTP/2 with TLS and
	// without, with stamps taken after the read and before it is decrypted.
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

	wire    []byte      // the whole request, in case it must be sent again; of HTTP/2 its body
	unsent  []byte      // of the request; belongs to the thread when sending is set
	sending atomic.Bool // the thread writes the rest of the request

	// Of HTTP/2.
	block    []byte // the head of the request, packed
	stream   uint32
	window   int64               // bytes of the body that the server takes; belongs to whoever holds the connection's lock
	owed     uint32              // bytes of data that the server may send again
	declared int64               // bytes of the body that the head promises and that have not come; below zero if it does not say
	fields   []hpack.HeaderField // of the head of the answer
	trailers []hpack.HeaderField

	packets  packets         // of the connection that carries it alone; nil before, and for HTTP/2
	ctx      context.Context // whose end cuts the exchange off
	raw      *Raw
	finished func(*Raw) // called when nothing of this exchange will change any more
}

// reset makes x ready for the exchange of raw, which begins now.
func (x *exchange) reset(ctx context.Context, raw *Raw, finished func(*Raw)) {
	x.framer.reset()
	x.packed.reset()
	x.sent, x.last = raw.request.Sent, raw.request.Sent
	x.first, x.end, x.reads, x.kernel, x.size = 0, 0, 0, 0, 0
	x.unsent, x.done = nil, false
	x.stream, x.window, x.owed, x.declared = 0, 0, 0, -1
	x.sending.Store(false)
	x.ctx, x.raw, x.finished = ctx, raw, finished
}

// release lets go of what belongs to the caller.
func (x *exchange) release() {
	x.wire, x.block, x.unsent, x.began = nil, nil, nil, nil
	x.fields, x.trailers = nil, nil
	x.packets, x.ctx, x.raw, x.finished = nil, nil, nil, nil
}

// take keeps the bytes of one read that came at the stamp at. It runs on the
// reading thread and does not allocate once the buffers have grown.
func (x *exchange) take(b []byte, at int64, kernel bool) error {
	x.note(at, kernel)
	body, err := x.framer.feed(b)
	if fault := x.body(body, at); err == nil {
		err = fault
	}
	return err
}

// note counts a read that came at the stamp at.
func (x *exchange) note(at int64, kernel bool) {
	if x.first == 0 {
		x.first = at
		// The count begins anew with each answer: its head comes in a packet of its
		// own and is often read together with the first event.
		if x.packets != nil {
			x.packets.sentTogether()
		}
	}
	x.reads++
	if kernel {
		x.kernel++
	}
}

// body keeps bytes of the body.
func (x *exchange) body(b []byte, at int64) error {
	if len(b) == 0 {
		return nil
	}
	if x.began != nil {
		x.began()
		x.began = nil
	}
	x.size += int64(len(b))
	if x.done {
		x.packed.add(b, at, x.packets) // the end stays where it was
	} else {
		x.keep(b, at)
	}
	return fits(x.size, x.limit, x.packed.pieces)
}

// keep takes bytes of the body. Behind a [DONE] line only so many more are waited for.
func (x *exchange) keep(body []byte, at int64) {
	x.limit = bodyLimit(x.limit, x.framer.status)
	x.packed.add(body, at, x.packets)
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
		if err := r.readHeadOf(x); err != nil {
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

// readHeadOf reads the head of what x was answered.
func (r *Raw) readHeadOf(x *exchange) error {
	if x.stream == 0 {
		return r.readHead(x.framer.head)
	}
	r.request.Status, r.request.Protocol = int32(x.framer.status), "HTTP/2.0"
	r.header, r.trailer = headerOf(x.fields), headerOf(x.trailers)
	return nil
}

// headerOf is a list of fields as net/http has it.
func headerOf(fields []hpack.HeaderField) http.Header {
	header := make(http.Header, len(fields))
	for _, f := range fields {
		header.Add(f.Name, f.Value)
	}
	return header
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
	if c.overHTTP2() {
		return c.encodeHTTP2(p)
	}
	var out bytes.Buffer
	out.Grow(len(p.body) + 512)
	if err := c.newRequest(context.Background(), *p, &phases{}).Write(&out); err != nil {
		return fmt.Errorf("encode the request: %w", err)
	}
	p.wire = bytes.Clone(out.Bytes()) // to size: many may wait
	p.body = nil
	return nil
}
