package sim

import (
	"encoding/json"
	"strconv"
)

// responsesAPI is OpenAI's Responses: events with types, and an answer that is
// completed, incomplete or failed.
type responsesAPI struct{}

func (responsesAPI) parse(body []byte) (*request, *refusal) {
	var in struct {
		Model        string          `json:"model"`
		Instructions string          `json:"instructions"`
		Input        json.RawMessage `json:"input"`
		MaxTokens    *int            `json:"max_output_tokens"`
		Stream       bool            `json:"stream"`
		IgnoreEOS    bool            `json:"ignore_eos"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, badRequest("", "the body is not a valid request: %v", err)
	}
	return dialectRequest(in.Model, asMessages(in.Instructions, in.Input), in.MaxTokens, in.Stream, in.IgnoreEOS)
}

// typed adds an event whose JSON repeats its name.
func (responsesAPI) typed(s *stream, kind rowKind, tokens int, due int64, name string, fields []byte) {
	b := append(make([]byte, 0, len(fields)+96), `{"type":"`+name+`","sequence_number":`...)
	b = strconv.AppendInt(b, int64(s.events), 10)
	b = append(b, ',')
	s.named(kind, tokens, due, name, append(append(b, fields...), '}'))
}

func (t responsesAPI) begin(s *stream, now int64) {
	for _, name := range []string{"response.created", "response.in_progress"} {
		t.typed(s, rowRole, 0, now, name, t.appendResponse([]byte(`"response":`), s, "in_progress", false))
	}
	s.wire.flush(s, now)
	if s.style.keepAlive {
		s.wire.comment(s, now)
	}
}

func (t responsesAPI) say(s *stream, sp span, due int64) {
	if s.style.keepAlive {
		s.wire.comment(s, due)
	}
	thought, rest := s.thoughts(sp)
	if thought.to > thought.from {
		t.delta(s, thought, due, 0, thought.from == 0 && sp.part < 2, "response.reasoning_text.delta", `{"type":"reasoning","id":"rs_0","summary":[]}`)
	}
	if rest.to > rest.from {
		item, first := 0, 0
		if s.style.thinking {
			item, first = 1, s.choices[sp.choice].border()
		}
		t.delta(s, rest, due, item, rest.from == first && sp.part < 2, "response.output_text.delta",
			`{"type":"message","id":"msg_0","role":"assistant","content":[]}`)
	}
}

// delta says a span in an item of the output, and adds the item before its first.
func (t responsesAPI) delta(s *stream, sp span, due int64, item int, opens bool, name, added string) {
	index := strconv.Itoa(item)
	if opens {
		t.typed(s, rowBlank, 0, due, "response.output_item.added", []byte(`"output_index":`+index+`,"item":`+added))
	}
	b := s.appendText([]byte(`"output_index":`+index+`,"content_index":0,"delta":"`), sp)
	t.typed(s, rowContent, tokensOf(sp), due, name, append(b, '"'))
}

func (t responsesAPI) end(s *stream, due int64) {
	switch {
	case s.style.fail != "":
		t.typed(s, rowError, 0, due, "response.failed", t.appendResponse([]byte(`"response":`), s, "failed", false))
	case s.style.noEnd || s.style.noDone:
	case s.finishReason(&s.choices[0]) == "length":
		t.typed(s, rowDone, 0, due, "response.incomplete", t.appendResponse([]byte(`"response":`), s, "incomplete", true))
	default:
		t.typed(s, rowDone, 0, due, "response.completed", t.appendResponse([]byte(`"response":`), s, "completed", true))
	}
}

// appendResponse appends the answer as far as it is known.
func (responsesAPI) appendResponse(dst []byte, s *stream, status string, whole bool) []byte {
	model, _ := json.Marshal(s.server.cfg.Model) // a string always has a JSON form
	dst = append(dst, `{"id":"`+s.id+`","object":"response","status":"`+status+`","model":`...)
	dst = append(dst, model...)
	dst = append(dst, `,"error":`...)
	if status == "failed" {
		dst = append(dst, `{"code":"server_error","message":"the simulated engine failed"}`...)
	} else {
		dst = append(dst, "null"...)
	}
	dst = append(dst, `,"incomplete_details":`...)
	if status == "incomplete" {
		dst = append(dst, `{"reason":"max_output_tokens"}`...)
	} else {
		dst = append(dst, "null"...)
	}
	dst = append(dst, `,"output":[`...)
	if whole && s.choices[0].sent > 0 {
		dst = append(dst, `{"type":"message","id":"msg_0","role":"assistant","status":"`+status+`","content":[{"type":"output_text","text":"`...)
		dst = s.appendText(dst, span{to: s.choices[0].sent})
		dst = append(dst, `"}]}`...)
	}
	if !whole || s.style.usage >= usageNull {
		return append(dst, `],"usage":null}`...)
	}
	output := s.sent() + s.style.usageExtra
	dst = appendCounts(append(dst, `],"usage":{`...), "input_tokens", s.promptTokens, "output_tokens", output, "total_tokens", s.promptTokens+output)
	dst = appendCounts(append(dst, `,"input_tokens_details":{`...), "cached_tokens", s.cached)
	dst = appendCounts(append(dst, `},"output_tokens_details":{`...), "reasoning_tokens", s.thought())
	return append(dst, `}}}`...)
}

func (t responsesAPI) whole(dst []byte, s *stream) []byte {
	if s.finishReason(&s.choices[0]) == "length" {
		return t.appendResponse(dst, s, "incomplete", true)
	}
	return t.appendResponse(dst, s, "completed", true)
}
