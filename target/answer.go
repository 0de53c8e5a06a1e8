package target

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"strings"

	"assay/record"
)

// Decode interprets a finished exchange: the request's record, and a record for
// every event of its stream. It must be called once per Raw.
func (c *Client) Decode(raw *Raw) (record.Request, []record.Chunk) {
	a := answer{client: c, request: raw.request}
	a.request.Done = raw.Done
	raw.phases.record(&a.request)
	if raw.reading != nil {
		a.request.Bytes = int64(len(raw.reading.body))
		a.body(raw)
		c.bodies.Put(raw.reading)
		raw.reading = nil
	}
	if raw.err != nil {
		a.request.Result, a.request.Error = transportOutcome(raw.err), raw.err.Error()
	}
	if c.cfg.KeepText {
		a.request.Text = a.text.String()
	}
	a.request.Chunks = int32(len(a.chunks))
	a.request.Flags = strings.Join(a.flags, " ")
	return a.request, a.chunks
}

// An answer is a response being interpreted.
type answer struct {
	client  *Client
	request record.Request
	chunks  []record.Chunk
	text    strings.Builder
	flags   []string
	marks   []mark // those not yet passed by an event

	done, finished bool
	problem        string         // first thing wrong inside the stream
	outcome        record.Outcome // what the problem makes of it
}

// body classifies the response and reads its stream.
func (a *answer) body(raw *Raw) {
	r := &a.request
	data := raw.reading.body
	switch {
	case r.Status >= 300 && r.Status < 400:
		r.Result, r.Error = record.Redirected, "redirected to "+raw.header.Get("Location")
		return
	case r.Status < 200 || r.Status >= 300:
		r.Result, r.Error = record.HTTPError, capped(data)
		if after := raw.header.Get("Retry-After"); after != "" {
			a.flag("retry_after=" + strings.ReplaceAll(after, " ", "_"))
		}
		return
	case len(data) == 0:
		r.Result, r.Error = record.Empty, "status 200 with an empty body"
		return
	case raw.header.Get("Content-Encoding") != "" && raw.header.Get("Content-Encoding") != "identity":
		r.Result, r.Error = record.Protocol, "the body is compressed ("+raw.header.Get("Content-Encoding")+") though identity was asked"
		return
	}
	if !a.client.cfg.Ask.Stream {
		a.unary(data, raw.Done)
		return
	}
	if kind, _, _ := mime.ParseMediaType(raw.header.Get("Content-Type")); kind == "application/json" || kind == "text/html" {
		r.Result, r.Error = record.NotAStream, "asked for a stream, got "+kind+": "+capped(data)
		return
	}
	a.stream(raw.reading)
}

// stream reads the events of a streamed answer.
func (a *answer) stream(from *reading) {
	a.marks = from.marks
	begin := 0
	previous := int64(-1)
	rest := events(from.body, func(data []byte, end int) {
		if a.done {
			a.flag("bytes_after_done")
			return
		}
		at := a.arrival(end)
		a.event(data, at, int32(end-begin), at == previous)
		begin, previous = end, at
	})
	// The last event of a stream that ends right after "[DONE]" may lack its
	// blank line; the reader stopped there on purpose.
	if len(rest) > 0 && !a.done {
		a.lastEvent(rest, from)
	}
	a.conclude()
}

// lastEvent handles a body that ends inside an event: a [DONE] without its
// blank line is still the end, anything else is a half event and no output.
func (a *answer) lastEvent(rest []byte, from *reading) {
	line, _, _ := cutLine(rest, 0)
	if data, ok := field(line, "data"); ok && strings.TrimSpace(string(data)) == "[DONE]" {
		a.event([]byte("[DONE]"), a.arrival(len(from.body)), int32(len(rest)), false)
		return
	}
	a.flag("half_event")
}

// arrival is the stamp of the read that delivered the byte before end. Events
// come in order, so marks already passed are dropped.
func (a *answer) arrival(end int) int64 {
	for len(a.marks) > 1 && a.marks[0].end < end {
		a.marks = a.marks[1:]
	}
	return a.marks[0].at
}

// event records one event of the stream.
func (a *answer) event(data []byte, at int64, size int32, shared bool) {
	if data == nil {
		a.chunk(Piece{Kind: record.Blank}, at, size, shared)
		return
	}
	pieces, err := a.client.dialect.Decode(data)
	if err != nil {
		a.fault(record.Protocol, err.Error())
		a.chunk(Piece{Kind: record.Blank}, at, size, shared)
		return
	}
	for i, piece := range pieces {
		a.apply(piece)
		// The wire bytes of an event are counted once, on its first piece.
		if i > 0 {
			size, shared = 0, true
		}
		a.chunk(piece, at, size, shared)
	}
}

func (a *answer) chunk(piece Piece, at int64, size int32, shared bool) {
	text := 0
	if piece.Kind.Output() {
		text = len(piece.Text)
		a.text.WriteString(piece.Text)
	}
	a.chunks = append(a.chunks, record.Chunk{
		Request: a.request.ID, Seq: int32(len(a.chunks)), Choice: piece.Choice,
		At: at, Kind: piece.Kind, Bytes: size, TextBytes: int32(text), Shared: shared,
	})
}

// apply takes over what a piece says about the whole request.
func (a *answer) apply(piece Piece) {
	r := &a.request
	if piece.ServerID != "" {
		r.ServerID = piece.ServerID
	}
	switch piece.Kind {
	case record.DoneMark:
		a.done = true
	case record.Finish:
		a.finished = true
		r.FinishReason = piece.FinishReason
	case record.ErrorObj:
		a.fault(record.StreamErr, capped([]byte(piece.Text)))
	}
	if u := piece.Usage; u != nil {
		// Usage on every event is cumulative: the last one wins.
		r.UsageInput, r.UsageOutput = u.Input, u.Output
		r.UsageReasoning, r.UsageCached = u.Reasoning, u.Cached
	}
}

// conclude decides how a stream that could be read to its end went.
func (a *answer) conclude() {
	r := &a.request
	switch {
	case a.problem != "":
		r.Result, r.Error = a.outcome, a.problem
	case !a.done && !a.finished:
		r.Result, r.Error = record.Truncated, "the stream ended with neither a finish reason nor [DONE]"
	default:
		r.Result = record.OK
	}
	if !a.done && a.finished {
		a.flag("no_done")
	}
	if r.UsageOutput == nil {
		a.flag("no_usage")
	}
	if r.Result == record.OK && a.text.Len() == 0 {
		a.flag("no_text")
	}
}

// unary reads an answer that was not streamed. It has no first token.
func (a *answer) unary(data []byte, at int64) {
	pieces, err := a.client.dialect.Decode(data)
	if err != nil {
		a.request.Result, a.request.Error = record.Protocol, err.Error()
		return
	}
	for _, piece := range pieces {
		a.apply(piece)
		a.chunk(piece, at, 0, true)
	}
	a.done = true // the end of the body is the end of the answer
	a.conclude()
}

func (a *answer) fault(outcome record.Outcome, problem string) {
	if a.problem == "" {
		a.outcome, a.problem = outcome, problem
	}
}

func (a *answer) flag(name string) {
	if len(a.flags) == 0 || a.flags[len(a.flags)-1] != name {
		a.flags = append(a.flags, name)
	}
}

// transportOutcome names what a transport error did to the request.
func transportOutcome(err error) record.Outcome {
	var op *net.OpError
	switch {
	case errors.Is(err, ErrNoRoom):
		return record.Dropped
	case errors.Is(err, ErrGivenUp):
		return record.Cancelled
	case errors.Is(err, ErrRunEnded), errors.Is(err, context.Canceled):
		return record.Cut
	case errors.Is(err, errTotalTimeout):
		return record.Timeout
	case errors.Is(err, errIdleTimeout):
		return record.IdleTime
	case errors.As(err, &op) && op.Op == "dial":
		return record.Connect
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.As(err, &op):
		return record.Reset
	}
	return record.Protocol
}

// maxErrorText caps error texts in records: the whole page of a proxy's HTML
// helps nobody.
const maxErrorText = 2000

func capped(text []byte) string {
	if len(text) > maxErrorText {
		return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(string(text[:maxErrorText]), "?"), len(text))
	}
	return strings.ToValidUTF8(string(text), "?")
}

// promptHash identifies a prompt without storing it.
func promptHash(prompt string) int64 {
	sum := sha256.Sum256([]byte(prompt))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}
