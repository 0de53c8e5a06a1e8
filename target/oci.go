package target

import (
	"encoding/json"

	"assay/record"
)

// oci is the chat of Oracle's Generative AI service, in the generic format or in
// Cohere's. The compartment, and a dedicated endpoint instead of the model, are
// given as extra fields of the body; requests are signed (see OCI).
type oci struct{ cohere bool }

var _ Dialect = oci{}

func (oci) Path() string    { return "/20231130/actions/chat" }
func (oci) Shape(Ask) Shape { return Shape{End: EndFinish} }

func (d oci) Encode(call record.Call, ask Ask) ([]byte, error) {
	chat := map[string]any{"isStream": ask.Stream}
	if d.cohere {
		chat["apiFormat"] = "COHERE"
		chat["message"] = call.Prompt
	} else {
		chat["apiFormat"] = "GENERIC"
		chat["messages"] = []any{map[string]any{
			"role": "USER", "content": []any{map[string]string{"type": "TEXT", "text": call.Prompt}},
		}}
	}
	if ask.Stream {
		chat["streamOptions"] = map[string]any{"isIncludeUsage": true}
	}
	ask.limit(chat, "maxTokens", call)
	return encode(call, map[string]any{
		"servingMode": map[string]any{"servingType": "ON_DEMAND", "modelId": ask.Model},
		"chatRequest": chat,
	}, ask)
}

// ociChoice is one event of a stream, or one choice of an answer.
type ociChoice struct {
	Index   int32 `json:"index"`
	Message *struct {
		Role    string `json:"role"`
		Content items[struct {
			Type     string `json:"type"`
			Text     string `json:"text"`
			Thinking string `json:"thinking"`
		}] `json:"content"`
		Reasoning string          `json:"reasoningContent"`
		ToolCalls json.RawMessage `json:"toolCalls"`
	} `json:"message"`
	Text         string `json:"text"` // Cohere's format
	FinishReason string `json:"finishReason"`
}

type ociUsage struct {
	Prompt        *Count `json:"promptTokens"`
	Completion    *Count `json:"completionTokens"`
	PromptDetails struct {
		Cached *Count `json:"cachedTokens"`
	} `json:"promptTokensDetails"`
	CompletionDetails struct {
		Reasoning *Count `json:"reasoningTokens"`
	} `json:"completionTokensDetails"`
}

func (u ociUsage) usage() Usage {
	return Usage{Input: u.Prompt, Output: u.Completion, Cached: u.PromptDetails.Cached, Reasoning: u.CompletionDetails.Reasoning}
}

// Decode implements Dialect. In Cohere's format the event with the finish reason
// repeats the whole text, which is not said again here.
func (oci) Decode(data []byte) ([]Piece, error) {
	if isDone(data) {
		return []Piece{{Kind: record.DoneMark}}, nil
	}
	var fault struct {
		Code  json.RawMessage `json:"code"`
		Error json.RawMessage `json:"error"`
	}
	if err := decode(data, &fault); err != nil {
		return nil, err
	}
	var s pieceList
	if present(fault.Code) || present(fault.Error) {
		s.fail(string(data)) // whose message is text, not an object
		return s.pieces(""), nil
	}
	var event struct {
		ociChoice
		Usage  ociUsage `json:"usage"`
		Answer *struct {
			ociChoice
			Choices items[ociChoice] `json:"choices"`
			Usage   ociUsage         `json:"usage"`
		} `json:"chatResponse"`
	}
	if err := decode(data, &event); err != nil {
		return nil, err
	}
	if answer := event.Answer; answer != nil {
		for _, choice := range append(answer.Choices, answer.ociChoice) {
			choice.say(&s)
		}
		s.count(answer.Usage.usage())
		return s.pieces(""), nil
	}
	if event.FinishReason != "" {
		event.Text = ""
	}
	event.say(&s)
	s.count(event.Usage.usage())
	return s.pieces(""), nil
}

func (c ociChoice) say(s *pieceList) {
	before := len(*s)
	if m := c.Message; m != nil {
		s.say(record.Reasoning, c.Index, m.Reasoning)
		for _, part := range m.Content {
			s.say(record.Reasoning, c.Index, part.Thinking)
			s.say(record.Content, c.Index, part.Text)
		}
		if present(m.ToolCalls) && string(m.ToolCalls) != "[]" {
			s.show(record.Tool, c.Index)
		}
		if len(*s) == before && m.Role != "" && c.FinishReason == "" {
			s.show(record.Role, c.Index)
		}
	}
	s.say(record.Content, c.Index, c.Text)
	s.finish(c.Index, c.FinishReason)
}
