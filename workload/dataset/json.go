package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"assay/intake"
	"assay/record"
)

var jsonlFormat = Format{
	Name: "jsonl", Doc: "one JSON object a line, with named fields or chat messages; a bare text is a prompt",
	Extensions: []string{".jsonl", ".ndjson"}, read: readJSONL,
}

var jsonFormat = Format{
	Name: "json", Doc: "a JSON list of what jsonl has on its lines, or of ShareGPT's conversations",
	Extensions: []string{".json"}, read: func(in *input, yield func(Row) error) (int, error) { return in.readList(false, yield) },
}

var shareGPTFormat = Format{
	Name: "sharegpt", Doc: "a JSON list of conversations: the first turn is asked, the second is its answer; others than of a person followed by an answer are left out",
	read: func(in *input, yield func(Row) error) (int, error) { return in.readList(true, yield) },
}

func readJSONL(in *input, yield func(Row) error) (dropped int, err error) {
	err = lines(in.file, func(number int, line []byte) error {
		if len(bytes.TrimSpace(line)) == 0 {
			dropped++
			return nil
		}
		row, use, err := in.element(line, number, false)
		if err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		if !use {
			dropped++
			return nil
		}
		return yield(row)
	})
	return dropped, err
}

// readList reads a list one element at a time, so that a large file is never
// held as a whole.
func (in *input) readList(conversations bool, yield func(Row) error) (dropped int, err error) {
	values := intake.NewValues("the file", in.file, MaxRow)
	decoder := json.NewDecoder(values)
	fail := func(number int, err error) error {
		return fmt.Errorf("row %d, near line %d: %w", number, in.lineAt(decoder.InputOffset()), err)
	}
	open, err := decoder.Token()
	if err != nil || open != json.Delim('[') {
		return 0, errors.Join(errors.New("line 1: want a JSON list"), err)
	}
	for number := 1; decoder.More(); number++ {
		values.Next()
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err != nil {
			return dropped, fail(number, err)
		}
		row, use, err := in.element(raw, number, conversations)
		if err != nil {
			return dropped, fail(number, err)
		}
		if !use {
			dropped++
			continue
		}
		if err := yield(row); err != nil {
			return dropped, err
		}
	}
	if _, err := decoder.Token(); err != nil {
		return dropped, fmt.Errorf("the list does not end: %w", err)
	}
	return dropped, nil
}

// lineAt counts the lines up to offset. It reads the file again: it is asked
// once, about a file that is at fault.
func (in *input) lineAt(offset int64) int {
	buffer := make([]byte, 64<<10)
	line := 1
	for reader := io.NewSectionReader(in.file, 0, offset); ; {
		n, err := reader.Read(buffer)
		line += bytes.Count(buffer[:n], []byte("\n"))
		if err != nil {
			return line
		}
	}
}

// element reads one row; use is false for one that the format leaves out.
func (in *input) element(raw []byte, line int, conversations bool) (row Row, use bool, err error) {
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return Row{}, false, err
	}
	object, isObject := value.(map[string]any)
	turns := object["conversations"]
	switch {
	case isObject && (turns != nil || conversations) && in.whole:
		return wholeShareGPT(turns, line)
	case isObject && (turns != nil || conversations):
		return shareGPT(turns, line)
	case isObject:
		row, err = in.rowOf(object, line)
		return row, err == nil, err
	}
	prompt, isText := value.(string)
	if !isText || conversations {
		return Row{}, false, fmt.Errorf("got %T, want an object", value)
	}
	return Row{Prompt: prompt, Line: line}, prompt != "", nil
}

// roles maps ShareGPT's names of speakers, and those of its variants.
var roles = map[string]string{
	"human": "user", "user": "user", "gpt": "assistant", "chatgpt": "assistant", "bing": "assistant",
	"bard": "assistant", "assistant": "assistant", "system": "system", "tool": "tool",
}

// messages reads a list of turns in either spelling: from and value, or role
// and content.
func messages(turns any) ([]record.Message, error) {
	items, ok := turns.([]any)
	if !ok {
		return nil, fmt.Errorf("got %T, want a list of turns", turns)
	}
	var list []record.Message
	for i, item := range items {
		turn, _ := item.(map[string]any)
		speaker, said := turn["from"], turn["value"]
		if speaker == nil && said == nil {
			speaker, said = turn["role"], turn["content"]
		}
		name, okName := speaker.(string)
		content, okContent := said.(string)
		if !okName || !okContent {
			return nil, fmt.Errorf("turn %d: want texts from and value, or role and content", i)
		}
		role, known := roles[name]
		if !known {
			return nil, fmt.Errorf("turn %d: speaker %q is not known", i, name)
		}
		list = append(list, record.Message{Role: role, Content: content})
	}
	return list, nil
}

// shareGPT takes the first exchange of a conversation, as vLLM and SGLang do.
func shareGPT(turns any, line int) (Row, bool, error) {
	list, err := messages(turns)
	if err != nil {
		return Row{}, false, fmt.Errorf("conversations: %w", err)
	}
	row := Row{Line: line}
	if len(list) > 0 && list[0].Role == "system" {
		row.Messages, list = list[:1:1], list[1:]
	}
	if len(list) < 2 || list[0].Role != "user" || list[1].Role != "assistant" || list[0].Content == "" {
		return Row{}, false, nil
	}
	row.Prompt, row.Answer = list[0].Content, list[1].Content
	return row, true, nil
}

// wholeShareGPT takes a conversation to its end. One in which nobody asks is left
// out.
func wholeShareGPT(turns any, line int) (Row, bool, error) {
	list, err := messages(turns)
	if err != nil {
		return Row{}, false, fmt.Errorf("conversations: %w", err)
	}
	if !slices.ContainsFunc(list, func(m record.Message) bool { return m.Role == "user" }) {
		return Row{}, false, nil
	}
	row := Row{Line: line}
	return row, true, row.conversation(turns)
}

// conversation takes the last word of the user as prompt, what came before as
// history and what came after as the answer.
func (r *Row) conversation(turns any) error {
	list, err := messages(turns)
	if err != nil {
		return err
	}
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Role != "user" {
			continue
		}
		r.Messages, r.Prompt = append(r.Messages, list[:i]...), list[i].Content
		if i+1 < len(list) && r.Answer == "" {
			r.Answer = list[i+1].Content
		}
		return nil
	}
	return errors.New("no turn of the user")
}
