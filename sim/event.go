package sim

import (
	"encoding/json"
	"strconv"
)

// words are what the simulator says: each is one token by the rule of tokenize,
// and none needs escaping in JSON.
var words = []string{
	" the", " sun", " and", " sea", " may", " not", " end", " but", " low", " sky", " has", " one",
	" old", " day", " for", " you", " who", " see", " how", " far", " a", " way", " can", " run",
	" of", " it", " all", " in", " my", " own", " red", " ink", " we", " sit", " by", " our",
	" ice", " key", " to", " let", " us", " out", " at", " ten", " no", " fog", " so", " on",
	" is", " set", " or", " lit", " up", " dim", " as", " ash", " he", " ran", " if", " she",
	" had", " got", " air", " now",
}

// wideWords are words of several bytes to a character; each is one token.
var wideWords = []string{" é", " ñu", " ж", " 日", " 本", " 語", " ü", " 中"}

// A span is a run of tokens of one choice. Part says which half of a single
// token is meant: 0 the whole, 1 the first byte, 2 the rest.
type span struct{ choice, from, to, part int }

// appendText appends the words of a span.
func (s *stream) appendText(dst []byte, sp span) []byte {
	list := s.style.words
	if list == nil {
		list = words
	}
	if script := s.choices[sp.choice].script; script != nil {
		return appendScript(dst, script, sp)
	}
	salt := s.choices[sp.choice].salt
	for i := sp.from; i < sp.to; i++ {
		word := list[mix(salt+uint64(i))%uint64(len(list))]
		switch sp.part {
		case 1:
			word = word[:1]
		case 2:
			word = word[1:]
		}
		dst = append(dst, word...)
	}
	return dst
}

// appendScript appends what a script says in a span. A token that a fault sends in halves
// comes whole in the second: its escapes cannot be cut. A fault that makes an answer longer
// begins it again.
func appendScript(dst []byte, script []string, sp span) []byte {
	for i := sp.from; i < sp.to && sp.part != 1; i++ {
		dst = append(dst, script[i%len(script)]...)
	}
	return dst
}

// mix spreads the bits of x (the finalizer of SplitMix64), so that neighbouring
// numbers pick unrelated words.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// chunkObject names the object that an event of a stream is.
func chunkObject(chat bool) string {
	if chat {
		return "chat.completion.chunk"
	}
	return "text_completion"
}

// eventPrefix is the part of every event of a stream that never changes.
func eventPrefix(id, object, model string, created int64) []byte {
	name, _ := json.Marshal(model) // a string always has a JSON form
	b := append([]byte(`{"id":"`), id...)
	b = append(b, `","object":"`...)
	b = append(b, object...)
	b = append(b, `","created":`...)
	b = strconv.AppendInt(b, created, 10)
	b = append(b, `,"model":`...)
	b = append(b, name...)
	return append(b, `,"choices":[`...)
}

// appendEvent appends the JSON of an event that says a span, with the finish
// reason when it is not empty.
func (s *stream) appendEvent(dst []byte, sp span, finish string) []byte {
	dst = s.openChoice(dst, sp.choice)
	if s.req.chat {
		dst = s.style.delta.orContent()(dst, s, sp)
	} else {
		dst = append(dst, `"text":"`...)
		dst = s.appendText(dst, sp)
		dst = append(dst, '"')
	}
	return s.closeChoice(dst, finish)
}

// openChoice appends up to the delta, for text completions up to the text.
func (s *stream) openChoice(dst []byte, choice int) []byte {
	dst = append(dst, s.prefix...)
	dst = append(dst, `{"index":`...)
	dst = strconv.AppendInt(dst, int64(choice), 10)
	if s.req.chat {
		return append(dst, `,"delta":{`...)
	}
	return append(dst, ',')
}

func (s *stream) closeChoice(dst []byte, finish string) []byte {
	if s.req.chat {
		dst = append(dst, '}')
	}
	dst = append(dst, `,"logprobs":null,"finish_reason":`...)
	if finish == "" {
		dst = append(dst, "null}]"...)
	} else {
		dst = append(dst, '"')
		dst = append(dst, finish...)
		dst = append(dst, `"}]`...)
	}
	switch place := s.style.usage; {
	case place == usageEvery, place == usageFinish && finish != "" && s.lastChoice():
		dst = append(dst, `,"usage":`...)
		dst = s.appendUsage(dst)
	case place == usageNull:
		dst = append(dst, `,"usage":null`...)
	}
	if s.style.padding > 0 && s.events == 0 {
		dst = append(dst, `,"padding":"`...)
		for range s.style.padding {
			dst = append(dst, 'x')
		}
		dst = append(dst, '"')
	}
	return append(dst, '}')
}

// appendBlank appends an event whose delta holds only the given JSON fields.
func (s *stream) appendBlank(dst []byte, chatFields, text string) []byte {
	dst = s.openChoice(dst, 0)
	if s.req.chat {
		dst = append(dst, chatFields...)
	} else {
		dst = append(dst, `"text":"`+text+`"`...)
	}
	return s.closeChoice(dst, "")
}

// appendUsageEvent appends the event that carries only the usage.
func (s *stream) appendUsageEvent(dst []byte) []byte {
	dst = append(dst, s.prefix...)
	dst = append(dst, `],"usage":`...)
	return append(s.appendUsage(dst), '}')
}

func (s *stream) appendUsage(dst []byte) []byte {
	output := s.sent() + s.style.usageExtra
	dst = append(dst, `{"prompt_tokens":`...)
	dst = strconv.AppendInt(dst, int64(s.promptTokens), 10)
	dst = append(dst, `,"completion_tokens":`...)
	dst = strconv.AppendInt(dst, int64(output), 10)
	dst = append(dst, `,"total_tokens":`...)
	dst = strconv.AppendInt(dst, int64(s.promptTokens+output), 10)
	dst = append(dst, `,"prompt_tokens_details":{"cached_tokens":`...)
	dst = strconv.AppendInt(dst, int64(s.cached), 10)
	dst = append(dst, '}')
	if thought := s.thought(); thought > 0 {
		dst = append(dst, `,"completion_tokens_details":{"reasoning_tokens":`...)
		dst = strconv.AppendInt(dst, int64(thought), 10)
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

// appendAnswer appends the JSON of an answer that is not streamed.
func (s *stream) appendAnswer(dst []byte) []byte {
	dst = append(dst, s.prefix...)
	for i := range s.choices {
		if i > 0 {
			dst = append(dst, ',')
		}
		ch := &s.choices[i]
		dst = append(dst, `{"index":`...)
		dst = strconv.AppendInt(dst, int64(i), 10)
		if s.req.chat {
			dst = append(dst, `,"message":{"role":"assistant","content":"`...)
		} else {
			dst = append(dst, `,"text":"`...)
		}
		dst = s.appendText(dst, span{choice: i, to: ch.sent})
		dst = append(dst, '"')
		if s.req.chat {
			dst = append(dst, '}')
		}
		dst = append(dst, `,"logprobs":null,"finish_reason":"`+s.finishReason(ch)+`"}`...)
	}
	dst = append(dst, ']')
	if s.style.usage != usageMissing {
		dst = append(dst, `,"usage":`...)
		dst = s.appendUsage(dst)
	}
	return append(dst, '}')
}
