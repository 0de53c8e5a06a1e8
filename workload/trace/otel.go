package trace

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"assay/intake"
)

var openTelemetry = Format{
	Name: "otel", Doc: "OpenTelemetry GenAI spans as OTLP JSON, one export after the other; what ran one after the other in a conversation is taken to have waited",
	read: readOTel,
}

type otelExport struct {
	Resources []struct {
		Scopes []struct {
			Spans []otelSpan `json:"spans"`
		} `json:"scopeSpans"`
	} `json:"resourceSpans"`
}

type otelSpan struct {
	Trace      string     `json:"traceId"`
	ID         string     `json:"spanId"`
	Start      otelNumber `json:"startTimeUnixNano"`
	End        otelNumber `json:"endTimeUnixNano"`
	Attributes []struct {
		Key   string `json:"key"`
		Value struct {
			String string     `json:"stringValue"`
			Int    otelNumber `json:"intValue"`
		} `json:"value"`
	} `json:"attributes"`
	Status struct {
		Code otelStatus `json:"code"`
	} `json:"status"`
}

// An otelNumber is a 64-bit integer, which OTLP writes as text and some writers
// as a number.
type otelNumber int64

func (n *otelNumber) UnmarshalJSON(data []byte) error {
	text := string(data)
	if unquoted, err := strconv.Unquote(text); err == nil {
		text = unquoted
	}
	value, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return fmt.Errorf("got %s, want a whole number", data)
	}
	*n = otelNumber(value)
	return nil
}

// An otelStatus is whether a span failed: 2, or the name of that number.
type otelStatus bool

func (s *otelStatus) UnmarshalJSON(data []byte) error {
	*s = string(data) == "2" || string(data) == `"STATUS_CODE_ERROR"`
	return nil
}

// generations are the operations that ask a model for text.
var generations = []string{"chat", "text_completion", "generate_content"}

// An otelCall is a span that matters: a generation or a tool.
type otelCall struct {
	record     Record
	start, end int64
}

func readOTel(r io.Reader) ([]Record, error) {
	calls, tools := map[string][]otelCall{}, map[string][]otelCall{} // by session
	first := int64(-1)
	values := intake.NewValues("the trace", r, maxLine)
	decoder := json.NewDecoder(values)
	for number := 1; ; number++ {
		var export otelExport
		values.Next()
		err := decoder.Decode(&export)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("export %d: %w", number, err)
		}
		for _, resource := range export.Resources {
			for _, scope := range resource.Scopes {
				for _, s := range scope.Spans {
					call, operation, err := s.call()
					switch {
					case err != nil:
						return nil, err
					case operation == "execute_tool":
						tools[call.record.Session] = append(tools[call.record.Session], call)
					case slices.Contains(generations, operation):
						calls[call.record.Session] = append(calls[call.record.Session], call)
						if first < 0 || call.start < first {
							first = call.start
						}
					}
				}
			}
		}
	}
	var records []Record
	for session, list := range calls {
		records = append(records, chain(list, tools[session], first)...)
	}
	// Sessions came out of a map: make the order that of time and name.
	slices.SortFunc(records, func(a, b Record) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.ID, b.ID)) })
	return records, nil
}

func (s otelSpan) call() (call otelCall, operation string, err error) {
	call = otelCall{start: int64(s.Start), end: int64(s.End)}
	call.record = Record{ID: s.ID, Session: s.Trace, Failed: bool(s.Status.Code)}
	count := func(n otelNumber) int32 { return int32(min(max(n, -1), maxTokens+1)) } // check refuses what is out of range
	for _, a := range s.Attributes {
		switch a.Key {
		case "gen_ai.operation.name":
			operation = a.Value.String
		case "gen_ai.conversation.id":
			call.record.Session = a.Value.String
		case "gen_ai.request.model":
			call.record.Model = a.Value.String
		case "gen_ai.usage.input_tokens":
			call.record.Input = count(a.Value.Int)
		case "gen_ai.usage.output_tokens":
			call.record.Output = count(a.Value.Int)
		}
	}
	call.record.Kind = operation
	if call.start < 0 || call.end < call.start {
		return call, operation, fmt.Errorf("span %s runs from %d to %d: want an end after its start", s.ID, call.start, call.end)
	}
	return call, operation, nil
}

// chain finds what each call of a session may have waited for: the calls that
// had ended when it began, but not those that one of these had waited for
// already.
func chain(calls, tools []otelCall, zero int64) []Record {
	var records []Record
	for _, call := range calls {
		out := call.record
		out.At = time.Duration(call.start - zero)
		var latestStart int64 = -1 // of the calls that ended in time
		for _, before := range calls {
			if before.precedes(call) {
				latestStart = max(latestStart, before.start)
			}
		}
		ended := int64(-1)
		for _, before := range calls {
			if before.precedes(call) && (before.end > latestStart || before.start == latestStart) {
				out.After = append(out.After, before.record.ID)
				ended = max(ended, before.end)
			}
		}
		if ended >= 0 {
			out.Tool = busy(tools, ended, call.start)
			out.Think = time.Duration(call.start-ended) - out.Tool
		}
		slices.Sort(out.After)
		records = append(records, out)
	}
	return records
}

// precedes reports whether c had ended when d began. Spans without length do
// not precede each other, or two of one instant would wait in a circle.
func (c otelCall) precedes(d otelCall) bool { return c.end <= d.start && c.start < d.start }

// busy is how much of the time from one instant to another some tool ran.
func busy(tools []otelCall, from, to int64) time.Duration {
	tools = slices.SortedFunc(slices.Values(tools), func(a, b otelCall) int { return cmp.Compare(a.start, b.start) })
	total := int64(0)
	for _, tool := range tools {
		start, end := max(tool.start, from), min(tool.end, to)
		if end > start {
			total += end - start
			from = end // what overlaps counts once
		}
	}
	return time.Duration(total)
}
