package target

import "assay/record"

// A scanner is a Dialect that reads the usual events of a stream without the
// general decoder of JSON, which needs ten times as long and takes it from the
// processor that reads the streams.
type scanner interface {
	// scan reads data into s.pieces. It is false when there is anything unusual
	// about data, also when it is not JSON: Decode then says what it is. What both
	// can read they read alike.
	scan(data []byte, s *scratch) bool
}

var _ scanner = openAI{}

// A scratch holds what one event after the other is read into.
type scratch struct {
	pieces []Piece
	id     string // of the answer, which all its events repeat
	model  string // as well
	system string // fingerprint, as well
	buffer []byte // of a string with escapes
}

// openAIChoice is what assay reads of one choice. Where it does not matter, the
// empty string also stands for null and for nothing.
type openAIChoice struct {
	index                              int32
	delta                              bool // there was one, and the text is not looked at
	role, content, text, refusal       string
	reasoning, reasoningContent, final string
}

// scan implements scanner. It mirrors Decode.
func (d openAI) scan(data []byte, s *scratch) bool {
	s.pieces = s.pieces[:0]
	if isDone(data) {
		s.pieces = append(s.pieces, Piece{Kind: record.DoneMark})
		return true
	}
	j := jsonScanner{data: data, buffer: s.buffer}
	var id, model, system string
	var seen uint
	ok := j.object(func(key []byte) bool {
		switch string(key) {
		case "id":
			return once(&seen, 0) && j.string() && j.same(&s.id, &id)
		case "choices":
			return once(&seen, 1) && j.array(func() bool { return s.choice(&j) })
		case "usage":
			return once(&seen, 2) && j.null() // counts come once in a stream
		case "error":
			return once(&seen, 3) && j.null()
		case "object":
			return once(&seen, 4) && j.string() && string(j.text) != "error"
		case "model":
			return once(&seen, 5) && (j.null() || j.string() && j.same(&s.model, &model))
		case "system_fingerprint":
			return once(&seen, 6) && (j.null() || j.string() && j.same(&s.system, &system))
		case "created", "service_tier", "prompt_token_ids", "obfuscation":
			return j.skip()
		}
		return false
	})
	s.buffer = j.buffer
	if !ok || !j.atEnd() {
		return false
	}
	if len(s.pieces) == 0 {
		s.pieces = append(s.pieces, Piece{Kind: record.Blank})
	}
	s.pieces[0].ServerID, s.pieces[0].Model, s.pieces[0].Fingerprint = id, model, system
	return true
}

// same lets to be the string that was read, which is known where the events before had it.
func (j *jsonScanner) same(known, to *string) bool {
	if string(j.text) != *known {
		*known = string(j.text)
	}
	*to = *known
	return true
}

// choice reads one choice.
func (s *scratch) choice(j *jsonScanner) bool {
	var c openAIChoice
	var seen uint
	ok := j.object(func(key []byte) bool {
		switch string(key) {
		case "index":
			return once(&seen, 0) && j.int32(&c.index)
		case "delta":
			c.delta = true
			return once(&seen, 1) && j.object(func(key []byte) bool { return c.field(key, j, &seen) })
		case "text":
			return once(&seen, 2) && j.textOrNull(&c.text)
		case "finish_reason":
			return once(&seen, 3) && j.textOrNull(&c.final)
		case "logprobs", "stop_reason", "token_ids", "matched_stop", "content_filter_results":
			return j.skip()
		}
		return false
	})
	if ok {
		c.pieces(s)
	}
	return ok
}

// field reads one field of a delta.
func (c *openAIChoice) field(key []byte, j *jsonScanner, seen *uint) bool {
	switch string(key) {
	case "role":
		return once(seen, 10) && j.textOrNull(&c.role)
	case "content":
		return once(seen, 11) && j.textOrNull(&c.content)
	case "reasoning":
		return once(seen, 12) && j.textOrNull(&c.reasoning)
	case "reasoning_content":
		return once(seen, 13) && j.textOrNull(&c.reasoningContent)
	case "refusal":
		return once(seen, 14) && j.textOrNull(&c.refusal)
	case "tool_calls":
		return once(seen, 15) && (j.null() || j.word("[]"))
	case "function_call":
		return once(seen, 16) && j.null()
	case "audio":
		return once(seen, 17) && j.null()
	}
	return false
}

// pieces mirrors openAIMessage.pieces and what Decode does with the rest.
func (c *openAIChoice) pieces(s *scratch) {
	if !c.delta {
		c.content = c.text
	}
	begin := len(s.pieces)
	add := func(kind record.ChunkKind, text string) {
		if text != "" {
			s.pieces = append(s.pieces, Piece{Kind: kind, Choice: c.index, Text: text})
		}
	}
	if c.reasoningContent != "" {
		add(record.Reasoning, c.reasoningContent)
		if c.reasoning != "" {
			s.pieces[begin].Note = "both_reasoning_fields"
		}
	} else {
		add(record.Reasoning, c.reasoning)
	}
	add(record.Content, c.content)
	add(record.OtherOut, c.refusal)
	if len(s.pieces) == begin && c.role != "" {
		s.pieces = append(s.pieces, Piece{Kind: record.Role, Choice: c.index})
	}
	if c.final != "" {
		s.pieces = append(s.pieces, Piece{Kind: record.Finish, Choice: c.index, FinishReason: c.final})
	}
}

// once notes that the field with a number was seen. A field that comes twice is
// unusual: the general decoder merges the two.
func once(seen *uint, field uint) bool {
	before := *seen
	*seen |= 1 << field
	return before != *seen
}
