package hostile

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"assay/record"
	"assay/target"
	"assay/tests/whole"
)

// An answer is what a hostile server says, and what assay must make of it: one
// outcome, whoever reads it. It is a body with a status and headers, or the bytes of
// HTTP/1.1, or the frames of HTTP/2.
type answer struct {
	name   string
	status int      // 0 means 200
	header []string // names and values; text/event-stream is the type unless they say another
	body   func(io.Writer)
	wire   func(conn net.Conn, w io.Writer)
	frames func(*frames)

	api    string // empty means openai-chat
	unary  bool
	change func(*target.Config)

	want record.Outcome
	but  map[string]record.Outcome // for readers to whom the same bytes are another answer
	flag string                    // must be among the record's flags
}

func (x *answer) code() int {
	if x.status == 0 {
		return http.StatusOK
	}
	return x.status
}

// head lists the headers.
func (x *answer) head() [][2]string {
	list := [][2]string{{"Content-Type", "text/event-stream"}}
	for i := 0; i < len(x.header); i += 2 {
		if x.header[i] == "Content-Type" {
			list = list[1:]
		}
		list = append(list, [2]string{x.header[i], x.header[i+1]})
	}
	return list
}

// A reader is one way to read an answer.
type reader struct {
	name  string
	url   func(*attacker) string
	reads func(*answer) bool
	set   func(*target.Config)
}

func overHTTP1(x *answer) bool { return x.body != nil || x.wire != nil }
func bodies(x *answer) bool    { return x.body != nil }
func framed(x *answer) bool    { return x.frames != nil }
func speakHTTP2(c *target.Config) {
	c.HTTP2 = true
}
func byNetHTTP(c *target.Config) { c.Reader = target.ReadNetHTTP }
func speakHTTP2ByNetHTTP(c *target.Config) {
	c.HTTP2, c.Reader = true, target.ReadNetHTTP
}

var readers = []reader{
	{"epoll", func(a *attacker) string { return a.plain }, overHTTP1, func(*target.Config) {}},
	{"nethttp", func(a *attacker) string { return a.plain }, overHTTP1, byNetHTTP},
	{"tls", func(a *attacker) string { return a.secure }, overHTTP1, func(*target.Config) {}},
	{"h2c", func(a *attacker) string { return a.h2c }, bodies, speakHTTP2},
	{"h2", func(a *attacker) string { return a.h2 }, bodies, speakHTTP2},
	{"h2c", func(a *attacker) string { return a.frames }, framed, speakHTTP2},
	{"h2", func(a *attacker) string { return a.framed }, framed, speakHTTP2},
	{"nethttp", func(a *attacker) string { return a.secure }, overHTTP1, byNetHTTP},
	{"h2", func(a *attacker) string { return a.h2 }, bodies, speakHTTP2ByNetHTTP},
	{"h2", func(a *attacker) string { return a.framed }, framed, speakHTTP2ByNetHTTP},
}

// limit is the largest body that the clients of this test take, unless an answer
// says otherwise: a limit that holds at one megabyte holds at 64.
const limit = 1 << 20

// slack is how much more than its limit a client can be made to take: what is under
// way in the buffers of two sockets, which grow to what the kernel allows, and a few
// megabytes in those of the two programs.
func slack(t *testing.T) int64 {
	t.Helper()
	bytes := int64(8 << 20)
	for _, buffer := range []string{"tcp_rmem", "tcp_wmem"} {
		b, err := os.ReadFile("/proc/sys/net/ipv4/" + buffer)
		if err != nil {
			t.Fatal(err)
		}
		sizes := strings.Fields(string(b))
		most, err := strconv.ParseInt(sizes[len(sizes)-1], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		bytes += most
	}
	return bytes
}

// TestAnswers has every reader read every hostile answer. Each must end as the
// outcome that the table says, none may panic, and none may take much more from the
// server than its limits allow.
func TestAnswers(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	answers := allAnswers(t)
	a := newAttacker(t, answers)
	if len(answers) < 120 {
		t.Errorf("%d answers, want 120", len(answers))
	}
	cells := 0
	for _, r := range readers {
		for _, x := range answers {
			if x.reads(r) {
				cells++
				t.Run(x.name+"/"+r.name, func(t *testing.T) {
					t.Parallel()
					attack(t, a, x, r)
				})
			}
		}
	}
	t.Logf("%d answers, %d with their readers", len(answers), cells)
}

// reads reports whether r can be given x: an API that is spoken over HTTP/2 alone
// has no other readers.
func (x *answer) reads(r reader) bool {
	return r.reads(x) && (x.api != "kserve-grpc" || strings.HasPrefix(r.name, "h2"))
}

func attack(t *testing.T, a *attacker, x *answer, r reader) {
	clock, err := record.StartClock()
	if err != nil {
		t.Fatal(err)
	}
	api := x.api
	if api == "" {
		api = "openai-chat"
	}
	dialect, err := target.Find(api)
	if err != nil {
		t.Fatal(err)
	}
	cfg := target.Config{
		URLs: []string{r.url(a)}, TLS: &tls.Config{RootCAs: a.roots},
		Header: http.Header{"X-Answer": {x.name}, "X-Cell": {t.Name()}},
		Ask:    target.Ask{Model: "m", Stream: !x.unary},
		// Both end a hang, which no answer but those that set their own may be.
		Timeout: 5 * time.Minute, Idle: 4 * time.Minute,
		AnswerLimit: limit, KeepText: true,
	}
	r.set(&cfg)
	if x.change != nil {
		x.change(&cfg)
	}
	c, err := target.New(cfg, dialect, clock)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	p, err := c.Prepare(record.Call{ID: 1, Prompt: "hello", OutputTokens: 4})
	if err != nil {
		t.Fatal(err)
	}
	got, chunks := c.Decode(c.Do(t.Context(), p, clock.Now()))
	check(t, x, r.name, got, chunks)
	if taken := a.sent(t.Name()).Load(); taken > cfg.AnswerLimit+slack(t) {
		t.Errorf("the server could send %d bytes, the limit is %d", taken, cfg.AnswerLimit)
	}
}

// check compares a record with what the table says, and with what is true of every
// record whatever the server sent.
func check(t *testing.T, x *answer, reader string, got record.Request, chunks []record.Chunk) {
	t.Helper()
	want := x.want
	if other, ok := x.but[reader]; ok {
		want = other
	}
	if got.Result != want {
		t.Errorf("outcome %q (%.300s), status %d, flags %.200q; want %q", got.Result, got.Error, got.Status, got.Flags, want)
	}
	if x.flag != "" && !strings.Contains(" "+got.Flags+" ", " "+x.flag+" ") {
		t.Errorf("flags %.200q, want %q among them", got.Flags, x.flag)
	}
	for _, text := range []string{got.Error, got.Flags, got.FinishReason, got.ServerID} {
		if len(text) > 4<<10 {
			t.Errorf("a text of %d bytes entered the record: %.80q", len(text), text)
		}
	}
	for _, count := range []*int32{got.UsageInput, got.UsageOutput, got.UsageCached, got.UsageReasoning} {
		if count != nil && *count < 0 {
			t.Errorf("the record counts %d tokens", *count)
		}
	}
	if got.Result != record.OK && got.Error == "" {
		t.Errorf("outcome %q without a word why", got.Result)
	}
	if len(chunks) != int(got.Chunks) || got.Done < got.Sent {
		t.Errorf("%d chunks, the record says %d; sent at %d, done at %d", len(chunks), got.Chunks, got.Sent, got.Done)
	}
}
