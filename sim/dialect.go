package sim

import (
	"encoding/json"
	"strconv"
)

// A dialect is another API than OpenAI's completions: it reads requests and says
// what a stream says in events of its own, each with a name.
//
// Faults of framing, timing, length, usage, reasoning and errors mean the same in
// every dialect; those about the fields of a chat delta mean nothing here.
type dialect interface {
	// parse reads the body of a request.
	parse(body []byte) (*request, *refusal)

	// begin sends what comes before the first token.
	begin(s *stream, now int64)

	// say adds the events of a span to the write under way.
	say(s *stream, sp span, due int64)

	// end adds what follows the last token.
	end(s *stream, due int64)

	// whole appends an answer that is not streamed.
	whole(dst []byte, s *stream) []byte
}

// dialects are the other APIs by their routes.
var dialects = map[string]dialect{
	"POST /v1/messages":  messagesAPI{},
	"POST /v1/responses": responsesAPI{},
}

// named adds an event with a name to the write under way.
func (s *stream) named(kind rowKind, tokens int, due int64, name string, payload []byte) {
	s.wire.name = name
	s.event(kind, 0, tokens, due, payload)
	s.wire.name = ""
}

// thoughts cuts a span where reasoning ends; thought is empty when there is none.
func (s *stream) thoughts(sp span) (thought, rest span) {
	border := sp.from
	if s.style.thinking {
		border = min(max(s.choices[sp.choice].border(), sp.from), sp.to)
	}
	return span{sp.choice, sp.from, border, sp.part}, span{sp.choice, border, sp.to, sp.part}
}

// tokensOf is how many tokens an event of the span completes.
func tokensOf(sp span) int {
	if sp.part == 1 {
		return 0
	}
	return sp.to - sp.from
}

// appendCounts appends JSON fields of whole numbers.
func appendCounts(dst []byte, fields ...any) []byte {
	for i := 0; i < len(fields); i += 2 {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		dst = append(dst, fields[i].(string)...)
		dst = append(dst, `":`...)
		dst = strconv.AppendInt(dst, int64(fields[i+1].(int)), 10)
	}
	return dst
}

// asMessages is a conversation with what stands before it, as chatPrompt reads
// it.
func asMessages(before string, conversation json.RawMessage) json.RawMessage {
	type message struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	quote := func(text string) json.RawMessage {
		quoted, _ := json.Marshal(text) // a string always has a JSON form
		return quoted
	}
	var list []message
	if before != "" {
		list = append(list, message{"system", quote(before)})
	}
	var text string
	var turns []message
	if json.Unmarshal(orNull(conversation), &text) == nil && text != "" {
		list = append(list, message{"user", quote(text)})
	} else if err := json.Unmarshal(orNull(conversation), &turns); err != nil {
		return conversation // chatPrompt says what is wrong with it
	}
	raw, _ := json.Marshal(append(list, turns...)) // made of valid JSON
	return raw
}
