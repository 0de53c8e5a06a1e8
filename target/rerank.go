package target

import (
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
		Results []struct {
			Index int32 `json:"index"`
		} `json:"results"`
		Usage struct {
			Prompt *int32 `json:"prompt_tokens"`
			Total  *int32 `json:"total_tokens"`
		} `json:"usage"`
		Meta struct {
			Tokens struct {
				Input  *int32 `json:"input_tokens"`
				Output *int32 `json:"output_tokens"`
			} `json:"tokens"`
		} `json:"meta"`
		Error json.RawMessage `json:"error"`
	}
	if err := decode(data, &answer); err != nil {
		return nil, err
	}
	var s speech
	if present(answer.Error) {
		s.fail(string(answer.Error))
	}
	for _, result := range answer.Results {
		s.show(record.OtherOut, result.Index)
	}
	if len(s) == 0 {
		s.fail("the answer ranks no document")
	}
	usage := Usage{Input: answer.Meta.Tokens.Input, Output: answer.Meta.Tokens.Output}
	latest(&usage.Input, answer.Usage.Total)
	latest(&usage.Input, answer.Usage.Prompt)
	s.count(usage)
	return s.pieces(answer.ID), nil
}
