package target

import (
	"encoding/json"

	"assay/record"
)

// embeddings is OpenAI's embeddings API. Each vector is one output. Images go
// out as a message, as vLLM embeds them.
type embeddings struct{}

var _ Dialect = embeddings{}

func (embeddings) Path() string    { return "/v1/embeddings" }
func (embeddings) Shape(Ask) Shape { return Shape{Unary: true, NoText: true} }

func (embeddings) Encode(call record.Call, ask Ask) ([]byte, error) {
	body := map[string]any{"model": ask.Model, "encoding_format": "float"}
	switch {
	case len(pictures(call)) > 0:
		body["messages"] = looking(call, "text", openAIImage)
	case call.Payload != nil:
		body["input"] = documents(call)
	default:
		body["input"] = call.Prompt
	}
	return encode(call, body, ask)
}

// Decode implements Dialect.
func (embeddings) Decode(data []byte) ([]Piece, error) {
	var answer struct {
		ID   string `json:"id"`
		Data items[struct {
			Index     int32           `json:"index"`
			Embedding json.RawMessage `json:"embedding"`
		}] `json:"data"`
		Usage *openAIUsage    `json:"usage"`
		Error json.RawMessage `json:"error"`
	}
	if err := decode(data, &answer); err != nil {
		return nil, err
	}
	s := answered(answer.Error)
	for _, vector := range answer.Data {
		if present(vector.Embedding) {
			s.show(record.OtherOut, vector.Index)
		}
	}
	if len(s) == 0 {
		s.fail("the answer holds no embedding")
	}
	if answer.Usage != nil {
		s.count(*answer.Usage.usage())
	}
	return s.pieces(answer.ID), nil
}
