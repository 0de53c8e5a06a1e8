package target

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"slices"
	"strconv"
	"strings"

	"assay/record"
)

// Decode interprets a finished exchange: the request's record, and a record for
// every event of its stream. It must be called once per Raw.
func (c *Client) Decode(raw *Raw) (record.Request, []record.Chunk) {
	raw.unpack(c)
	done, doubt := raw.restamp(c)
	a := answer{client: c, request: raw.request, prompt: raw.prompt}
	if doubt != "" {
		a.flag(doubt)
	}
	a.request.Done = done
	raw.phases.record(&a.request)
	if raw.reading != nil {
		a.request.Bytes = int64(len(raw.reading.body))
		if body := bytes.TrimRight(raw.reading.body, "\r\n"); c.endsAtDone && bytes.HasSuffix(body, []byte("[DONE]")) {
			a.request.Bytes = int64(len(body)) // see wireSize
		}
		a.body(raw)
		c.recycle(raw.reading)
		raw.reading = nil
	}
	if raw.err != nil {
		a.request.Result, a.request.Error = transportOutcome(raw.err), c.explained(raw.err)
	}
	a.keepText()
	a.keepLogprobs()
	if n, err := strconv.Atoi(raw.header.Get("X-Envoy-Attempt-Count")); err == nil {
		a.flag(fmt.Sprintf("attempts=%d", n)) // of a proxy on the way
	}
	if c.traces() && a.request.TraceID == "" {
		a.flag(record.Unmarked)
	}
	switch {
	case raw.resent:
		a.flag(record.Resent)
	case raw.phases.connections.Load() > 1:
		a.flag("reconnected") // the first connection was dead before anything was sent on it
	}
	a.request.Chunks = int32(len(a.chunks))
	a.request.Flags = strings.Join(a.flags, " ")
	return a.request, a.chunks
}

// An answer is a response being interpreted.
type answer struct {
	client  *Client
	request record.Request
	prompt  string
	chunks  []record.Chunk
	text    strings.Builder
	flags   []string
	marks   []mark // those not yet passed by an event
	scratch scratch
	shown   shown

	logprobs record.Logprobs

	said    map[int32]string // what each choice has said, where events repeat it
	open    map[int32]bool   // choices: true until they give a finish reason
	done    bool
	problem string         // first thing wrong inside the stream
	outcome record.Outcome // what the problem makes of it
}

// body classifies the response and reads its stream.
func (a *answer) body(raw *Raw) {
	r := &a.request
	data := raw.reading.body
	switch {
	case r.Status >= 300 && r.Status < 400:
		r.Result, r.Error = record.Redirected, "redirected to "+a.client.quoted(raw.header.Get("Location"))
		return
	case (r.Status < 200 || r.Status >= 300) && a.client.cfg.Program == nil:
		r.Result, r.Error = record.HTTPError, a.client.quoted(string(data))
		if after := a.word("Retry-After", raw.header.Get("Retry-After")); after != "" {
			a.flag("retry_after=" + strings.ReplaceAll(after, " ", "_"))
		}
		return
	case a.refused(raw):
		return
	case len(data) == 0:
		r.Result, r.Error = record.Empty, "status 200 with an empty body"
		return
	}
	from := raw.reading
	if coding := raw.header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		a.flag("compressed=" + strings.ReplaceAll(a.word("Content-Encoding", coding), " ", ""))
		var err error
		if from, err = inflate(coding, from, a.client.cfg.AnswerLimit); err != nil {
			a.fault(unreadable(err), a.client.explained(err))
		}
		if from == nil {
			r.Result, r.Error = a.outcome, a.problem
			return
		}
	}
	if !a.client.cfg.Ask.Stream {
		a.unary(from.body)
		return
	}
	if kind, _, _ := mime.ParseMediaType(raw.header.Get("Content-Type")); kind == "application/json" || kind == "text/html" {
		r.Result, r.Error = record.NotAStream, "asked for a stream, got "+kind+": "+a.client.quoted(string(data))
		return
	}
	a.stream(from)
}

// stream reads the events of a streamed answer.
func (a *answer) stream(from *stampedBody) {
	a.marks = from.marks
	a.chunks = make([]record.Chunk, 0, min(len(from.marks)+2, maxEvents)) // an event has a read to itself, as a rule
	begin := 0
	previous := int64(-1)
	crowded := false
	rest, err := a.client.shape.Frames(from.body, func(data []byte, end int) {
		if len(a.chunks) >= maxEvents {
			crowded = true
			return
		}
		at, together := a.arrival(end)
		if isDone(data) {
			at = min(at, a.request.Done) // its blank line may come later
		}
		wire := from.body[begin:end]
		switch size, shared := int32(wireSize(wire, data)), at == previous && !together; {
		case a.done:
			a.late(data, at, size, shared)
		case a.client.shape.lines && data != nil && saysError(wire):
			a.failed(data, at, size, shared)
		default:
			a.event(data, at, size, shared)
		}
		begin, previous = end, at
	})
	if crowded {
		err = errors.Join(tooMany("events", maxEvents), err)
	}
	if err != nil {
		a.fault(unreadable(err), a.client.explained(err))
	}
	// The last event of a stream that ends right after "[DONE]" may lack its
	// blank line; the reader stopped there on purpose.
	if len(rest) > 0 && !a.done {
		a.lastEvent(rest, from)
	}
	a.conclude()
}

// lastEvent handles a body that ends inside an event: a [DONE] without its
// blank line is still the end, anything else is a half event and no output.
func (a *answer) lastEvent(rest []byte, from *stampedBody) {
	line, _ := (&lineCutter{body: rest}).next()
	if data, ok := field(line, "data"); ok && isDone(data) {
		at, _ := a.arrival(len(from.body))
		a.event([]byte("[DONE]"), at, int32(wireSize(rest, data)), false)
		return
	}
	a.flag("half_event")
}

// wireSize is how many bytes an event took on the wire. The line ends after
// [DONE] are left out: reading stops there, so whether they were still read
// depends on how the network cut the bytes.
func wireSize(wire, data []byte) int {
	if isDone(data) {
		wire = bytes.TrimRight(wire, "\r\n")
	}
	return len(wire)
}

// arrival is the stamp of the read that delivered the byte before end, and whether that
// was sent together with what came before it. Events come in order, so marks already
// passed are dropped.
func (a *answer) arrival(end int) (at int64, together bool) {
	for len(a.marks) > 1 && a.marks[0].end < end {
		a.marks = a.marks[1:]
	}
	return a.marks[0].at, a.marks[0].together
}

// event records one event of the stream.
func (a *answer) event(data []byte, at int64, size int32, shared bool) {
	if data == nil {
		a.chunk(&Piece{Kind: record.Blank}, at, size, shared)
		return
	}
	pieces, err := a.pieces(data)
	if err != nil {
		a.fault(unreadable(err), a.client.explained(err))
		a.chunk(&Piece{Kind: record.Blank}, at, size, shared)
		return
	}
	for i := range pieces {
		piece := &pieces[i]
		a.news(piece)
		a.apply(piece)
		// The wire bytes of an event are counted once, on its first piece.
		if i > 0 {
			size, shared = 0, true
		}
		a.chunk(piece, at, size, shared)
	}
}

// pieces are what one event carries, until the next one is read.
func (a *answer) pieces(data []byte) ([]Piece, error) {
	if len(data) > maxEventBytes {
		return nil, tooLarge("an event", maxEventBytes)
	}
	if a.client.scanner != nil && a.client.scanner.scan(data, &a.scratch) {
		return a.scratch.pieces, nil
	}
	return a.client.dialect.Decode(data)
}

// news reduces a piece that repeats all that was said to what is new in it.
func (a *answer) news(piece *Piece) {
	if !piece.Whole {
		return
	}
	if a.said == nil {
		a.said = map[int32]string{}
	}
	whole, ok := piece.Text, false
	if piece.Text, ok = strings.CutPrefix(whole, a.said[piece.Choice]); !ok {
		// The server took words back. They were shown to the user, and stay.
		a.flag("text_revised")
		piece.Text = ""
	}
	a.said[piece.Choice] = whole
	if piece.Text == "" {
		piece.Kind = record.Blank
	}
}

func (a *answer) chunk(piece *Piece, at int64, size int32, shared bool) {
	text := 0
	if piece.Kind.Output() {
		text = len(piece.Text)
		a.text.WriteString(piece.Text)
		a.shown.add(piece, at)
	}
	a.chunks = append(a.chunks, record.Chunk{
		Request: a.request.ID, Seq: int32(len(a.chunks)), Choice: piece.Choice,
		At: at, Kind: piece.Kind, Bytes: size, TextBytes: int32(text), Shared: shared,
	})
}

// apply takes over what a piece says about the whole request.
func (a *answer) apply(piece *Piece) {
	r := &a.request
	if piece.ServerID != "" {
		r.ServerID = a.word("the id of the answer", piece.ServerID)
	}
	if piece.Model != "" {
		a.model(piece.Model)
	}
	if piece.Fingerprint != "" {
		r.Fingerprint = a.word("the system's fingerprint", piece.Fingerprint)
	}
	if piece.Note != "" {
		a.flag(piece.Note)
	}
	switch {
	case piece.Kind == record.DoneMark:
		a.done = true
	case piece.Kind == record.Finish:
		reason := a.word("the finish reason", piece.FinishReason)
		if r.FinishReason != "" && r.FinishReason != reason {
			a.flag("finish_reasons_differ")
		}
		r.FinishReason = reason
		a.choice(piece.Choice, false)
	case piece.Kind == record.ErrorObj:
		a.fault(record.StreamErr, a.client.quoted(piece.Text))
	case piece.Kind.Output():
		a.choice(piece.Choice, true)
	}
	if piece.Usage != nil {
		a.usage(piece.Usage)
	}
	if piece.Logprobs != nil && a.client.cfg.KeepLogprobs {
		a.logprobs.Append(piece.Logprobs)
	}
}

// word is text that every real server fills with a word and a record holds as it
// is. One that is no word makes the answer too large, and is not kept.
func (a *answer) word(what, text string) string {
	if len(text) > maxNameBytes {
		a.fault(record.TooLarge, tooLarge(what, maxNameBytes).Error())
		return ""
	}
	return text
}

// choice notes that a choice goes on or has given its finish reason.
func (a *answer) choice(index int32, open bool) {
	if a.open == nil {
		a.open = map[int32]bool{}
	}
	a.open[index] = open
}

// finished reports whether every choice that spoke gave its finish reason.
func (a *answer) finished() bool {
	for _, open := range a.open {
		if open {
			return false
		}
	}
	return len(a.open) > 0
}

// conclude decides how an answer that could be read to its end went.
func (a *answer) conclude() {
	r := &a.request
	end := a.client.shape.End
	switch {
	case a.problem != "":
		r.Result, r.Error = a.outcome, a.problem
	case !a.done && !a.finished() && end != EndBody:
		r.Result, r.Error = record.Truncated, "the stream ended with neither a finish reason nor [DONE]"
	case len(a.open) == 0 && !a.client.shape.NoText:
		r.Result, r.Error = record.Empty, "the answer holds neither output nor a finish reason"
	default:
		r.Result = record.OK
	}
	if !a.done && a.finished() && end == EndMark {
		a.flag("no_done")
	}
	noText := a.client.shape.NoText
	if items := int32(len(a.open)); noText && r.Result == record.OK {
		r.Items = &items
	}
	if r.UsageOutput == nil && (!noText || r.UsageInput == nil) {
		a.flag("no_usage")
	}
	if r.Result == record.OK && a.text.Len() == 0 && !noText {
		a.flag("no_text")
	}
	if r.UsageOutput != nil && r.AskedOutput > 0 && r.Result == record.OK && !noText {
		a.lengths(int(*r.UsageOutput), int(r.AskedOutput)*max(1, len(a.open)))
	}
}

// lengths flags an answer whose length is not what its finish reason says.
func (a *answer) lengths(got, asked int) {
	switch {
	case got > asked:
		a.flag("more_than_asked")
	case got < asked && slices.Contains(lengthReasons, strings.ToLower(a.request.FinishReason)):
		a.flag("length_below_asked")
	}
}

// lengthReasons are the servers' words for an answer that reached its limit.
var lengthReasons = []string{"length", "max_tokens", "max_output_tokens", "limit"}

// unary reads an answer that was not streamed. It has no events, and so no
// first token: what it says goes into the request's record alone.
func (a *answer) unary(data []byte) {
	a.flag("unary")
	pieces, err := a.wholePieces(data)
	if err != nil {
		a.fault(unreadable(err), a.client.explained(err))
		a.request.Result, a.request.Error = a.outcome, a.problem
		return
	}
	for i := range pieces {
		piece := &pieces[i]
		a.apply(piece)
		if piece.Kind.Output() {
			a.text.WriteString(piece.Text)
			a.shown.add(piece, 0)
		}
	}
	if len(a.open) == 0 {
		a.fault(record.Empty, "the answer holds neither output nor a finish reason")
	}
	a.done = true // the end of the body is the end of the answer
	a.conclude()
}

// wholePieces are what an answer that was not streamed carries.
func (a *answer) wholePieces(data []byte) ([]Piece, error) {
	if len(data) > maxEventBytes && !a.client.shape.NoText {
		return nil, tooLarge("an answer of text that is not streamed", maxEventBytes)
	}
	return a.client.dialect.Decode(data)
}

func (a *answer) fault(outcome record.Outcome, problem string) {
	if a.problem == "" {
		a.outcome, a.problem = outcome, problem
	}
}

func (a *answer) flag(name string) {
	if !slices.Contains(a.flags, name) {
		a.flags = append(a.flags, name)
	}
}

// unreadable is the outcome of an answer that err keeps from being read.
func unreadable(err error) record.Outcome {
	if errors.Is(err, errTooLarge) {
		return record.TooLarge
	}
	return record.Protocol
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
	case errors.As(err, &op) && op.Op == "dial", failedHandshake(err):
		return record.Connect
	case errors.Is(err, errTooLarge), overflowed(err):
		return record.TooLarge
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.As(err, &op), lostStream(err):
		return record.Reset
	}
	return record.Protocol
}

// promptHash identifies a prompt without storing it.
func promptHash(prompt string) int64 {
	sum := sha256.Sum256([]byte(prompt))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}
