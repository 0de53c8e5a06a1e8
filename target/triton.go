package target

import (
	"encoding/json"
	"net/url"
	"strconv"

	"assay/record"
)

// tritonGenerate is the generate extension of Triton, as TensorRT-LLM's models
// use it. It has neither a finish reason nor a count of tokens: the end of the
// body is the end of the answer.
type tritonGenerate struct{}

var _ Dialect = tritonGenerate{}

func (tritonGenerate) Path() string { return "/v2/models/MODEL/generate_stream" }

func (tritonGenerate) Shape(ask Ask) Shape {
	s := Shape{Path: "/v2/models/" + url.PathEscape(ask.Model) + "/generate", End: EndBody}
	if ask.Stream {
		s.Path += "_stream"
	}
	return s
}

func (tritonGenerate) Encode(call record.Call, ask Ask) ([]byte, error) {
	body := map[string]any{"text_input": call.Prompt, "stream": ask.Stream}
	ask.limit(body, "max_tokens", call)
	return encode(call, body, ask)
}

// Decode implements Dialect.
func (tritonGenerate) Decode(data []byte) ([]Piece, error) {
	var event struct {
		ID    string          `json:"id"`
		Text  string          `json:"text_output"`
		Error json.RawMessage `json:"error"`
	}
	if err := decode(data, &event); err != nil {
		return nil, err
	}
	s := answered(event.Error)
	s.say(record.Content, 0, event.Text)
	return s.pieces(event.ID), nil
}

// kserveHTTP is inference over HTTP in the Open Inference Protocol, version 2, for a
// model of text with the tensors of TensorRT-LLM's ensemble. Other inputs are
// given as the extra field "inputs", which replaces ours.
type kserveHTTP struct{}

var _ Dialect = kserveHTTP{}

func (kserveHTTP) Path() string { return "/v2/models/MODEL/infer" }

func (kserveHTTP) Shape(ask Ask) Shape {
	return Shape{Path: "/v2/models/" + url.PathEscape(ask.Model) + "/infer", Unary: true}
}

func (kserveHTTP) Encode(call record.Call, ask Ask) ([]byte, error) {
	tensor := func(name, kind string, value any) map[string]any {
		return map[string]any{"name": name, "datatype": kind, "shape": []int{1, 1}, "data": []any{value}}
	}
	inputs := []any{tensor("text_input", "BYTES", call.Prompt)}
	if call.OutputTokens > 0 {
		inputs = append(inputs, tensor("max_tokens", "INT32", call.OutputTokens))
	}
	if ask.Temperature != nil {
		inputs = append(inputs, tensor("temperature", "FP32", *ask.Temperature))
	}
	return encode(call, map[string]any{
		"id": strconv.FormatInt(call.ID, 10), "inputs": inputs,
		"outputs": []any{map[string]string{"name": "text_output"}},
	}, ask)
}

// Decode implements Dialect. Tensors of bytes are text, each element a choice;
// any other tensor is output that is not text.
func (kserveHTTP) Decode(data []byte) ([]Piece, error) {
	var answer struct {
		ID      string `json:"id"`
		Outputs items[struct {
			DataType string          `json:"datatype"`
			Data     json.RawMessage `json:"data"`
		}] `json:"outputs"`
		Error json.RawMessage `json:"error"`
	}
	if err := decode(data, &answer); err != nil {
		return nil, err
	}
	s := answered(answer.Error)
	for _, output := range answer.Outputs {
		if output.DataType != "BYTES" {
			s.show(record.OtherOut, 0)
			continue
		}
		var texts items[string]
		if err := decode(output.Data, &texts); err != nil {
			return nil, err
		}
		for i, text := range texts {
			s.say(record.Content, int32(i), text)
		}
	}
	return s.pieces(answer.ID), nil
}
