package spec

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// offsetOf is the byte offset of a line and column; columns count characters.
func offsetOf(data []byte, line, column int) int {
	offset := 0
	if bytes.HasPrefix(data, []byte("\ufeff")) {
		offset = len("\ufeff")
	}
	for ; line > 1; line-- {
		next := bytes.IndexByte(data[offset:], '\n')
		if next < 0 {
			return len(data)
		}
		offset += next + 1
	}
	for ; column > 1 && offset < len(data); column-- {
		_, size := utf8.DecodeRune(data[offset:])
		offset += size
	}
	return offset
}

// scalarEnd is the offset after the scalar that starts at start: a quoted one
// ends with its quote, a block with the last line indented as deep as its
// first, a plain one with the last word of its text.
func scalarEnd(data []byte, start int, text string) int {
	if start >= len(data) {
		return len(data)
	}
	switch data[start] {
	case '"':
		for i := start + 1; i < len(data); i++ {
			if data[i] == '\\' {
				i++
			} else if data[i] == '"' {
				return i + 1
			}
		}
	case '\'':
		for i := start + 1; i < len(data); i++ {
			if data[i] != '\'' {
				continue
			}
			if i+1 < len(data) && data[i+1] == '\'' {
				i++
				continue
			}
			return i + 1
		}
	case '|', '>':
		return blockEnd(data, start)
	}
	end := start
	for word := range strings.FieldsSeq(text) {
		at := bytes.Index(data[end:], []byte(word))
		if at < 0 {
			return lineEnd(data, end)
		}
		end += at + len(word)
	}
	return end
}

func lineEnd(data []byte, start int) int {
	if i := bytes.IndexByte(data[start:], '\n'); i >= 0 {
		return start + i
	}
	return len(data)
}

// blockEnd is the end of a block scalar: its lines are indented at least as
// deep as the first of them.
func blockEnd(data []byte, start int) int {
	end := lineEnd(data, start)
	depth := -1
	for end < len(data) {
		next := lineEnd(data, end+1)
		line := data[end+1 : next]
		indent := len(line) - len(bytes.TrimLeft(line, " "))
		blank := len(bytes.TrimSpace(line)) == 0
		if depth < 0 && !blank {
			depth = indent
		}
		if !blank && (indent < depth || depth == 0) {
			break
		}
		end = next
	}
	return end
}
