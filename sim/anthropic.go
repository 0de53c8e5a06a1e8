package sim

import (
	"encoding/json"
	"strconv"
)

// messagesAPI is Anthropic's: an answer is a list of blocks, and a ping may come
// at any time.
type messagesAPI struct{}

func (messagesAPI) parse(body []byte) (*request, *refusal) {
	var in struct {
		Model     string          `json:"model"`
		System    json.RawMessage `json:"system"`
		Messages  json.RawMessage `json:"messages"`
		MaxTokens *int            `json:"max_tokens"`
		Stream    bool            `json:"stream"`
		IgnoreEOS bool            `json:"ignore_eos"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, badRequest("", "the body is not a valid request: %v", err)
	}
	if in.MaxTokens == nil {
		return nil, badRequest("max_tokens", "max_tokens: got none, want at least 1")
	}
	system, err := messageText(in.System)
	if err != nil {
		return nil, badRequest("system", "system: %v", err)
	}
	return dialectRequest(in.Model, asMessages(system, in.Messages), in.MaxTokens, in.Stream, in.IgnoreEOS)
}

// dialectRequest is a request with one answer to a conversation.
func dialectRequest(model string, messages json.RawMessage, maxTokens *int, stream, ignoreEOS bool) (*request, *refusal) {
	r := &request{chat: true, n: 1, stream: stream, ignoreEOS: ignoreEOS, includeUsage: true}
	if model != "" {
		r.model, r.faults = splitModel(model)
	}
	if bad := r.limits(nil, maxTokens, nil); bad != nil {
		return nil, bad
	}
	var bad *refusal
	r.prompts, bad = chatPrompt(messages)
	return r, bad
}

func (messagesAPI) begin(s *stream, now int64) {
	model, _ := json.Marshal(s.server.cfg.Model) // a string always has a JSON form
	b := append(s.json[:0], `{"type":"message_start","message":{"id":"`+s.id+`","type":"message","role":"assistant","model":`...)
	b = append(b, model...)
	b = append(b, `,"content":[],"stop_reason":null,"stop_sequence":null,"usage":{`...)
	b = appendCounts(b, "input_tokens", s.promptTokens, "output_tokens", 1)
	s.named(rowRole, 0, now, "message_start", append(b, `}}}`...))
	if s.style.keepAlive {
		s.ping(now)
	}
	s.wire.flush(s, now)
}

func (s *stream) ping(due int64) {
	s.named(rowBlank, 0, due, "ping", append(s.json[:0], `{"type":"ping"}`...))
}

func (t messagesAPI) say(s *stream, sp span, due int64) {
	if s.style.keepAlive {
		s.ping(due)
	}
	thought, rest := s.thoughts(sp)
	if thought.to > thought.from {
		t.delta(s, thought, due, 0, "thinking", thought.from == 0 && sp.part < 2)
		if thought.to == s.choices[sp.choice].border() && sp.part != 1 {
			t.stop(s, due, 0)
		}
	}
	if rest.to > rest.from {
		block, first := 0, 0
		if s.style.thinking {
			block, first = 1, s.choices[sp.choice].border()
		}
		t.delta(s, rest, due, block, "text", rest.from == first && sp.part < 2)
	}
}

// delta says a span in a block, and opens the block before its first.
func (messagesAPI) delta(s *stream, sp span, due int64, block int, kind string, opens bool) {
	index := strconv.Itoa(block)
	if opens {
		s.named(rowBlank, 0, due, "content_block_start", append(s.json[:0],
			`{"type":"content_block_start","index":`+index+`,"content_block":{"type":"`+kind+`","`+kind+`":""}}`...))
	}
	b := append(s.json[:0], `{"type":"content_block_delta","index":`+index+`,"delta":{"type":"`+kind+`_delta","`+kind+`":"`...)
	b = s.appendText(b, sp)
	s.named(rowContent, tokensOf(sp), due, "content_block_delta", append(b, `"}}`...))
}

func (messagesAPI) stop(s *stream, due int64, block int) {
	s.named(rowBlank, 0, due, "content_block_stop", append(s.json[:0], `{"type":"content_block_stop","index":`+strconv.Itoa(block)+`}`...))
}

func (t messagesAPI) end(s *stream, due int64) {
	if s.style.fail != "" {
		s.named(rowError, 0, due, "error", append(s.json[:0], `{"type":"error","error":{"type":"api_error","message":"the simulated engine failed"}}`...))
		return
	}
	if s.style.noEnd {
		return
	}
	switch sent := s.sent(); {
	case !s.style.thinking && sent > 0:
		t.stop(s, due, 0)
	case s.style.thinking && sent > s.choices[0].border(): // else no text was begun
		t.stop(s, due, 1)
	}
	b := append(s.json[:0], `{"type":"message_delta","delta":{"stop_reason":"`+stopReason(s)+`","stop_sequence":null}`...)
	if s.style.usage < usageNull {
		b = t.appendUsage(append(b, `,"usage":`...), s)
	}
	s.named(rowFinish, 0, due, "message_delta", append(b, '}'))
	if !s.style.noDone {
		s.named(rowDone, 0, due, "message_stop", append(s.json[:0], `{"type":"message_stop"}`...))
	}
}

// appendUsage counts cached input apart from the rest, as Anthropic does.
func (messagesAPI) appendUsage(dst []byte, s *stream) []byte {
	dst = appendCounts(append(dst, '{'), "input_tokens", s.promptTokens-s.cached, "cache_read_input_tokens", s.cached,
		"output_tokens", s.sent()+s.style.usageExtra)
	return append(dst, '}')
}

func stopReason(s *stream) string {
	switch reason := s.finishReason(&s.choices[0]); reason {
	case "stop":
		return "end_turn"
	case "length":
		return "max_tokens"
	default:
		return reason
	}
}

func (t messagesAPI) whole(dst []byte, s *stream) []byte {
	model, _ := json.Marshal(s.server.cfg.Model) // a string always has a JSON form
	dst = append(dst, `{"id":"`+s.id+`","type":"message","role":"assistant","model":`...)
	dst = append(dst, model...)
	dst = append(dst, `,"content":[{"type":"text","text":"`...)
	dst = s.appendText(dst, span{to: s.choices[0].sent})
	dst = append(dst, `"}],"stop_reason":"`+stopReason(s)+`","stop_sequence":null,"usage":`...)
	return append(t.appendUsage(dst, s), '}')
}
