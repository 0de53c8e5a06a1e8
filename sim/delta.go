package sim

import "strconv"

// A deltaWriter appends the fields of a chat delta that say a span.
type deltaWriter func(dst []byte, s *stream, sp span) []byte

func (v deltaWriter) orContent() deltaWriter {
	if v == nil {
		return sayContent
	}
	return v
}

func sayContent(dst []byte, s *stream, sp span) []byte { return s.appendField(dst, "content", sp) }

func (s *stream) appendField(dst []byte, name string, sp span) []byte {
	dst = append(dst, '"')
	dst = append(dst, name...)
	dst = append(dst, `":"`...)
	dst = s.appendText(dst, sp)
	return append(dst, '"')
}

// sayThought puts the first half of a choice into the reasoning fields named and
// the rest into content. A span across the border has both.
func sayThought(fields ...string) deltaWriter {
	return func(dst []byte, s *stream, sp span) []byte {
		border := min(max(s.choices[sp.choice].border(), sp.from), sp.to)
		if border > sp.from {
			for _, name := range fields {
				dst = s.appendField(dst, name, span{sp.choice, sp.from, border, sp.part})
				dst = append(dst, ',')
			}
			dst = dst[:len(dst)-1]
		}
		if border < sp.to {
			if border > sp.from {
				dst = append(dst, ',')
			}
			dst = s.appendField(dst, "content", span{sp.choice, border, sp.to, sp.part})
		}
		return dst
	}
}

// sayNothingButThought is content:"" beside the reasoning, as some servers send.
func sayNothingButThought(dst []byte, s *stream, sp span) []byte {
	if sp.to > s.choices[sp.choice].border() {
		return sayContent(dst, s, sp)
	}
	dst = append(dst, `"content":"",`...)
	return s.appendField(dst, "reasoning_content", sp)
}

// sayTools calls two tools, one for each half of the tokens; the arguments of
// each come in fragments that join to a JSON object.
func sayTools(dst []byte, s *stream, sp span) []byte {
	ch := &s.choices[sp.choice]
	border := ch.border()
	call, first, end := 0, 0, border
	if sp.from >= border {
		call, first, end = 1, border, ch.limit
	}
	dst = append(dst, `"tool_calls":[{"index":`...)
	dst = strconv.AppendInt(dst, int64(call), 10)
	if sp.from == first {
		dst = append(dst, `,"id":"call_`...)
		dst = strconv.AppendInt(dst, int64(call), 10)
		dst = append(dst, `","type":"function","function":{"name":"look_up","arguments":"{\"q\":\"`...)
	} else {
		dst = append(dst, `,"function":{"arguments":"`...)
	}
	dst = s.appendText(dst, sp)
	if sp.to >= end {
		dst = append(dst, `\"}`...)
	}
	return append(dst, `"}}]`...)
}

// sayFunction is the call of one function in the legacy form.
func sayFunction(dst []byte, s *stream, sp span) []byte {
	dst = append(dst, `"function_call":{`...)
	if sp.from == 0 {
		dst = append(dst, `"name":"look_up","arguments":"{\"q\":\"`...)
	} else {
		dst = append(dst, `"arguments":"`...)
	}
	dst = s.appendText(dst, sp)
	if sp.to == s.choices[sp.choice].limit {
		dst = append(dst, `\"}`...)
	}
	return append(dst, `"}`...)
}

func sayRefusal(dst []byte, s *stream, sp span) []byte { return s.appendField(dst, "refusal", sp) }

func sayAudio(dst []byte, s *stream, sp span) []byte {
	dst = append(dst, `"audio":{"id":"audio_0",`...)
	return append(s.appendField(dst, "transcript", sp), '}')
}
