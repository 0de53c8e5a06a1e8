package target

import (
	"bytes"
	"fmt"

	"assay/record"
)

// command is the worker protocol as spoken to a program that answers calls: one
// line of JSON each way, told apart by its field "t". See docs/guides/command.md.
type command struct{}

var _ Dialect = command{}

// Path implements Dialect. There is none: the program dials assay.
func (command) Path() string { return "ASSAY_CTRL" }

func (command) Shape(ask Ask) Shape {
	return Shape{Path: "/", Frames: lineFrames, Unary: !ask.Stream}
}

// Encode implements Dialect.
func (command) Encode(call record.Call, ask Ask) ([]byte, error) {
	body := map[string]any{"t": "call", "v": 1, "id": call.ID, "prompt": call.Prompt, "stream": ask.Stream}
	if ask.Model != "" {
		body["model"] = ask.Model
	}
	ask.limit(body, "max_tokens", call)
	if ask.IgnoreEOS != nil {
		body["ignore_eos"] = *ask.IgnoreEOS
	}
	line, err := encode(call, body, ask)
	return append(line, '\n'), err
}

// A commandLine is what a program says. Times are CLOCK_MONOTONIC.
type commandLine struct {
	Type   string `json:"t"`
	ID     *int64 `json:"id"`
	Mono   *int64 `json:"mono"`
	Text   string `json:"text"`
	Kind   string `json:"kind"` // of the text: content, reasoning or tool
	Choice int32  `json:"choice"`
	Finish string `json:"finish_reason"`
	Usage  *struct {
		Input  *Count `json:"input_tokens"`
		Output *Count `json:"output_tokens"`
		Cached *Count `json:"cached_tokens"`
	} `json:"usage"`

	Token string `json:"token"` // of hello
}

// commandKinds are the words for what a chunk holds. Absent means content.
var commandKinds = map[string]record.ChunkKind{
	"": record.Content, "content": record.Content, "reasoning": record.Reasoning, "tool": record.Tool, "role": record.Role,
}

// Decode implements Dialect. An answer that is not streamed is all its lines.
func (command) Decode(data []byte) ([]Piece, error) {
	var s pieceList
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var said commandLine
		if err := decode(line, &said); err != nil {
			return nil, err
		}
		if err := s.line(said); err != nil {
			return nil, err
		}
	}
	return s.pieces(""), nil
}

func (s *pieceList) line(said commandLine) error {
	switch said.Type {
	case "chunk":
		kind, known := commandKinds[said.Kind]
		if !known {
			return fmt.Errorf("chunk of kind %q: want content, reasoning, tool or role", said.Kind)
		}
		if kind.Output() && said.Text == "" {
			kind = record.Blank
		}
		*s = append(*s, Piece{Kind: kind, Choice: said.Choice, Text: said.Text})
		s.finish(said.Choice, said.Finish)
	case "done":
		s.finish(said.Choice, said.Finish)
		if u := said.Usage; u != nil {
			s.count(Usage{Input: u.Input, Output: u.Output, Cached: u.Cached})
		}
		s.done()
	case "err":
		s.fail(said.Text)
	default:
		return fmt.Errorf("line of type %q: want chunk, done or err", said.Type)
	}
	return nil
}

// lineFrames cuts a body into lines.
func lineFrames(body []byte, yield func([]byte, int)) ([]byte, error) {
	for at := 0; ; {
		n := bytes.IndexByte(body[at:], '\n') + 1
		if n == 0 {
			return body[at:], nil
		}
		at += n
		yield(bytes.TrimRight(body[at-n:at], "\r\n"), at)
	}
}
