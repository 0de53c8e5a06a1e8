package target

import (
	"encoding/json"

	"assay/record"
)

// llamaCPP is the native completion API of llama.cpp's server.
type llamaCPP struct{}

var _ Dialect = llamaCPP{}

func (llamaCPP) Path() string    { return "/completion" }
func (llamaCPP) Shape(Ask) Shape { return Shape{End: EndFinish} }

func (llamaCPP) Encode(call record.Call, ask Ask) ([]byte, error) {
	body := map[string]any{"prompt": call.Prompt, "stream": ask.Stream}
	ask.limit(body, "n_predict", call)
	if ask.IgnoreEOS != nil {
		body["ignore_eos"] = *ask.IgnoreEOS
	}
	return encode(call, body, ask)
}

// Decode implements Dialect. Servers before stop_type say with one field each
// why they stopped.
func (llamaCPP) Decode(data []byte) ([]Piece, error) {
	var event struct {
		Content   string `json:"content"`
		Index     int32  `json:"index"`
		Stop      bool   `json:"stop"`
		StopType  string `json:"stop_type"`
		EOS       bool   `json:"stopped_eos"`
		Limit     bool   `json:"stopped_limit"`
		Word      bool   `json:"stopped_word"`
		Predicted *Count `json:"tokens_predicted"`
		Evaluated *Count `json:"tokens_evaluated"`
		Timings   struct {
			Cached *Count `json:"cache_n"`
		} `json:"timings"`
		Error json.RawMessage `json:"error"`
	}
	if err := decode(data, &event); err != nil {
		return nil, err
	}
	s := answered(event.Error)
	s.say(record.Content, event.Index, event.Content)
	if event.Stop {
		reason := event.StopType
		switch {
		case reason != "":
		case event.EOS:
			reason = "eos"
		case event.Limit:
			reason = "limit"
		case event.Word:
			reason = "word"
		default:
			reason = "none"
		}
		s.finish(event.Index, reason)
	}
	s.count(Usage{Input: event.Evaluated, Output: event.Predicted, Cached: event.Timings.Cached})
	return s.pieces(""), nil
}
