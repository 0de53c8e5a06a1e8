package target

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"assay/record"
	"assay/sim"
	"assay/sim/simtest"
)

// quick is a schedule short enough for many requests, and a fault delay that a
// loaded machine does not blur.
var quick = sim.Config{Fixed: &sim.Fixed{TTFT: 5 * time.Millisecond, ITL: 2 * time.Millisecond}, FaultDelay: 3 * time.Millisecond}

// simClient asks the server at url for the fault by its header.
func simClient(t *testing.T, url, api, fault string, change func(*Config)) *Client {
	t.Helper()
	dialect, err := Find(api)
	if err != nil {
		t.Fatal(err)
	}
	clock, err := record.StartClock()
	if err != nil {
		t.Fatal(err)
	}
	ignore := true
	cfg := Config{
		URLs: []string{url}, Timeout: 30 * time.Second, KeepText: true,
		Header: http.Header{},
		Ask:    Ask{Model: "sim", Stream: true, IgnoreEOS: &ignore},
	}
	if fault != "" {
		cfg.Header.Set("X-Assay-Fault", fault)
	}
	if change != nil {
		change(&cfg)
	}
	c, err := New(cfg, dialect, clock)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func ask6(t *testing.T, ctx context.Context, c *Client) (record.Request, []record.Chunk) {
	t.Helper()
	p, err := c.Prepare(record.Call{ID: 7, Prompt: "hello", OutputTokens: 6})
	if err != nil {
		t.Fatal(err)
	}
	return c.Decode(c.Do(ctx, p, c.clock.Now()))
}

// TestCases asks the simulator for every fault it knows and compares the whole
// record, times left out, with testdata/cases.txt. Each line begins with the
// number of its case in the conformance list; a fault without a line fails.
func TestCases(t *testing.T) {
	t.Parallel()
	url := simtest.Serve(t, quick)
	var got strings.Builder
	for _, fault := range append([]sim.Fault{{Name: "plain"}}, sim.Faults...) {
		api, name := "openai-chat", fault.Name
		if name == "empty-text-completions" {
			api = "openai-completions"
		}
		if name == "plain" {
			name = ""
		}
		c := simClient(t, url, api, name, func(cfg *Config) {
			if strings.HasPrefix(name, "hang") {
				cfg.Idle = 2 * time.Second // a busy machine must not look like silence
			}
		})
		r, chunks := ask6(t, t.Context(), c)
		fmt.Fprintf(&got, "case %d %s: %s\n", fault.Case, fault.Name, caseLine(fault.Name, r, chunks))
	}
	for _, other := range otherAPIs {
		for _, fault := range otherFaults {
			r, chunks := ask6(t, t.Context(), simClient(t, url, other.api, fault, func(cfg *Config) {
				cfg.Ask.ExtraBody = map[string]any{"ignore_eos": true}
			}))
			name := cmp.Or(fault, "plain")
			fmt.Fprintf(&got, "case %d %s/%s: %s\n", other.number, other.api, name, caseLine(name, r, chunks))
		}
	}
	file := filepath.Join("testdata", "cases.txt")
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	gotLines, wantLines := strings.Split(got.String(), "\n"), strings.Split(string(want), "\n")
	if len(gotLines) != len(wantLines) {
		t.Errorf("%d cases, want %d (-update writes them anew, a person reads them)", len(gotLines), len(wantLines))
	}
	for i := range min(len(gotLines), len(wantLines)) {
		if gotLines[i] != wantLines[i] {
			t.Errorf("got\n%s\nwant\n%s", gotLines[i], wantLines[i])
		}
	}
}

// otherAPIs are those beside OpenAI's completions that the simulator speaks, with
// their cases, and otherFaults those that mean something in them.
var (
	otherAPIs = []struct {
		number int
		api    string
	}{{50, "anthropic-messages"}, {51, "openai-responses"}}
	otherFaults = []string{
		"", "reasoning", "keep-alives", "multi-token-chunks", "split-token-bytes", "no-usage", "wrong-usage",
		"error-before-token", "error-after-tokens", "no-done", "truncated", "crlf", "split-every-byte", "coalesced", "bad-json-event",
		"one-token", "zero-tokens", "cut-json", "rate-limit", "json-instead-of-stream",
	}
)

// volatile is what differs from run to run: addresses, request numbers, dates.
var volatile = regexp.MustCompile(`\d+\.\d+\.\d+\.\d+:\d+|req-\d+|created\W+\d+|[A-Z][a-z]{2},_\d.*?GMT`)

// verdict is a record on one line, without what differs from run to run.
func verdict(r record.Request, chunks []record.Chunk) string {
	number := func(v *int32) string {
		if v == nil {
			return "-"
		}
		return fmt.Sprint(*v)
	}
	// Whether bytes after [DONE] are seen depends on the read that found it.
	r.Flags = strings.TrimPrefix(r.Flags, "bytes_after_done")
	var line strings.Builder
	fmt.Fprintf(&line, "%s status=%d flags=[%s] finish=%q usage=%s/%s/%s/%s", r.Result, r.Status, r.Flags, r.FinishReason,
		number(r.UsageInput), number(r.UsageOutput), number(r.UsageReasoning), number(r.UsageCached))
	fmt.Fprintf(&line, " text=%q chunks=[%s]", r.Text, shortKinds(chunks))
	if r.Error != "" && r.Result != record.Reset { // whose words are the reader's
		fmt.Fprintf(&line, " error=%.160q", r.Error)
	}
	return volatile.ReplaceAllString(line.String(), "…")
}

// shortKinds lists the kinds of chunks, with their choice where it is not the
// first, and counts repetitions.
func shortKinds(chunks []record.Chunk) string {
	var list []string
	repeated := 0
	for i, c := range chunks {
		kind := string(c.Kind)
		if c.Choice > 0 {
			kind += fmt.Sprintf("/%d", c.Choice)
		}
		if i > 0 && strings.HasPrefix(list[len(list)-1]+"×", kind+"×") {
			repeated++
			list[len(list)-1] = fmt.Sprintf("%s×%d", kind, repeated+1)
			continue
		}
		repeated = 0
		list = append(list, kind)
	}
	return strings.Join(list, " ")
}

// Case 27: events of one read share its stamp. Those that the server sent together were
// there at one moment, and where assay reads by itself it knows them from those that it
// read too late (TestReadTooLate).
func TestCase27Coalesced(t *testing.T) {
	r, chunks := ask6(t, t.Context(), simClient(t, simtest.Serve(t, quick), "openai-chat", "coalesced", nil))
	shared := 0
	for i, c := range chunks {
		same := i > 0 && c.At == chunks[i-1].At
		if c.Shared && !same || !c.Shared && same && r.Stamps == ReadNetHTTP {
			t.Errorf("chunk %d = %+v after one at %d, read by %s", i, c, chunks[max(0, i-1)].At, r.Stamps)
		}
		if same {
			shared++
		}
	}
	if r.Result != record.OK || shared < 3 {
		t.Errorf("outcome %q, %d chunks share their read; want ok and at least 3 of %d", r.Result, shared, len(chunks))
	}
}

// Case 28: the stamps of a compressed stream are those of its events, not of its
// end.
func TestCase28CompressedStamps(t *testing.T) {
	slow := quick
	slow.Fixed = &sim.Fixed{ITL: 50 * time.Millisecond}
	url := simtest.Serve(t, slow)
	for _, coding := range []string{"gzip", "deflate"} {
		r, chunks := ask6(t, t.Context(), simClient(t, url, "openai-chat", coding, nil))
		var first, last int64
		for _, c := range chunks {
			if c.Kind == record.Content && first == 0 {
				first = c.At
			}
			if c.Kind == record.Content {
				last = c.At
			}
		}
		// Six tokens span five gaps; stamped at the end they would span none.
		if span := time.Duration(last - first); r.Result != record.OK || span < 50*time.Millisecond {
			t.Errorf("%s: outcome %q (%s), content spans %v; want ok and about 250ms", coding, r.Result, r.Error, span)
		}
	}
}

// Case 41: the idle limit and the total limit are two things, and bytes that
// trickle in are life.
func TestCase41Limits(t *testing.T) {
	drip := quick
	drip.FaultDelay = 30 * time.Millisecond
	url := simtest.Serve(t, drip)
	idle := func(cfg *Config) { cfg.Idle, cfg.Timeout = 15*time.Millisecond, 20*time.Second }
	total := func(cfg *Config) { cfg.Idle, cfg.Timeout = 10*time.Second, 300*time.Millisecond }
	tests := []struct {
		name, fault string
		limits      func(*Config)
		want        record.Outcome
	}{
		{"silence inside an event", "slow-drip", idle, record.IdleTime},
		{"silence inside the head", "slow-head", idle, record.IdleTime},
		{"an event that takes too long", "slow-drip", total, record.Timeout},
		{"a head that takes too long", "slow-head", total, record.Timeout},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, chunks := ask6(t, t.Context(), simClient(t, url, "openai-chat", tt.fault, tt.limits))
			if r.Result != tt.want || r.Text != "" {
				t.Errorf("outcome %q (%s), text %q; want %q and none: half an event is no token", r.Result, r.Error, r.Text, tt.want)
			}
			for _, c := range chunks {
				if c.Kind.Output() {
					t.Errorf("chunk %+v came of half an event", c)
				}
			}
		})
	}
}

// Case 42: a stall is one long gap.
func TestCase42Stall(t *testing.T) {
	stall := quick
	stall.FaultDelay = 400 * time.Millisecond
	_, chunks := ask6(t, t.Context(), simClient(t, simtest.Serve(t, stall), "openai-chat", "stall", nil))
	var longest int64
	for i := 1; i < len(chunks); i++ {
		longest = max(longest, chunks[i].At-chunks[i-1].At)
	}
	if got := time.Duration(longest); got < 200*time.Millisecond {
		t.Errorf("longest gap %v, want about 400ms", got)
	}
}

// Case 43: a connection that the server closed after it was kept costs a new
// one, which the record shows; nothing is sent twice in silence.
func TestCase43ClosedWhileIdle(t *testing.T) {
	c := simClient(t, simtest.Serve(t, quick), "openai-chat", "close-idle", nil)
	for i := range 3 {
		r, _ := ask6(t, t.Context(), c)
		if r.Result != record.OK && r.Result != record.Reset {
			t.Errorf("request %d: outcome %q (%s), want ok or reset", i, r.Result, r.Error)
		}
		if r.Result == record.OK && !r.NewConn {
			t.Errorf("request %d was answered over a connection that the server had closed", i)
		}
	}
}

// Case 44: upload, wait and receipt are stamped apart, also when the server
// answers before it has the whole request.
func TestCase44LargeUpload(t *testing.T) {
	c := simClient(t, simtest.Serve(t, quick), "openai-chat", "", nil)
	p, err := c.Prepare(record.Call{ID: 7, Prompt: strings.Repeat("word ", 10_000), OutputTokens: 3})
	if err != nil {
		t.Fatal(err)
	}
	r, _ := c.Decode(c.Do(t.Context(), p, c.clock.Now()))
	if r.Result != record.OK || r.Wrote == nil || r.First == nil {
		t.Fatalf("outcome %q (%s), wrote %v, first byte %v; want ok and both stamps", r.Result, r.Error, r.Wrote, r.First)
	}
	// The last byte is stamped when the write returns, which may be after the
	// kernel has the first byte of the answer.
	if *r.Wrote < r.Sent || *r.First < r.Sent || r.Done < *r.Wrote || r.Done < *r.First {
		t.Errorf("sent %d, wrote %d, first byte %d, done %d; want the others between sent and done", r.Sent, *r.Wrote, *r.First, r.Done)
	}
}

// Case 45: each choice has its own timeline and its own text.
func TestCase45Choices(t *testing.T) {
	r, chunks := ask6(t, t.Context(), simClient(t, simtest.Serve(t, quick), "openai-chat", "choices", nil))
	content := map[int32]int{}
	for _, c := range chunks {
		if c.Kind == record.Content {
			content[c.Choice]++
		}
	}
	if r.Result != record.OK || content[0] != 6 || content[1] != 6 || *r.UsageOutput != 12 {
		t.Errorf("outcome %q, content by choice %v, usage %d; want 6 of each of two, usage 12", r.Result, content, *r.UsageOutput)
	}
}

// Case 45: a choice that never ended is a truncated answer, though the other
// gave its reason.
func TestCase45OneChoiceCutOff(t *testing.T) {
	second := strings.Replace(helloEvent, `"index":0`, `"index":1`, 1)
	r, _ := ask1(t, t.Context(), newClient(t, serve(t, stream(helloEvent+second+finishEvent, 1<<20)), nil))
	if r.Result != record.Truncated {
		t.Errorf("outcome %q, want %q", r.Result, record.Truncated)
	}
}

// Case 47: what the end of the run cuts off is neither success nor failure.
func TestCase47Cut(t *testing.T) {
	slow := quick
	slow.Fixed = &sim.Fixed{ITL: 50 * time.Millisecond}
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(100*time.Millisecond, func() { cancel(ErrRunEnded) })
	r, _ := ask6(t, ctx, simClient(t, simtest.Serve(t, slow), "openai-chat", "", nil))
	if r.Result != record.Cut {
		t.Errorf("outcome %q (%s), want %q", r.Result, r.Error, record.Cut)
	}
}

// Case 52: a call that goes out late has waited already: due, sent and done are
// all in the record.
func TestCase52LateCall(t *testing.T) {
	c := simClient(t, simtest.Serve(t, quick), "openai-chat", "", nil)
	p, err := c.Prepare(record.Call{ID: 7, Prompt: "hello", OutputTokens: 2})
	if err != nil {
		t.Fatal(err)
	}
	due := c.clock.Now() - int64(time.Second)
	r, _ := c.Decode(c.Do(t.Context(), p, due))
	if r.Due != due || r.Sent-r.Due < int64(time.Second) || r.Done <= r.Sent {
		t.Errorf("due %d, sent %d, done %d; want due as asked and sent a second later", r.Due, r.Sent, r.Done)
	}
}

// Case 28: what is compressed in a way assay cannot read is a failure by name.
func TestCase28UnknownCoding(t *testing.T) {
	for _, tt := range []struct{ coding, body string }{{"zstd", "\x28\xb5\x2f\xfd"}, {"br", "not brotli"}, {"gzip", "not gzip"}, {"gzip", string(bytes.Repeat([]byte{0x1f}, 40))}} {
		url := serve(t, func(conn net.Conn, _ *http.Request) {
			fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n%s", tt.coding, len(tt.body), tt.body)
		})
		r, _ := ask1(t, t.Context(), newClient(t, url, nil))
		if r.Result != record.Protocol || r.Flags != "compressed="+tt.coding || !strings.Contains(r.Error, tt.coding) {
			t.Errorf("%s: outcome %q, flags %q, error %q; want %q by name", tt.coding, r.Result, r.Flags, r.Error, record.Protocol)
		}
	}
}
