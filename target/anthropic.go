package target

import (
	"encoding/json"
	"net/http"

	"assay/record"
)

// anthropic is the dialect of Anthropic's Messages.
type anthropic struct{}

var _ Dialect = anthropic{}

// anthropicTokens is the limit sent when the call names none: the API demands
// one.
const anthropicTokens = 4096

func (anthropic) Path() string { return "/v1/messages" }

func (anthropic) Shape(Ask) Shape {
	return Shape{Header: http.Header{"Anthropic-Version": {"2023-06-01"}}}
}

func (anthropic) Encode(call record.Call, ask Ask) ([]byte, error) {
	system, said := turns(call)
	body := map[string]any{
		"model":      ask.Model,
		"max_tokens": anthropicTokens,
		"messages":   messages(record.Call{Payload: &record.Payload{Messages: said}}),
	}
	if system != "" {
		body["system"] = system
	}
	ask.limit(body, "max_tokens", call)
	if ask.Stream {
		body["stream"] = true
	}
	if len(pictures(call)) > 0 {
		body["messages"] = looking(call, "text", anthropicImage)
	}
	return encode(call, body, ask)
}

// anthropicMessage is a whole message: the answer that was not streamed, and the
// frame of one that was.
type anthropicMessage struct {
	ID         string                `json:"id"`
	Model      json.RawMessage       `json:"model"`
	Content    items[anthropicBlock] `json:"content"`
	StopReason string                `json:"stop_reason"`
	Usage      anthropicUsage        `json:"usage"`
}

type anthropicBlock struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Thinking string `json:"thinking"`
	Partial  string `json:"partial_json"`
	Data     string `json:"data"`
}

// anthropicUsage counts the input in three parts that do not overlap; the
// record's input is their sum, as it is with every other API.
type anthropicUsage struct {
	Input      *Count `json:"input_tokens"`
	CacheWrite *Count `json:"cache_creation_input_tokens"`
	CacheRead  *Count `json:"cache_read_input_tokens"`
	Output     *Count `json:"output_tokens"`
}

func (u anthropicUsage) usage() Usage {
	return Usage{Input: sum(u.Input, u.CacheWrite, u.CacheRead), Output: u.Output, Cached: u.CacheRead}
}

// Decode implements Dialect. message_start names the speaker and counts the
// input; its count of output tokens is a placeholder and not taken over.
func (anthropic) Decode(data []byte) ([]Piece, error) {
	var event struct {
		Type    string            `json:"type"`
		Message *anthropicMessage `json:"message"`
		Block   anthropicBlock    `json:"content_block"`
		Delta   struct {
			anthropicBlock
			StopReason string `json:"stop_reason"`
		} `json:"delta"`
		Usage anthropicUsage  `json:"usage"`
		Error json.RawMessage `json:"error"`
	}
	if err := decode(data, &event); err != nil {
		return nil, err
	}
	var s pieceList
	id, model := "", ""
	switch event.Type {
	case "message":
		return anthropicWhole(data)
	case "message_start":
		s.show(record.Role, 0)
		if event.Message != nil {
			id, model = event.Message.ID, name(event.Message.Model)
			usage := event.Message.Usage.usage()
			usage.Output = nil
			s.count(usage)
		}
	case "content_block_start":
		event.Block.say(&s)
	case "content_block_delta":
		event.Delta.say(&s)
	case "message_delta":
		s.finish(0, event.Delta.StopReason)
		s.count(event.Usage.usage())
	case "message_stop":
		s.done()
	case "error":
		s.fail(string(event.Error))
	}
	return named(s.pieces(id), model), nil
}

func anthropicWhole(data []byte) ([]Piece, error) {
	var message anthropicMessage
	if err := decode(data, &message); err != nil {
		return nil, err
	}
	var s pieceList
	for _, block := range message.Content {
		block.say(&s)
	}
	s.finish(0, message.StopReason)
	s.count(message.Usage.usage())
	return named(s.pieces(message.ID), name(message.Model)), nil
}

// say adds what a block, or a delta of one, puts out. A signature proves
// reasoning and is none.
func (b anthropicBlock) say(s *pieceList) {
	switch b.Type {
	case "tool_use", "server_tool_use":
		s.show(record.Tool, 0)
	case "input_json_delta":
		if b.Partial != "" {
			s.show(record.Tool, 0)
		}
	case "redacted_thinking":
		s.show(record.Reasoning, 0)
	}
	s.say(record.Reasoning, 0, b.Thinking)
	s.say(record.Content, 0, b.Text)
}
