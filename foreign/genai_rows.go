package foreign

import (
	"errors"
	"fmt"
	"math"

	"assay/record"
	"assay/spec"
)

// records is the row as a request, and the chunk of its first token where it has
// one. Scale makes seconds of its times.
func (r genaiRow) records(id int64, scale float64, task string) (record.Request, *record.Chunk, error) {
	out := record.Request{ID: id, Phase: record.Measure, User: -1, Result: record.OK, Status: 200}
	if r.ErrorCode != nil {
		out.Result, out.Status = genaiOutcome(*r.ErrorCode)
		if r.ErrorMessage != nil {
			out.Error = *r.ErrorMessage
		}
		return out, nil, nil
	}
	if r.E2E == nil {
		return out, nil, errors.New("neither an error_code nor an e2e_latency")
	}
	var err error
	if out.Done, err = genaiTime("e2e_latency", *r.E2E*scale); err != nil {
		return out, nil, err
	}
	for _, count := range []struct {
		name string
		from *float64
		to   **int32
	}{{"num_input_tokens", r.Input, &out.UsageInput}, {"num_output_tokens", r.Output, &out.UsageOutput}, {"num_reasoning_tokens", r.Reasoning, &out.UsageReasoning}} {
		if *count.to, err = genaiTokens(count.name, count.from); err != nil {
			return out, nil, err
		}
	}
	if !spec.AnswersText(task) {
		out.UsageOutput, out.UsageReasoning = nil, nil // genai-bench writes 0 for what there is not
	}
	if r.TTFT == nil {
		return out, nil, nil
	}
	first, err := genaiTime("ttft", *r.TTFT*scale)
	switch {
	case err != nil:
		return out, nil, err
	case first > out.Done:
		return out, nil, fmt.Errorf("ttft is %v and e2e_latency %v: the first token came after the last", *r.TTFT, *r.E2E)
	case spec.AnswersText(task):
		return out, &record.Chunk{Request: id, At: first, Kind: record.Content}, nil
	case task == spec.TextToSpeech:
		out.First = &first
		if r.AudioRate != nil {
			out.Bytes = int64(math.Round(*r.AudioRate * float64(out.Done-first) / 1e9))
		}
	}
	return out, nil, nil
}

// genaiOutcome tells what an error code stands for. An error inside a stream has
// the server's own code, or -1.
func genaiOutcome(code int) (record.Outcome, int32) {
	if code >= 100 && code <= 999 {
		return record.HTTPError, int32(code)
	}
	return record.StreamErr, 0
}

// genaiTime is a time of a row, in nanoseconds.
func genaiTime(name string, seconds float64) (int64, error) {
	if !(seconds >= 0 && seconds < mostSeconds) {
		return 0, fmt.Errorf("%s is %v s, want a time", name, seconds)
	}
	return nanoseconds(seconds), nil
}

func nanoseconds(seconds float64) int64 { return int64(math.Round(seconds * 1e9)) }

func genaiTokens(name string, n *float64) (*int32, error) {
	if n == nil {
		return nil, nil
	}
	if *n != math.Trunc(*n) || *n < 0 || *n > math.MaxInt32 {
		return nil, fmt.Errorf("%s is %v, want a count", name, *n)
	}
	count := int32(*n)
	return &count, nil
}
