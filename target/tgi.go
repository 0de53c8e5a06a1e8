package target

import (
	"encoding/json"

	"assay/record"
)

// tgi is the native API of Text Generation Inference.
type tgi struct{}

var _ Dialect = tgi{}

func (tgi) Path() string { return "/generate_stream" }

func (tgi) Shape(ask Ask) Shape {
	if !ask.Stream {
		return Shape{Path: "/generate", End: EndFinish}
	}
	return Shape{End: EndFinish}
}

// Encode implements Dialect. The server refuses a temperature of zero; greedy
// decoding is what it means.
func (tgi) Encode(call record.Call, ask Ask) ([]byte, error) {
	settings := map[string]any{"details": true}
	if call.OutputTokens > 0 {
		settings["max_new_tokens"] = call.OutputTokens
	}
	if t := ask.Temperature; t != nil && *t > 0 {
		settings["temperature"] = *t
		settings["do_sample"] = true
	} else if t != nil {
		settings["do_sample"] = false
	}
	return encode(call, map[string]any{"inputs": call.Prompt, "parameters": settings}, ask)
}

// Decode implements Dialect. Special tokens, such as the one that ends the
// answer, are not part of the text.
func (tgi) Decode(data []byte) ([]Piece, error) {
	var event struct {
		Token *struct {
			Text    string `json:"text"`
			Special bool   `json:"special"`
		} `json:"token"`
		Whole   *string `json:"generated_text"`
		Details *struct {
			FinishReason string `json:"finish_reason"`
			Generated    *Count `json:"generated_tokens"`
			Input        *Count `json:"input_length"`
		} `json:"details"`
		Error     json.RawMessage `json:"error"`
		ErrorType string          `json:"error_type"`
	}
	if err := decode(data, &event); err != nil {
		return nil, err
	}
	var s pieceList
	if present(event.Error) {
		s.fail(event.ErrorType + " " + string(event.Error))
	}
	switch {
	case event.Token != nil && !event.Token.Special:
		s.say(record.Content, 0, event.Token.Text)
	case event.Token == nil && event.Whole != nil: // not streamed
		s.say(record.Content, 0, *event.Whole)
	}
	if d := event.Details; d != nil {
		s.finish(0, d.FinishReason)
		s.count(Usage{Input: d.Input, Output: d.Generated})
	}
	return s.pieces(""), nil
}
