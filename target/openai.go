package target

import (
	"encoding/json"

	"assay/record"
)

// openAI is the dialect of OpenAI's chat and text completions.
type openAI struct {
	path string
	chat bool
}

var _ Dialect = openAI{}

func (d openAI) Path() string { return d.path }

// Encode implements Dialect. Extra fields of the user go out untouched and win
// over ours: the user knows the server.
func (d openAI) Encode(call record.Call, ask Ask) ([]byte, error) {
	body := map[string]any{"model": ask.Model}
	if d.chat {
		body["messages"] = messages(call)
	} else {
		body["prompt"] = call.Prompt
	}
	ask.limit(body, "max_tokens", call)
	if ask.Stream {
		body["stream"] = true
		body["stream_options"] = map[string]bool{"include_usage": true}
	}
	if ask.IgnoreEOS != nil {
		body["ignore_eos"] = *ask.IgnoreEOS
	}
	d.sample(body, call.Sampling)
	if d.chat && len(pictures(call)) > 0 {
		body["messages"] = looking(call, "text", openAIImage)
	}
	return encode(call, body, ask)
}

// openAIEvent is the part of an event or answer that assay reads.
type openAIEvent struct {
	ID      string `json:"id"`
	Choices items[struct {
		Index        int32           `json:"index"`
		Delta        *openAIMessage  `json:"delta"`
		Message      *openAIMessage  `json:"message"`
		Text         *string         `json:"text"`
		FinishReason *string         `json:"finish_reason"`
		Logprobs     *openAILogprobs `json:"logprobs"`
	}] `json:"choices"`
	Usage  *openAIUsage    `json:"usage"`
	Error  json.RawMessage `json:"error"`
	Object json.RawMessage `json:"object"`

	Model       json.RawMessage `json:"model"`
	Fingerprint json.RawMessage `json:"system_fingerprint"`
}

type openAIMessage struct {
	Role             string          `json:"role"`
	Content          *string         `json:"content"`
	Reasoning        *string         `json:"reasoning"`
	ReasoningContent *string         `json:"reasoning_content"`
	ToolCalls        json.RawMessage `json:"tool_calls"`
	FunctionCall     json.RawMessage `json:"function_call"`
	Refusal          *string         `json:"refusal"`
	Audio            json.RawMessage `json:"audio"`
}

type openAIUsage struct {
	PromptTokens     *Count `json:"prompt_tokens"`
	CompletionTokens *Count `json:"completion_tokens"`
	PromptDetails    *struct {
		CachedTokens *Count `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails *struct {
		ReasoningTokens *Count `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// Decode implements Dialect. The first event of many servers names the role and
// says nothing: it is stamped as what it is and is never the first token.
func (d openAI) Decode(data []byte) ([]Piece, error) {
	if isDone(data) {
		return []Piece{{Kind: record.DoneMark}}, nil
	}
	var event openAIEvent
	if err := json.Unmarshal(data, &event); err != nil {
		return nil, &eventError{data, err}
	}
	var pieces []Piece
	if present(event.Error) {
		pieces = append(pieces, Piece{Kind: record.ErrorObj, Text: string(event.Error)})
	} else if name(event.Object) == "error" {
		pieces = append(pieces, Piece{Kind: record.ErrorObj, Text: string(data)})
	}
	for _, choice := range event.Choices {
		message := choice.Delta
		if message == nil {
			message = choice.Message
		}
		if message == nil {
			message = &openAIMessage{Content: choice.Text}
		}
		said := message.pieces(choice.Index)
		if logprobs := choice.Logprobs.record(); logprobs != nil {
			if len(said) == 0 {
				said = []Piece{{Kind: record.Blank, Choice: choice.Index}}
			}
			said[len(said)-1].Logprobs = logprobs
		}
		pieces = append(pieces, said...)
		if choice.FinishReason != nil && *choice.FinishReason != "" {
			pieces = append(pieces, Piece{Kind: record.Finish, Choice: choice.Index, FinishReason: *choice.FinishReason})
		}
	}
	if event.Usage != nil {
		pieces = append(pieces, Piece{Kind: record.Usage, Usage: event.Usage.usage()})
	}
	if len(pieces) == 0 {
		pieces = []Piece{{Kind: record.Blank}}
	}
	pieces[0].ServerID, pieces[0].Model, pieces[0].Fingerprint = event.ID, name(event.Model), name(event.Fingerprint)
	return pieces, nil
}

// name is the string that a field holds, which nothing depends on: empty for anything else.
func name(raw json.RawMessage) (text string) {
	if len(raw) < 2 || raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		return ""
	}
	return text
}

// pieces lists what one message carries: reasoning before content, as the model
// produced it.
func (m *openAIMessage) pieces(choice int32) []Piece {
	var list []Piece
	add := func(kind record.ChunkKind, text *string) bool {
		if text == nil || *text == "" {
			return false
		}
		list = append(list, Piece{Kind: kind, Choice: choice, Text: *text})
		return true
	}
	// Servers that send both spellings send the same text twice: count it once.
	if !add(record.Reasoning, m.ReasoningContent) {
		add(record.Reasoning, m.Reasoning)
	} else if m.Reasoning != nil && *m.Reasoning != "" {
		list[0].Note = "both_reasoning_fields"
	}
	add(record.Content, m.Content)
	if present(m.ToolCalls) && string(m.ToolCalls) != "[]" {
		list = append(list, Piece{Kind: record.Tool, Choice: choice})
	}
	add(record.OtherOut, m.Refusal)
	if present(m.FunctionCall) || present(m.Audio) {
		list = append(list, Piece{Kind: record.OtherOut, Choice: choice})
	}
	if len(list) == 0 && m.Role != "" {
		list = append(list, Piece{Kind: record.Role, Choice: choice})
	}
	return list
}

func (u *openAIUsage) usage() *Usage {
	usage := &Usage{Input: u.PromptTokens, Output: u.CompletionTokens}
	if u.PromptDetails != nil {
		usage.Cached = u.PromptDetails.CachedTokens
	}
	if u.CompletionDetails != nil {
		usage.Reasoning = u.CompletionDetails.ReasoningTokens
	}
	return usage
}

func present(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
