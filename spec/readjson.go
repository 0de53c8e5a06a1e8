package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// readJSON turns valid JSON into nodes with places.
func readJSON(data []byte) (*node, *readError) {
	r := jsonReader{data: data, tokens: json.NewDecoder(bytes.NewReader(data)), budget: maxDocumentNodes, line: 1, column: 1}
	r.tokens.UseNumber()
	return r.value(0)
}

// A jsonReader reads tokens and keeps count of lines. The decoder knows byte
// offsets only; position turns them into lines and columns as it goes, so the
// data is walked once.
type jsonReader struct {
	data   []byte
	tokens *json.Decoder
	budget int

	offset, line, column int
}

// next reads a token and returns the place where it starts.
func (r *jsonReader) next() (token json.Token, line, column int, err *readError) {
	start := int(r.tokens.InputOffset())
	for start < len(r.data) && bytes.IndexByte([]byte(" \t\r\n,:"), r.data[start]) >= 0 {
		start++
	}
	line, column = r.position(start)
	token, failed := r.tokens.Token()
	if failed != nil { // cannot happen: the data is valid JSON
		return nil, line, column, &readError{line, column, "a syntax error (" + failed.Error() + ")", "YAML or JSON"}
	}
	return token, line, column, nil
}

// position is the line and column, in characters, of a byte offset that is not
// before the last one asked for.
func (r *jsonReader) position(offset int) (line, column int) {
	for r.offset < offset {
		c, size := utf8.DecodeRune(r.data[r.offset:])
		r.offset += size
		if r.column++; c == '\n' {
			r.line, r.column = r.line+1, 1
		}
	}
	return r.line, r.column
}

func (r *jsonReader) value(depth int) (*node, *readError) {
	token, line, column, err := r.next()
	if err != nil {
		return nil, err
	}
	if r.budget--; r.budget < 0 || depth > maxDocumentDepth {
		return nil, &readError{line, column, "a document that is too large",
			fmt.Sprintf("at most %d values, %d levels deep", maxDocumentNodes, maxDocumentDepth)}
	}
	n := &node{line: line, column: column, originLine: line, originColumn: column}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			n.shape = mappingShape
			return n, r.fields(n, depth)
		}
		n.shape = listShape
		return n, r.items(n, depth)
	case string:
		n.shape, n.text = stringShape, t
	case json.Number:
		n.shape, n.text = numberShape, t.String()
		if isDigits(n.text) {
			n.shape = integerShape
		}
	case bool:
		n.shape, n.text = boolShape, fmt.Sprint(t)
	default:
		n.shape, n.text = nullShape, "null"
	}
	return n, nil
}

func (r *jsonReader) fields(n *node, depth int) *readError {
	for r.tokens.More() {
		key, line, column, err := r.next()
		if err != nil {
			return err
		}
		value, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		n.fields = append(n.fields, field{key.(string), line, column, value}) // JSON keys are strings
	}
	_, _, _, err := r.next() // the closing brace
	return err
}

func (r *jsonReader) items(n *node, depth int) *readError {
	for r.tokens.More() {
		value, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		n.items = append(n.items, value)
	}
	_, _, _, err := r.next() // the closing bracket
	return err
}
