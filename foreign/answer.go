package foreign

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"assay/record"
)

// An answer is one request as the tools describe it. Times are seconds; those
// that a tool does not tell are nil.
type answer struct {
	sent  float64  // since the beginning of the window
	due   *float64 // since the beginning of the window; nil means when it was sent
	first *float64 // first token, since the send
	gaps  []float64
	end   float64 // since the send

	input, output *float64       // tokens as the server counts them
	counted       *float64       // output tokens as a tokenizer counts them
	failed        string         // why; empty for a request that succeeded
	outcome       record.Outcome // where the tool tells it; empty leaves it to failed
	status        int32          // of HTTP, where the tool tells
	user          int32          // of a closed loop, from 1; 0 when it is not known
}

// add appends the answer as a request and its chunks.
func (m *Measured) add(a answer) error {
	id := int64(len(m.Requests))
	r := record.Request{ID: id, Phase: record.Measure, User: a.user - 1, Result: record.OK, Status: 200}
	var err error
	if r.Sent, err = clockTime("the time of the send", a.sent); err != nil {
		return err
	}
	r.Due = r.Sent
	if a.due != nil {
		if *a.due > a.sent {
			a.due = &a.sent // a pacer that sends early is not late
		}
		if r.Due, err = clockTime("the time when it was due", *a.due); err != nil {
			return err
		}
	}
	length, err := clockTime("the latency", a.end)
	if err != nil {
		return err
	}
	r.Done = r.Sent + length
	for _, count := range []struct {
		name string
		from *float64
		to   **int32
	}{{"the number of input tokens", a.input, &r.UsageInput}, {"the number of output tokens", a.output, &r.UsageOutput}, {"the tokenizer's number of output tokens", a.counted, &r.TokenizerOutput}} {
		if *count.to, err = wholeCount(count.name, count.from); err != nil {
			return err
		}
	}
	if a.failed != "" || a.outcome != "" && a.outcome != record.OK {
		r.Result, r.Status = outcomeOf(a.failed, a.status)
		r.Result = cmp.Or(a.outcome, r.Result)
		r.Error, r.UsageOutput, r.TokenizerOutput = lastLine(a.failed), nil, nil
		m.Requests = append(m.Requests, r)
		return nil
	}
	m.Requests = append(m.Requests, r)
	return m.chunks(&m.Requests[id], a)
}

// chunks appends the parts of an answer. An end before the last of them is
// rounding, or a tool that stops its clock early: the parts stay where they are.
func (m *Measured) chunks(r *record.Request, a answer) error {
	if a.first == nil {
		return nil
	}
	at, err := clockTime("the time to the first token", *a.first)
	if err != nil {
		return err
	}
	at += r.Sent
	m.Chunks = append(m.Chunks, record.Chunk{Request: r.ID, At: at, Kind: record.Content})
	for i, gap := range a.gaps {
		step, err := clockTime(fmt.Sprintf("gap %d", i), gap)
		if err != nil {
			return err
		}
		at += step
		m.Chunks = append(m.Chunks, record.Chunk{Request: r.ID, Seq: int32(i + 1), At: at, Kind: record.Content})
	}
	r.Done = max(r.Done, at)
	return nil
}

// room makes room for requests and chunks at once: growing step by step would
// hold them twice.
func (m *Measured) room(requests, chunks int) {
	m.Requests, m.Chunks = slices.Grow(m.Requests, requests), slices.Grow(m.Chunks, chunks)
}

// A named is a number and the field that it stands in.
type named struct {
	field string
	value *float64
}

// loads wants the numbers that say how much load there was, where they are given,
// to be possible ones.
func loads(list ...named) error {
	for _, n := range list {
		if n.value != nil && !(*n.value > 0 && *n.value <= 1e6) {
			return fmt.Errorf("%s is %v, want above 0 and at most 1000000", n.field, *n.value)
		}
	}
	return nil
}

// clockTime is a time in nanoseconds.
func clockTime(name string, seconds float64) (int64, error) {
	if !(seconds >= 0 && seconds < mostSeconds) {
		return 0, fmt.Errorf("%s is %v s, want it from 0 to %g s", name, seconds, mostSeconds)
	}
	return nanoseconds(seconds), nil
}

func wholeCount(name string, n *float64) (*int32, error) {
	if n == nil {
		return nil, nil
	}
	if *n != math.Trunc(*n) || !(*n >= 0 && *n <= math.MaxInt32) {
		return nil, fmt.Errorf("%s is %v, want a whole number from 0 to %d", name, *n, math.MaxInt32)
	}
	count := int32(*n)
	return &count, nil
}

// outcomeOf tells from the text of an error how the request ended. Tools write
// the reason of an HTTP answer, or the trace of an exception of their client.
func outcomeOf(text string, status int32) (record.Outcome, int32) {
	switch {
	case status >= 400:
		return record.HTTPError, status
	case status >= 300:
		return record.Redirected, status
	}
	for code := http.StatusBadRequest; code < 600; code++ {
		if reason := http.StatusText(code); reason != "" && strings.TrimSpace(text) == reason {
			return record.HTTPError, int32(code)
		}
	}
	lower := strings.ToLower(text)
	for _, sign := range []struct {
		part    string
		outcome record.Outcome
	}{
		{"cancel", record.Cancelled}, {"timeout", record.Timeout}, {"timed out", record.Timeout},
		{"disconnected", record.Reset}, {"reset", record.Reset}, {"broken pipe", record.Reset}, {"payload", record.Reset},
		{"connect", record.Connect}, {"refused", record.Connect}, {"no such host", record.Connect},
		{"json", record.Protocol}, {"decod", record.Protocol},
	} {
		if strings.Contains(lower, sign.part) {
			return sign.outcome, status
		}
	}
	return record.StreamErr, status
}

// lastLine is what the trace of an exception says in the end.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	if at := strings.LastIndexByte(text, '\n'); at >= 0 {
		text = strings.TrimSpace(text[at+1:])
	}
	const most = 300 // bytes: a message, not an answer
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}
