package target

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"golang.org/x/sys/unix"

	"assay/record"
)

// A byHand is a connection of HTTP/2 with one stream, which a test feeds in place of
// a loop.
type byHand struct {
	client *Client
	http2  *http2Conn
	ended  chan *Raw
	far    int // the other end of its socket
}

func handFed(t testing.TB) *byHand {
	t.Helper()
	return feeding(t, streamClient(t))
}

// streamClient is a client whose loops run, with nothing to read.
func streamClient(t testing.TB) *Client {
	t.Helper()
	dialect, err := Find("openai-chat")
	if err != nil {
		t.Fatal(err)
	}
	clock, err := record.StartClock()
	if err != nil {
		t.Fatal(err)
	}
	client, err := New(Config{URLs: []string{"http://127.0.0.1:1"}, HTTP2: true, KeepText: true, Ask: Ask{Model: "m", Stream: true}}, dialect, clock)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	if err := client.engine.(*epollEngine).open(); err != nil {
		t.Fatal(err)
	}
	return client
}

func feeding(t testing.TB, client *Client) *byHand {
	t.Helper()
	engine := client.engine.(*epollEngine)
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	c := &conn{fd: fds[0], host: engine.hosts[0], loop: engine.loops[0]}
	if err := c.greet(true); err != nil {
		t.Fatal(err)
	}
	b := &byHand{client: client, http2: c.http2, ended: make(chan *Raw, 1), far: fds[1]}
	t.Cleanup(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.shut()
		unix.Close(b.far)
	})
	b.ask(t, t.Context())
	return b
}

// ask begins the stream.
func (b *byHand) ask(t testing.TB, ctx context.Context) {
	t.Helper()
	p, err := b.client.Prepare(record.Call{ID: 1, Prompt: "hello"})
	if err != nil {
		t.Fatal(err)
	}
	raw := &Raw{request: p.request(0)}
	x := b.client.exchanges.Get().(*exchange)
	x.reset(ctx, raw, func(raw *Raw) { b.ended <- raw })
	x.wire, x.block, x.lines, x.limit = p.wire, p.block, true, b.client.cfg.AnswerLimit
	raw.exchange = x
	engine := b.client.engine.(*epollEngine)
	engine.enter(ctx, b.http2.conn.host)
	if !b.http2.begin(x) {
		t.Fatal("a new connection takes no stream")
	}
}

// feed reads the pieces, the first at the stamp 1, and then the end of the connection.
func (b *byHand) feed(pieces ...[]byte) (record.Request, []record.Chunk, error) {
	var fault error
	for i, piece := range pieces {
		b.http2.stamp = http2Stamp{at: int64(i + 1), now: int64(i + 1), kernel: true}
		if fault = b.http2.feed(piece); fault != nil {
			break
		}
	}
	err := fault
	if err == nil {
		err = b.http2.lastWord(io.EOF)
	}
	b.http2.conn.loop.loseStreams(b.http2, err, int64(len(pieces)+1))
	r, chunks := b.client.Decode(<-b.ended)
	return r, chunks, fault
}

// An answerer writes what a server sends on stream 1.
type answerer struct {
	*http2.Framer
	out    bytes.Buffer
	packed bytes.Buffer
	pack   *hpack.Encoder
}

func newAnswerer() *answerer {
	a := &answerer{}
	a.Framer = http2.NewFramer(&a.out, nil)
	a.pack = hpack.NewEncoder(&a.packed)
	_ = a.WriteSettings(http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 7})
	return a
}

func (a *answerer) block(pairs ...string) []byte {
	a.packed.Reset()
	for i := 0; i < len(pairs); i += 2 {
		_ = a.pack.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]})
	}
	return bytes.Clone(a.packed.Bytes())
}

// everything is an answer with all that a server may do: an interim one, a head in
// three frames, padding, frames about the connection and of no known kind, trailers.
func everything() []byte {
	a := newAnswerer()
	_ = a.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: a.block(":status", "103", "link", "</x>"), EndHeaders: true})
	head := a.block(":status", "200", "content-type", "text/event-stream", "x-request-id", "abc")
	_ = a.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: head[:3], PadLength: 5})
	_ = a.WriteContinuation(1, false, nil)
	_ = a.WriteContinuation(1, false, head[3:9])
	_ = a.WriteContinuation(1, true, head[9:])
	_ = a.WriteDataPadded(1, false, []byte(helloEvent), make([]byte, 3))
	_ = a.WritePing(false, [8]byte{1})
	_ = a.WriteRawFrame(0xee, 0, 1, []byte("unknown"))
	_ = a.WriteWindowUpdate(0, 100)
	_ = a.WriteData(1, false, nil)
	_ = a.WriteData(1, false, []byte(worldEvent+finishEvent))
	_ = a.WriteData(3, false, []byte("for a stream that has ended"))
	_ = a.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: a.block("x-trailer", "t"), EndHeaders: true, EndStream: true})
	return a.out.Bytes()
}

// Wherever the network cuts the frames, the same answer comes out, and each event has
// the stamp of the read that completed it.
func TestFramesCutEverywhere(t *testing.T) {
	wire := everything()
	ends := []int{eventEnd(wire, helloEvent), eventEnd(wire, worldEvent), eventEnd(wire, finishEvent)}
	for cut := range len(wire) + 1 {
		b := handFed(t)
		b.http2.next = 5 // stream 3 was begun and has ended
		r, chunks, err := b.feed(wire[:cut], wire[cut:])
		if r.Result != record.OK || r.Text != "hé world" || err != nil || r.Protocol != "HTTP/2.0" || r.Stamps != ReadKernel {
			t.Fatalf("cut at %d: outcome %q (%s), text %q, %s by %s, %v", cut, r.Result, r.Error, r.Text, r.Protocol, r.Stamps, err)
		}
		for i, c := range chunks {
			want := int64(1)
			if ends[i] > cut {
				want = 2
			}
			if c.At != want {
				t.Fatalf("cut at %d: event %d ends at %d and is stamped by read %d, want %d", cut, i, ends[i], c.At, want)
			}
		}
	}
}

func eventEnd(wire []byte, event string) int {
	return bytes.Index(wire, []byte(event)) + len(event)
}

// The frames come byte by byte, and what the server asks for is answered: settings and
// pings are confirmed.
func TestFramesByteByByte(t *testing.T) {
	b := handFed(t)
	b.http2.next = 5
	var pieces [][]byte
	for one := range slices.Chunk(everything(), 1) {
		pieces = append(pieces, one)
	}
	if r, _, _ := b.feed(pieces...); r.Result != record.OK || r.Text != "hé world" {
		t.Errorf("outcome %q (%s), text %q", r.Result, r.Error, r.Text)
	}
	b.http2.conn.mu.Lock()
	defer b.http2.conn.mu.Unlock()
	got := http2.NewFramer(nil, bytes.NewReader(b.http2.queue.Bytes()))
	var kinds []string
	for frame, err := got.ReadFrame(); err == nil; frame, err = got.ReadFrame() {
		kinds = append(kinds, frame.Header().Type.String())
	}
	if strings.Join(kinds, " ") != "SETTINGS PING" {
		t.Errorf("the server is answered with %v, want its settings and its ping confirmed", kinds)
	}
	if n := b.http2.limit.Load(); n != 7 {
		t.Errorf("%d streams allowed, want the server's 7", n)
	}
}

// Reads stay short while frames are, grow with them, and shrink again.
func TestReadsFollowFrames(t *testing.T) {
	h := &http2Conn{reading: shortRead}
	f := func(frames, reads, want int) {
		t.Helper()
		for range reads {
			h.adapt(frames)
		}
		if h.reading != want {
			t.Errorf("%d full reads of %d frames each: the next takes %d bytes, want %d", reads, frames, h.reading, want)
		}
	}
	f(2, 10, shortRead)
	f(0, 20, readSize)
	f(2, 10, readSize)
	f(9, 20, shortRead)
}

// A declared length is held to.
func TestFramesDeclaredLength(t *testing.T) {
	f := func(length string, want record.Outcome, wantText string) {
		t.Helper()
		a := newAnswerer()
		_ = a.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndHeaders: true,
			BlockFragment: a.block(":status", "200", "content-type", "text/event-stream", "content-length", length)})
		_ = a.WriteData(1, true, []byte(helloEvent+finishEvent))
		r, _, _ := handFed(t).feed(a.out.Bytes())
		if r.Result != want || r.Text != wantText {
			t.Errorf("length %s: outcome %q (%s), text %q; want %q, %q", length, r.Result, r.Error, r.Text, want, wantText)
		}
	}
	f("9999", record.Reset, "hé")
	f("1", record.Protocol, "")
	f("nonsense", record.OK, "hé")
}

// FuzzFrames has a server send anything, cut anywhere: the stream ends once, whatever
// it was.
func FuzzFrames(f *testing.F) {
	f.Add(everything(), 40)
	f.Add([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"), 3)
	a := newAnswerer()
	_ = a.WriteGoAway(0, http2.ErrCodeNo, []byte("bye"))
	f.Add(a.out.Bytes(), 9)
	client := streamClient(f)
	f.Fuzz(func(t *testing.T, wire []byte, cut int) {
		b := feeding(t, client)
		cut = min(max(cut, 0), len(wire))
		if r, _, _ := b.feed(bytes.Clone(wire[:cut]), bytes.Clone(wire[cut:])); r.Result == "" {
			t.Error("a stream without an outcome")
		}
		if len(b.ended) > 0 {
			t.Error("a stream ended twice")
		}
	})
}
