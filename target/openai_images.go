package target

import (
	"encoding/json"
	"fmt"

	"assay/record"
)

// images is OpenAI's image generation. Each image is one output, embedded or
// linked to; a link is not followed, since fetching it measures another server.
type images struct{}

var _ Dialect = images{}

func (images) Path() string    { return "/v1/images/generations" }
func (images) Shape(Ask) Shape { return Shape{Unary: true, NoText: true} }

func (images) Encode(call record.Call, ask Ask) ([]byte, error) {
	body := map[string]any{"model": ask.Model, "prompt": call.Prompt, "n": 1}
	if p := call.Payload; p != nil && p.Paint != (record.Paint{}) {
		body["n"], body["size"] = p.Paint.Images, fmt.Sprintf("%dx%d", p.Paint.Width, p.Paint.Height)
	}
	return encode(call, body, ask)
}

// Decode implements Dialect.
func (images) Decode(data []byte) ([]Piece, error) {
	var answer struct {
		Data items[struct {
			URL    string `json:"url"`
			Base64 string `json:"b64_json"`
		}] `json:"data"`
		Usage struct {
			Input  *Count `json:"input_tokens"`
			Output *Count `json:"output_tokens"`
		} `json:"usage"`
		Error json.RawMessage `json:"error"`
	}
	if err := decode(data, &answer); err != nil {
		return nil, err
	}
	s := answered(answer.Error)
	for i, image := range answer.Data {
		if image.URL != "" || image.Base64 != "" {
			s.show(record.OtherOut, int32(i))
		}
	}
	if len(s) == 0 {
		s.fail("the answer holds no image")
	}
	s.count(Usage{Input: answer.Usage.Input, Output: answer.Usage.Output})
	return s.pieces(""), nil
}
