package target

import (
	"encoding/json"
	"strings"

	"assay/record"
)

// cohere is the dialect of Cohere's chat, version 2.
type cohere struct{}

var _ Dialect = cohere{}

func (cohere) Path() string    { return "/v2/chat" }
func (cohere) Shape(Ask) Shape { return Shape{End: EndFinish} }

func (cohere) Encode(call record.Call, ask Ask) ([]byte, error) {
	body := map[string]any{
		"model":    ask.Model,
		"messages": messages(call),
		"stream":   ask.Stream,
	}
	ask.limit(body, "max_tokens", call)
	return encode(call, body, ask)
}

type coherePart struct {
	Text     string `json:"text"`
	Thinking string `json:"thinking"`
}

func (p coherePart) say(s *pieceList) {
	s.say(record.Reasoning, 0, p.Thinking)
	s.say(record.Content, 0, p.Text)
}

type cohereUsage struct {
	Tokens struct {
		Input  *Count `json:"input_tokens"`
		Output *Count `json:"output_tokens"`
	} `json:"tokens"`
	Cached *Count `json:"cached_tokens"`
}

func (u cohereUsage) usage() Usage {
	return Usage{Input: u.Tokens.Input, Output: u.Tokens.Output, Cached: u.Cached}
}

// Decode implements Dialect.
func (cohere) Decode(data []byte) ([]Piece, error) {
	if isDone(data) {
		return []Piece{{Kind: record.DoneMark}}, nil
	}
	var event struct {
		ID    string `json:"id"`
		Type  string `json:"type"`
		Delta struct {
			Message struct {
				Content  json.RawMessage `json:"content"` // an object, or an empty list in message-start
				ToolPlan string          `json:"tool_plan"`
			} `json:"message"`
			FinishReason string      `json:"finish_reason"`
			Usage        cohereUsage `json:"usage"`
			Error        string      `json:"error"`
		} `json:"delta"`
	}
	if err := decode(data, &event); err != nil {
		return nil, err
	}
	var s pieceList
	switch event.Type {
	case "":
		return cohereWhole(data)
	case "message-start":
		s.show(record.Role, 0)
	case "content-start", "content-delta":
		var part coherePart
		if err := decode(event.Delta.Message.Content, &part); err != nil {
			return nil, err
		}
		part.say(&s)
	case "tool-plan-delta":
		s.say(record.Reasoning, 0, event.Delta.Message.ToolPlan)
	case "tool-call-start", "tool-call-delta":
		s.show(record.Tool, 0)
	case "message-end":
		if event.Delta.Error != "" || strings.HasPrefix(event.Delta.FinishReason, "ERROR") {
			s.fail(strings.TrimSpace(event.Delta.FinishReason + " " + event.Delta.Error))
		}
		s.finish(0, event.Delta.FinishReason)
		s.count(event.Delta.Usage.usage())
	}
	return s.pieces(event.ID), nil
}

func cohereWhole(data []byte) ([]Piece, error) {
	var answer struct {
		ID      string `json:"id"`
		Message struct {
			Content   items[coherePart] `json:"content"`
			ToolPlan  string            `json:"tool_plan"`
			ToolCalls json.RawMessage   `json:"tool_calls"`
		} `json:"message"`
		FinishReason string      `json:"finish_reason"`
		Usage        cohereUsage `json:"usage"`
	}
	if err := decode(data, &answer); err != nil {
		return nil, err
	}
	var s pieceList
	s.say(record.Reasoning, 0, answer.Message.ToolPlan)
	for _, part := range answer.Message.Content {
		part.say(&s)
	}
	if present(answer.Message.ToolCalls) && string(answer.Message.ToolCalls) != "[]" {
		s.show(record.Tool, 0)
	}
	s.finish(0, answer.FinishReason)
	s.count(answer.Usage.usage())
	return s.pieces(answer.ID), nil
}
