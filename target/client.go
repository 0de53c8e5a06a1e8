package target

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"time"

	"assay/record"
)

// ErrRunEnded is the cancellation cause of requests that the end of the run
// cuts off. Such a request is neither a success nor a failure.
var ErrRunEnded = errors.New("the run ended")

var (
	errTotalTimeout = errors.New("total time limit reached")
	errIdleTimeout  = errors.New("idle time limit reached")
)

// doneGrace is how long a finished stream may take to end its body before the
// connection is given up. Servers end it in the same packet; one that does not
// must not delay the next call.
const doneGrace = 20 * time.Millisecond

// Config says where the target is and how to reach it.
type Config struct {
	URLs    []string // calls go round robin
	Header  http.Header
	Query   url.Values
	TLS     *tls.Config
	Ask     Ask
	Timeout time.Duration // total, zero means none
	Idle    time.Duration // between two reads, zero means none

	// AnswerLimit bounds the body of one answer in bytes, as it came and unpacked;
	// zero means DefaultAnswerLimit. See also the limits that cannot be changed.
	AnswerLimit int64

	// Connections is how many connections to keep open per URL.
	Connections int

	// KeepText records the text of every answer.
	KeepText bool

	// CountText counts the tokens of a text, of a sample of the answers. Nil counts none.
	CountText func(text string) (int, error)

	// CountSeed is what that sample hangs on besides: the id of the run.
	CountSeed string

	// KeepLogprobs records the log-probabilities that come with answers.
	KeepLogprobs bool

	// Redact takes secrets out of what the server says before it is cut to fit a
	// record. Nil means that there are none.
	Redact func(string) string

	// Trace gives every request a trace of its own. The zero value gives none.
	Trace Trace

	// Sign signs every request. Nil means that headers suffice.
	Sign Signer

	// Reader is how answers are read: ReadNetHTTP, ReadEpoll or ReadKernel. Empty
	// means the best that the target allows; one that it does not allow is as
	// empty. Records say which it was.
	Reader string

	// Readers is how many threads read answers where assay reads them itself; zero
	// means as many as the connections and the processors ask for.
	Readers int

	// Spin keeps those threads awake while calls are under way: none has to be woken
	// when an answer comes, and each takes a processor for itself.
	Spin bool

	// HTTP2 speaks HTTP/2 and nothing else: negotiated over TLS, by prior
	// knowledge without it. Its streams share connections.
	HTTP2 bool

	// Program is what answers in place of a server at URLs, which are then none:
	// see Client.StartProgram.
	Program *ServerConfig

	// Proxy is where every connection goes through. Nil means none: those of the
	// environment are not used.
	Proxy *url.URL
}

// A Client sends calls and stamps what comes back. It is safe for concurrent
// use.
type Client struct {
	cfg     Config
	dialect Dialect
	scanner scanner // the dialect, if it is one
	shape   Shape
	header  http.Header // of every request, before it is signed
	// endsAtDone says that a [DONE] line ends the answer. In a body that is not
	// server-sent events the same bytes may mean anything.
	endsAtDone bool
	clock      *record.Clock
	urls       []*url.URL
	http       *http.Transport
	fresh      *http.Transport // opens a connection for each request, for those that are sent again
	warm       warmPool
	bodies     sync.Pool

	program   *program  // of a command; nil until it is started
	engine    engine    // nil when net/http does the work
	exchanges sync.Pool // of the engine
}

// New returns a client that stamps with clock. Proxies of the environment are
// not used: what is measured must be what was named.
func New(cfg Config, dialect Dialect, clock *record.Clock) (*Client, error) {
	shape := shapeOf(dialect, cfg.Ask)
	cfg.Ask.Stream = cfg.Ask.Stream && !shape.Unary
	cfg.AnswerLimit = cmp.Or(cfg.AnswerLimit, DefaultAnswerLimit)
	c := &Client{cfg: cfg, dialect: dialect, shape: shape, clock: clock}
	if !cfg.KeepLogprobs { // a scanner does not look at them
		c.scanner, _ = dialect.(scanner)
	}
	c.endsAtDone = cfg.Ask.Stream && shape.lines
	c.header = shape.header(cfg.Header, cfg.Ask.Stream)
	c.warm.dialer.Timeout = 30 * time.Second
	for _, raw := range cfg.URLs {
		u, err := shape.address(raw, cfg.Query)
		if err != nil {
			return nil, err
		}
		c.urls = append(c.urls, u)
	}
	if len(c.urls) == 0 && cfg.Program == nil {
		return nil, errors.New("target.url is missing: want http://HOST[:PORT]")
	}
	c.http, c.fresh = c.newTransport(), c.newTransport()
	c.fresh.DisableKeepAlives = true
	c.bodies.New = func() any { return &stampedBody{body: make([]byte, 0, 64<<10), marks: make([]mark, 0, 512)} }
	c.exchanges.New = func() any { return &exchange{} }
	if cfg.Proxy == nil && cfg.Program == nil {
		c.engine = newEngine(c)
	}
	return c, nil
}

// Below is the address of path at the target whose base URL is raw. Users paste
// the base URL of an SDK, which ends in /v1, as often as the server's root.
func Below(raw, path string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("target.url %q: want http://HOST[:PORT] or https://HOST[:PORT]", redactedURL(raw))
	}
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/v1") + path
	return u, nil
}

// redactedURL keeps a message from repeating credentials.
func redactedURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "(unreadable)"
	}
	u.RawQuery = ""
	return u.Redacted()
}

// Close ends all idle connections, and the program of a command. No call may be
// under way or follow.
func (c *Client) Close() {
	c.http.CloseIdleConnections()
	c.warm.close()
	if c.program != nil {
		c.program.close()
	}
	if c.engine != nil {
		c.engine.close()
	}
}

// Prepared is a call with its body already encoded and signed, so that nothing
// but the write happens when it is due.
type Prepared struct {
	Call   record.Call
	body   []byte
	header http.Header // shared between calls, not to be changed
	wire   []byte      // the whole request, for an engine; of HTTP/2 its body
	block  []byte      // the head of a request of HTTP/2, packed
	hash   int64
	trace  string // the id of its trace; empty for none

	// FirstByte, when it is not nil, is called once, as soon as the first byte of
	// the answer's body has been read. It must not block.
	FirstByte func()
}

// Prepare encodes and signs call. A signature names the time it was made, and
// clouds refuse one older than five minutes.
func (c *Client) Prepare(call record.Call) (Prepared, error) {
	if call.Sampling != nil {
		if _, ok := c.dialect.(sampler); !ok {
			return Prepared{}, errNoSampling
		}
	}
	body, err := c.dialect.Encode(call, c.cfg.Ask)
	if err != nil {
		return Prepared{}, err
	}
	p := Prepared{Call: call, body: body, hash: promptHash(call.Prompt)}
	if call.Prompt == "" {
		p.hash = promptHash(string(body)) // images and documents alone
	}
	if c.cfg.Program != nil {
		return p, nil
	}
	if p.header, p.trace, err = c.headerFor(call, body); err != nil {
		return p, err
	}
	if c.engine != nil {
		err = c.encode(&p)
	}
	return p, err
}

// began reports to whoever wants to know that the answer has begun.
func (p *Prepared) began() {
	if p.FirstByte != nil {
		p.FirstByte()
		p.FirstByte = nil
	}
}

// A mark says that the bytes up to end had arrived at the stamp at, and whether they
// were sent together with those before.
type mark struct {
	end      int
	at       int64
	together bool
}

// A stampedBody is the raw body of one answer and when its bytes came.
type stampedBody struct {
	body  []byte
	marks []mark
	over  int64 // when the end of the body was known; zero after a [DONE] line
}

// A Raw is one finished exchange, stamped but not yet interpreted. Decode turns
// it into records, off the measured path.
type Raw struct {
	Done int64 // stamp of the end, known at once
	over int64 // stamp of when the server said that nothing follows, if that was later

	request record.Request
	prompt  string // what was asked, to know an echo of it
	phases  phases
	reading *stampedBody
	header  http.Header
	trailer http.Header
	err     error
	resent  bool // the request was sent a second time; see stale

	exchange *exchange // what an engine read; unpack makes a reading of it
}

// Do sends p, which was due at the stamp due, and reads the answer to its end.
// A refused or broken request is a result, not an error.
func (c *Client) Do(ctx context.Context, p Prepared, due int64) *Raw {
	raw := &Raw{request: p.request(due), prompt: p.Call.Prompt}
	if c.engine != nil {
		ended := make(chan *Raw, 1) // one place, so that the reading thread never waits
		c.engine.start(ctx, p, raw, func(raw *Raw) { ended <- raw })
		return <-ended
	}
	if c.cfg.Program != nil {
		c.carry(ctx, p, raw)
		return raw
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if c.cfg.Timeout > 0 {
		total := time.AfterFunc(c.cfg.Timeout, func() { cancel(errTotalTimeout) })
		defer total.Stop()
	}
	idle := time.AfterFunc(c.idleLimit(), func() { cancel(errIdleTimeout) })
	defer idle.Stop()

	resp, err := c.roundTrip(ctx, p, raw)
	if err != nil {
		raw.fail(c.clock.Now(), cause(ctx, err))
		return raw
	}
	defer resp.Body.Close()
	raw.request.Status, raw.request.Protocol = int32(resp.StatusCode), resp.Proto
	if err := c.spoken(resp); err != nil {
		raw.fail(c.clock.Now(), err)
		return raw
	}
	raw.header = resp.Header
	raw.reading = c.bodies.Get().(*stampedBody)
	err = c.read(resp.Body, raw.reading, bodyLimit(c.cfg.AnswerLimit, resp.StatusCode), func() {
		idle.Reset(c.idleLimit())
		p.began()
	})
	if err == nil && raw.reading.over > 0 {
		err = ctx.Err() // hanging up over TLS may look like the server's own end of the body
	}
	if err != nil {
		raw.fail(c.clock.Now(), cause(ctx, err))
		return raw
	}
	raw.trailer = resp.Trailer // known now that the body has ended
	raw.Done = c.clock.Now()
	if n := len(raw.reading.marks); n > 0 {
		raw.Done = raw.reading.marks[n-1].at
	}
	raw.over = raw.reading.over
	return raw
}

// roundTrip sends p, and once more on a new connection where the kept one was stale.
func (c *Client) roundTrip(ctx context.Context, p Prepared, raw *Raw) (*http.Response, error) {
	req := c.newRequest(ctx, p, &raw.phases)
	raw.request.Sent = c.clock.Now()
	resp, err := c.http.RoundTrip(req)
	if err == nil || c.overHTTP2() || ctx.Err() != nil || raw.phases.first.Load() != 0 || !raw.stale(err, c.clock.Now()) {
		return resp, err
	}
	raw.resent = true
	return c.fresh.RoundTrip(c.newRequest(ctx, p, &raw.phases))
}

func (c *Client) idleLimit() time.Duration {
	if c.cfg.Idle > 0 {
		return c.cfg.Idle
	}
	return 1 << 62
}

// newRequest builds the HTTP request, whose phases are stamped into t.
func (c *Client) newRequest(ctx context.Context, p Prepared, t *phases) *http.Request {
	u := c.urls[int(p.Call.ID)%len(c.urls)]
	return (&http.Request{
		Method: http.MethodPost, URL: u, Host: u.Host,
		Header:        p.header,
		Body:          io.NopCloser(bytes.NewReader(p.body)),
		ContentLength: int64(len(p.body)),
	}).WithContext(httptrace.WithClientTrace(ctx, t.trace(c.clock)))
}

// read is the measured path: a read returns, the clock is read, the bytes are
// kept. It ends at the [DONE] line, at the end of the body or beyond the limit.
func (c *Client) read(body io.ReadCloser, to *stampedBody, limit int64, alive func()) error {
	to.body, to.marks, to.over = to.body[:0], to.marks[:0], 0
	for {
		if len(to.body) == cap(to.body) {
			to.body = append(to.body, 0)[:len(to.body)] // grow, keeping the length
		}
		from := len(to.body)
		n, err := body.Read(to.body[from:cap(to.body)])
		if n > 0 {
			at := c.clock.Now()
			to.body = to.body[:from+n]
			to.marks = append(to.marks, mark{end: from + n, at: at})
			alive()
			if c.endsAtDone && sawDone(to.body, from) {
				c.drain(body, to)
				return nil
			}
			if err := fits(int64(len(to.body)), limit, len(to.marks)); err != nil {
				return err
			}
		}
		if err == io.EOF {
			to.over = c.clock.Now()
			return nil
		}
		if err != nil {
			return err
		}
	}
}

var (
	doneSpaced = []byte("data: [DONE]")
	donePlain  = []byte("data:[DONE]")
)

// sawDone reports whether the bytes from the offset from on complete the line
// that ends a stream. Inside JSON a line break is escaped, so only the real
// line can match after one.
func sawDone(body []byte, from int) bool {
	tail := body[max(0, from-len(doneSpaced)-1):]
	for _, done := range [][]byte{doneSpaced, donePlain} {
		i := bytes.Index(tail, done)
		if i < 0 {
			continue
		}
		start := len(body) - len(tail) + i
		if start == 0 || body[start-1] == '\n' || body[start-1] == '\r' {
			return true
		}
	}
	return false
}

// drain lets the connection be used again when the body ends at once, as it
// does with every well-behaved server. What comes behind the end all the same is kept.
func (c *Client) drain(body io.ReadCloser, to *stampedBody) {
	give := time.AfterFunc(doneGrace, func() { body.Close() })
	defer give.Stop()
	var piece [4 << 10]byte
	for left := bytesAfterDone; left > 0; {
		n, err := body.Read(piece[:])
		if n > 0 {
			give.Reset(doneGrace)
			to.body = append(to.body, piece[:n]...)
			to.marks = append(to.marks, mark{end: len(to.body), at: c.clock.Now()})
			left -= n
		}
		if err != nil {
			return
		}
	}
}

// cause prefers the reason that a context was cancelled for over the transport's
// own words for it.
func cause(ctx context.Context, err error) error {
	if reason := context.Cause(ctx); reason != nil {
		return reason
	}
	return err
}

// recycle keeps the room of a reading for the next one.
func (c *Client) recycle(r *stampedBody) {
	if cap(r.body) <= mostKept {
		c.bodies.Put(r)
	}
}

func (r *Raw) fail(at int64, err error) {
	r.Done, r.err = at, err
}
