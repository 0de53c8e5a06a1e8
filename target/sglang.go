package target

import (
	"encoding/json"

	"assay/record"
)

// sglang is the native API of SGLang. Its events repeat the whole text so far
// unless the server was started with --stream-output.
type sglang struct{}

var _ Dialect = sglang{}

func (sglang) Path() string { return "/generate" }

func (sglang) Encode(call record.Call, ask Ask) ([]byte, error) {
	settings := map[string]any{}
	ask.limit(settings, "max_new_tokens", call)
	if ask.IgnoreEOS != nil {
		settings["ignore_eos"] = *ask.IgnoreEOS
	}
	return encode(call, map[string]any{"text": call.Prompt, "sampling_params": settings, "stream": ask.Stream}, ask)
}

// Decode implements Dialect. A request that the server gave up has the finish
// reason "abort" and is a failure.
func (sglang) Decode(data []byte) ([]Piece, error) {
	if isDone(data) {
		return []Piece{{Kind: record.DoneMark}}, nil
	}
	var event struct {
		Text  string `json:"text"`
		Index int32  `json:"index"`
		Meta  struct {
			ID           string `json:"id"`
			FinishReason *struct {
				Type    string `json:"type"`
				Message string `json:"message"`
			} `json:"finish_reason"`
			Prompt     *Count `json:"prompt_tokens"`
			Completion *Count `json:"completion_tokens"`
			Cached     *Count `json:"cached_tokens"`
		} `json:"meta_info"`
		Error json.RawMessage `json:"error"`
	}
	if err := decode(data, &event); err != nil {
		return nil, err
	}
	s := answered(event.Error)
	if event.Text != "" {
		s = append(s, Piece{Kind: record.Content, Choice: event.Index, Text: event.Text, Whole: true})
	}
	if reason := event.Meta.FinishReason; reason != nil {
		if reason.Type == "abort" {
			s.fail("abort " + reason.Message)
		}
		s.finish(event.Index, reason.Type)
	}
	s.count(Usage{Input: event.Meta.Prompt, Output: event.Meta.Completion, Cached: event.Meta.Cached})
	return s.pieces(event.Meta.ID), nil
}
