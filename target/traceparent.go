package target

import (
	"encoding/binary"
	"encoding/hex"
	"maps"
	"net/http"

	"assay/record"
)

// A Trace gives every call of a launch the ids of a trace of its own, which go out as
// a W3C traceparent header. Whoever has the run's id can compute them again. The zero
// value gives none.
type Trace struct {
	launch [8]byte // the half that all traces of a launch share
	on     bool
}

// NewTrace is the trace of a launch of a run.
func NewTrace(runID string, launch int) Trace {
	return Trace{launch: record.LaunchTrace(runID, launch), on: true}
}

// traceHeader is the name of the header as net/http writes it.
const traceHeader = "Traceparent"

// ids are the trace and the span of a call, in hexadecimal. A server that follows its
// caller's choice records what it would record of a request without a caller: the
// flag says sampled, as the default of OpenTelemetry does for a trace that begins.
func (t Trace) ids(call record.Call) (trace, parent string) {
	var id [24]byte
	copy(id[:8], t.launch[:])
	binary.BigEndian.PutUint64(id[8:16], scatter(uint64(call.ID)))
	span := SpanOf(call.ID)
	copy(id[16:], span[:])
	text := hex.EncodeToString(id[:])
	return text[:32], "00-" + text[:32] + "-" + text[32:] + "-01"
}

// SpanOf is the span of a call within its trace, as the target was told it.
func SpanOf(call int64) (id [8]byte) {
	binary.BigEndian.PutUint64(id[:], scatter(^uint64(call))|1) // zero is no span
	return id
}

// scatter spreads the bits of a number, one to one (splitmix64, Steele et al. 2014):
// servers that sample by the last digits of an id must not see a counter.
func scatter(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// controlShare is how many calls one stands for that goes out without its trace. A trace
// tells a benchmark from other callers, and a target that is faster for whoever brings one is
// found by those that do not: see the check marked-requests.
const controlShare = 16

// control says whether a call goes out without its trace, so that the target cannot know it
// by that. Which ones do looks like chance, and is the same in every run.
func control(call int64) bool { return scatter(uint64(call)^0x6d61726b)%controlShare == 0 }

// traces says whether calls carry traces that are ours.
func (c *Client) traces() bool { return c.cfg.Trace.on && c.header[traceHeader] == nil }

// traced adds the trace of a call to its header, which others share, and returns its
// id; one that the user set stays and has none, and neither has a control.
func (c *Client) traced(header http.Header, call record.Call) (http.Header, string) {
	if !c.traces() || control(call.ID) {
		return header, ""
	}
	trace, parent := c.cfg.Trace.ids(call)
	header = maps.Clone(header)
	header[traceHeader] = []string{parent}
	return header, trace
}
