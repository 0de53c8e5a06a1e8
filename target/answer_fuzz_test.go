package target

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"testing"

	"assay/record"
)

// fuzzLimit keeps bombs small enough for thousands of them a second.
const fuzzLimit = 64 << 10

// fuzzClients are one client for each dialect, streaming and not.
func fuzzClients(f *testing.F) []*Client {
	clock, err := record.StartClock()
	if err != nil {
		f.Fatal(err)
	}
	var list []*Client
	for _, api := range All {
		if api.Name == "command" {
			continue // it speaks to a program, not to a server
		}
		for _, stream := range []bool{true, false} {
			cfg := Config{URLs: []string{"http://127.0.0.1:9"}, Ask: Ask{Model: "m", Stream: stream}, AnswerLimit: fuzzLimit, KeepText: true}
			c, err := New(cfg, api.Dialect, clock)
			if err != nil {
				f.Fatal(err)
			}
			list = append(list, c)
		}
	}
	return list
}

// FuzzAnswer gives the bytes of a whole answer, head and body, cut into reads of any
// size, to assay's own reader and to net/http's, in every dialect. Nothing may panic
// or enter the record that cannot be true.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + whole,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX: a\r\n\r\n",
		"HTTP/1.1 200 OK\r\nGarbageLine\r\nConnection: close\r\n\r\ndata: x\n\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nContent-Length: 10\r\n\r\ndata: x\n\n",
		"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 500 No\r\nRetry-After: 1\r\n\r\nno",
		"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03",
		"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + `{"choices":[{"message":{"content":"a"}}],"usage":{"completion_tokens":-7}}`,
		"HTTP/1.1 200 OK\r\nGrpc-Status: 2\r\n\r\n\x00\x00\x00\x00\x05hello",
	} {
		f.Add([]byte(seed), uint8(0), uint16(40))
	}
	clients := fuzzClients(f)
	f.Fuzz(func(t *testing.T, wire []byte, api uint8, size uint16) {
		c := clients[int(api)%len(clients)]
		believable(t, c, ownReading(c, wire, int(size)+1))
		if raw := netReading(c, wire); raw != nil {
			believable(t, c, raw)
		}
	})
}

// ownReading is what an engine keeps of wire in reads of size bytes.
func ownReading(c *Client, wire []byte, size int) *Raw {
	raw := &Raw{}
	x := c.exchanges.Get().(*exchange)
	x.reset(context.Background(), raw, func(*Raw) {})
	x.lines, x.limit = c.endsAtDone, c.cfg.AnswerLimit
	raw.exchange = x
	var err error
	at := int64(1)
	for rest := bytes.Clone(wire); len(rest) > 0 && err == nil && x.framer.state != atEnd; at++ {
		n := min(size, len(rest))
		err = x.take(rest[:n], at, false)
		rest = rest[n:]
	}
	if err == nil {
		err = x.framer.eof()
	}
	x.finish(err, at)
	return raw
}

// netReading is what net/http gives of wire; nil when it gives no answer.
func netReading(c *Client, wire []byte) *Raw {
	resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(wire)), &http.Request{Method: http.MethodPost})
	if err != nil {
		return nil
	}
	raw := &Raw{header: resp.Header, reading: c.bodies.Get().(*stampedBody)}
	raw.request.Status = int32(resp.StatusCode)
	raw.err = c.read(io.NopCloser(resp.Body), raw.reading, bodyLimit(c.cfg.AnswerLimit, resp.StatusCode), func() {})
	raw.trailer = resp.Trailer
	return raw
}

// believable fails when the record of raw holds what no server can make true.
func believable(t *testing.T, c *Client, raw *Raw) {
	t.Helper()
	r, chunks := c.Decode(raw)
	for _, text := range []string{r.Error, r.FinishReason, r.ServerID} {
		if len(text) > maxErrorText+100 {
			t.Fatalf("a text of %d bytes entered the record: %.80q", len(text), text)
		}
	}
	for _, count := range []*int32{r.UsageInput, r.UsageOutput, r.UsageCached, r.UsageReasoning} {
		if count != nil && *count < 0 {
			t.Fatalf("the record counts %d tokens", *count)
		}
	}
	switch {
	case r.Result == "" || r.Result != record.OK && r.Result != record.HTTPError && r.Error == "": // a status says enough
		t.Fatalf("outcome %q, error %q", r.Result, r.Error)
	case int(r.Chunks) != len(chunks):
		t.Fatalf("%d chunks, the record says %d", len(chunks), r.Chunks)
	}
}

// FuzzInflate unpacks anything, in every coding: no more comes out than the limit
// and one read, and the stamps go on to its end.
func FuzzInflate(f *testing.F) {
	f.Add([]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"), uint8(0))
	f.Add([]byte("\x78\x9c\x03\x00\x00\x00\x00\x01"), uint8(1))
	f.Add([]byte("\x8b\x02\x80hello\x03"), uint8(2))
	f.Fuzz(func(t *testing.T, body []byte, coding uint8) {
		if len(body) == 0 {
			return
		}
		half := max(1, len(body)/2)
		from := &stampedBody{body: body, marks: []mark{{end: half, at: 1}, {end: len(body), at: 2}}}
		to, err := inflate([]string{"gzip", "deflate", "br"}[coding%3], from, fuzzLimit)
		if to == nil {
			if err == nil {
				t.Fatal("neither a body nor an error")
			}
			return
		}
		if len(to.body) > fuzzLimit+32<<10 || to.marks[len(to.marks)-1].end != len(to.body) {
			t.Fatalf("%d bytes, stamped up to %d", len(to.body), to.marks[len(to.marks)-1].end)
		}
	})
}
