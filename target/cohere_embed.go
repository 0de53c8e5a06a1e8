package target

import (
	"encoding/json"

	"assay/record"
)

// cohereEmbed is Cohere's embeddings, version 2, of texts or of images. Each
// vector is one output.
type cohereEmbed struct{}

var _ Dialect = cohereEmbed{}

func (cohereEmbed) Path() string    { return "/v2/embed" }
func (cohereEmbed) Shape(Ask) Shape { return Shape{Unary: true, NoText: true} }

func (cohereEmbed) Encode(call record.Call, ask Ask) ([]byte, error) {
	body := map[string]any{"model": ask.Model, "embedding_types": []string{"float"}}
	if list := pictures(call); len(list) > 0 {
		var urls []string
		for _, image := range list {
			urls = append(urls, dataURL(image))
		}
		body["images"], body["input_type"] = urls, "image"
	} else {
		body["texts"], body["input_type"] = documents(call), "search_document"
	}
	return encode(call, body, ask)
}

// Decode implements Dialect. The same vectors may come in several number types;
// they are counted once.
func (cohereEmbed) Decode(data []byte) ([]Piece, error) {
	var answer struct {
		ID         string `json:"id"`
		Embeddings struct {
			Float   items[json.RawMessage] `json:"float"`
			Int8    items[json.RawMessage] `json:"int8"`
			Uint8   items[json.RawMessage] `json:"uint8"`
			Binary  items[json.RawMessage] `json:"binary"`
			Ubinary items[json.RawMessage] `json:"ubinary"`
			Base64  items[json.RawMessage] `json:"base64"`
		} `json:"embeddings"`
		Message string `json:"message"`
		Meta    struct {
			Billed struct {
				Input *Count `json:"input_tokens"`
			} `json:"billed_units"`
		} `json:"meta"`
	}
	if err := decode(data, &answer); err != nil {
		return nil, err
	}
	var s pieceList
	vectors := 0
	e := &answer.Embeddings
	for _, list := range []items[json.RawMessage]{e.Float, e.Int8, e.Uint8, e.Binary, e.Ubinary, e.Base64} {
		vectors = max(vectors, len(list))
	}
	for i := range vectors {
		s.show(record.OtherOut, int32(i))
	}
	if len(s) == 0 {
		s.fail("the answer holds no embedding " + answer.Message)
	}
	s.count(Usage{Input: answer.Meta.Billed.Input})
	return s.pieces(answer.ID), nil
}
