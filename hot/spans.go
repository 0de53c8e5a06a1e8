package hot

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"assay/bundle"
	"assay/record"
	"assay/target"
)

// spansAtOnce bounds one delivery.
const spansAtOnce = 512

// A requestRow is the part of a request that becomes a span.
type requestRow struct {
	ID       int64          `parquet:"request"`
	Point    int32          `parquet:"point"`
	Phase    record.Phase   `parquet:"phase"`
	User     int32          `parquet:"user"`
	Due      int64          `parquet:"due_ns"`
	Sent     int64          `parquet:"sent_ns"`
	First    *int64         `parquet:"first_byte_ns"`
	Done     int64          `parquet:"done_ns"`
	Result   record.Outcome `parquet:"outcome"`
	Status   int32          `parquet:"http_status"`
	ServerID string         `parquet:"server_request_id"`
	TraceID  string         `parquet:"trace_id"`
}

// Spans sends a share of the requests of a run as spans, from its records, and says how
// many. It is called when the run is over.
func (p *Publisher) Spans(ctx context.Context, b *bundle.Bundle, caseID string) (sent int, err error) {
	if p == nil || p.otlp == nil || p.spans == 0 {
		return 0, nil
	}
	var waiting []*tracepb.Span
	flush := func() error {
		if len(waiting) == 0 {
			return nil
		}
		body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{
			Resource: resource(), ScopeSpans: []*tracepb.ScopeSpans{{Scope: scope(), Spans: waiting}},
		}}})
		if err == nil {
			err = p.otlp.post(ctx, body, protobufBody)
		}
		if err != nil {
			return fmt.Errorf("deliver spans: %w", err)
		}
		sent, waiting = sent+len(waiting), nil
		return nil
	}
	for _, l := range b.Launches() {
		for r, err := range bundle.Rows[requestRow](b, l.Index, bundle.Requests) {
			if err != nil {
				return sent, err
			}
			id := spanID(b.Manifest.RunID, l.Index, r.ID)
			if !sampled(id, p.spans) {
				continue
			}
			waiting = append(waiting, r.span(id, b.Manifest.RunID, caseID, l))
			if len(waiting) == spansAtOnce {
				if err := flush(); err != nil {
					return sent, err
				}
			}
		}
	}
	return sent, flush()
}

// spanID is 24 bytes that are the same whenever the run is read: a trace and a span.
func spanID(runID string, launch int, request int64) [24]byte {
	sum := sha256.Sum256([]byte(runID + "/" + strconv.Itoa(launch) + "/" + strconv.FormatInt(request, 10)))
	return [24]byte(sum[:24])
}

// sampled picks a share of requests by their ids, so that the same ones are picked again.
func sampled(id [24]byte, share float64) bool {
	return float64(binary.BigEndian.Uint64(id[16:])) < share*math.MaxUint64
}

// span is a request. It belongs to the trace that was sent with it, so that the server's
// own spans stand below it.
func (r requestRow) span(id [24]byte, runID, caseID string, l bundle.LaunchInfo) *tracepb.Span {
	// The records count from when the launch started, which is known in wall time to
	// about a millisecond.
	at := func(ns int64) uint64 { return uint64(l.Started.UnixNano() + ns) }
	trace, span := id[:16], id[16:]
	if sent, err := hex.DecodeString(r.TraceID); err == nil && len(sent) == 16 {
		told := target.SpanOf(r.ID)
		trace, span = sent, told[:]
	}
	s := &tracepb.Span{
		TraceId: trace, SpanId: span, Name: "request", Kind: tracepb.Span_SPAN_KIND_CLIENT,
		StartTimeUnixNano: at(record.Origin(r.User, r.Due, r.Sent)), EndTimeUnixNano: at(r.Done),
		Attributes: []*commonpb.KeyValue{
			text("run_id", runID), text("benchmark_case_id", caseID), integer("launch", int64(l.Index)), integer("point", int64(r.Point)),
			integer("request_id", r.ID), text("phase", string(r.Phase)), text("outcome", string(r.Result)), integer("http.response.status_code", int64(r.Status)),
		},
	}
	if r.ServerID != "" {
		s.Attributes = append(s.Attributes, text("server_request_id", r.ServerID))
	}
	if r.TraceID != "" {
		s.Attributes = append(s.Attributes, text("trace_id", r.TraceID))
	}
	s.Events = append(s.Events, &tracepb.Span_Event{TimeUnixNano: at(r.Sent), Name: "sent"})
	if r.First != nil {
		s.Events = append(s.Events, &tracepb.Span_Event{TimeUnixNano: at(*r.First), Name: "first byte"})
	}
	if r.Result.Failure() {
		s.Status = &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR, Message: string(r.Result)}
	}
	return s
}
