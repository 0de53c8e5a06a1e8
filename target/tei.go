package target

import (
	"bytes"
	"encoding/json"
	"strings"

	"assay/record"
)

// teiEmbed is the embed route of Text Embeddings Inference, which serves one
// model and counts no tokens.
type teiEmbed struct{}

// teiRerank is its ranking of documents.
type teiRerank struct{}

var (
	_ Dialect = teiEmbed{}
	_ Dialect = teiRerank{}
)

func (teiEmbed) Path() string     { return "/embed" }
func (teiEmbed) Shape(Ask) Shape  { return Shape{Unary: true, NoText: true} }
func (teiRerank) Path() string    { return "/rerank" }
func (teiRerank) Shape(Ask) Shape { return Shape{Unary: true, NoText: true} }

func (teiEmbed) Encode(call record.Call, ask Ask) ([]byte, error) {
	return encode(call, map[string]any{"inputs": documents(call)}, ask)
}

func (teiRerank) Encode(call record.Call, ask Ask) ([]byte, error) {
	query, list := ranking(call)
	return encode(call, map[string]any{"query": query, "texts": list}, ask)
}

// Decode implements Dialect: a list of vectors, or an object that says what is
// wrong.
func (teiEmbed) Decode(data []byte) ([]Piece, error) {
	return teiList(data, "the answer holds no embedding", func(json.RawMessage) (int32, bool) { return 0, false })
}

// Decode implements Dialect: a list of ranks.
func (teiRerank) Decode(data []byte) ([]Piece, error) {
	return teiList(data, "the answer ranks no document", func(item json.RawMessage) (int32, bool) {
		var rank struct {
			Index *int32 `json:"index"`
		}
		if json.Unmarshal(item, &rank) != nil || rank.Index == nil {
			return 0, false
		}
		return *rank.Index, true
	})
}

// teiList reads a list of outputs; index tells which document an output belongs
// to, where it says so itself.
func teiList(data []byte, none string, index func(json.RawMessage) (int32, bool)) ([]Piece, error) {
	var s pieceList
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		var problem struct {
			Error string `json:"error"`
			Type  string `json:"error_type"`
		}
		if err := decode(data, &problem); err != nil {
			return nil, err
		}
		s.fail(strings.TrimSpace(problem.Type + " " + problem.Error))
		return s.pieces(""), nil
	}
	var list items[json.RawMessage]
	if err := decode(data, &list); err != nil {
		return nil, err
	}
	for i, item := range list {
		at, told := index(item)
		if !told {
			at = int32(i)
		}
		s.show(record.OtherOut, at)
	}
	if len(s) == 0 {
		s.fail(none)
	}
	return s.pieces(""), nil
}
