package target

import (
	"cmp"
	"encoding/json"
	"strings"

	"assay/record"
)

// rerank orders documents by how well they answer a query, as Cohere defined it
// and vLLM, SGLang and others serve it. In a call without documents the first
// line of the prompt is the query, each further line a document.
type rerank struct{ path string }

var _ Dialect = rerank{}

func (r rerank) Path() string  { return r.path }
func (rerank) Shape(Ask) Shape { return Shape{Unary: true, NoText: true} }

func (rerank) Encode(call record.Call, ask Ask) ([]byte, error) {
	query, list := ranking(call)
	return encode(call, map[string]any{"model": ask.Model, "query": query, "documents": list}, ask)
}

// ranking is the query of a call and the documents to rank.
func ranking(call record.Call) (query string, list []string) {
	if p := call.Payload; p != nil && len(p.Documents) > 0 {
		return p.Query, p.Documents
	}
	query, rest, _ := strings.Cut(call.Prompt, "\n")
	list = strings.FieldsFunc(rest, func(r rune) bool { return r == '\n' })
	if list == nil {
		list = []string{query}
	}
	return query, list
}

// Decode implements Dialect. Each rank is one output. vLLM counts tokens in
// usage, Cohere in meta.
func (rerank) Decode(data []byte) ([]Piece, error) {
	var answer struct {
		ID      string `json:"id"`
		Results items[struct {
			Index int32 `json:"index"`
		}] `json:"results"`
		Usage struct {
			Prompt *Count `json:"prompt_tokens"`
			Total  *Count `json:"total_tokens"`
		} `json:"usage"`
		Meta struct {
			Tokens struct {
				Input  *Count `json:"input_tokens"`
				Output *Count `json:"output_tokens"`
			} `json:"tokens"`
		} `json:"meta"`
		Error json.RawMessage `json:"error"`
	}
	if err := decode(data, &answer); err != nil {
		return nil, err
	}
	s := answered(answer.Error)
	for _, result := range answer.Results {
		s.show(record.OtherOut, result.Index)
	}
	if len(s) == 0 {
		s.fail("the answer ranks no document")
	}
	input := cmp.Or(answer.Usage.Prompt, answer.Usage.Total, answer.Meta.Tokens.Input)
	s.count(Usage{Input: input, Output: answer.Meta.Tokens.Output})
	return s.pieces(answer.ID), nil
}
