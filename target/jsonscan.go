package target

import (
	"unicode/utf16"
	"unicode/utf8"
)

// A jsonScanner reads JSON of the usual kind. Each method reads one value and is
// false when that is something else.
type jsonScanner struct {
	data   []byte
	at     int
	text   []byte // the last string: a part of data, or of buffer
	buffer []byte
}

// next is the next byte that is not white space; zero at the end.
func (j *jsonScanner) next() byte {
	for ; j.at < len(j.data); j.at++ {
		switch c := j.data[j.at]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

func (j *jsonScanner) atEnd() bool { return j.next() == 0 && j.at == len(j.data) }

func (j *jsonScanner) byte(c byte) bool {
	if j.next() != c {
		return false
	}
	j.at++
	return true
}

func (j *jsonScanner) word(w string) bool {
	j.next()
	if len(j.data)-j.at < len(w) || string(j.data[j.at:j.at+len(w)]) != w {
		return false
	}
	j.at += len(w)
	return true
}

func (j *jsonScanner) null() bool { return j.word("null") }

// object calls field with each key, which must read its value.
func (j *jsonScanner) object(field func(key []byte) bool) bool {
	if !j.byte('{') {
		return false
	}
	if j.byte('}') {
		return true
	}
	for {
		if j.next() != '"' || !j.plain() {
			return false
		}
		key := j.text
		if !j.byte(':') || !field(key) {
			return false
		}
		if !j.byte(',') {
			return j.byte('}')
		}
	}
}

// array calls element for each one, which must read it.
func (j *jsonScanner) array(element func() bool) bool {
	if !j.byte('[') {
		return false
	}
	if j.byte(']') {
		return true
	}
	for {
		if !element() {
			return false
		}
		if !j.byte(',') {
			return j.byte(']')
		}
	}
}

// plain reads a string of printable ASCII without escapes.
func (j *jsonScanner) plain() bool {
	for i := j.at + 1; i < len(j.data); i++ {
		switch c := j.data[i]; {
		case c == '"':
			j.text = j.data[j.at+1 : i]
			j.at = i + 1
			return true
		case c == '\\' || c < ' ' || c >= utf8.RuneSelf:
			return false
		}
	}
	return false
}

// string reads a string into j.text.
func (j *jsonScanner) string() bool {
	if j.next() != '"' {
		return false
	}
	if j.plain() {
		return true
	}
	out := j.buffer[:0]
	for i := j.at + 1; i < len(j.data); {
		switch c := j.data[i]; {
		case c == '"':
			j.text, j.buffer, j.at = out, out, i+1
			return utf8.Valid(out) // what is not is replaced, elsewhere
		case c < ' ':
			return false
		case c == '\\':
			var n int
			if out, n = unescape(out, j.data[i:]); n == 0 {
				return false
			}
			i += n
		default:
			out = append(out, c)
			i++
		}
	}
	return false
}

// unescape appends what the escape at the start of data stands for and returns
// how long it is, zero when it is none or half of a pair.
func unescape(out, data []byte) ([]byte, int) {
	if len(data) < 2 {
		return out, 0
	}
	switch c := data[1]; c {
	case '"', '\\', '/':
		return append(out, c), 2
	case 'n':
		return append(out, '\n'), 2
	case 't':
		return append(out, '\t'), 2
	case 'r':
		return append(out, '\r'), 2
	case 'b':
		return append(out, '\b'), 2
	case 'f':
		return append(out, '\f'), 2
	case 'u':
		r := hex4(data)
		if r < 0 || utf16.IsSurrogate(r) {
			if len(data) < 12 || data[6] != '\\' {
				return out, 0
			}
			if r = utf16.DecodeRune(r, hex4(data[6:])); r == utf8.RuneError {
				return out, 0
			}
			return utf8.AppendRune(out, r), 12
		}
		return utf8.AppendRune(out, r), 6
	}
	return out, 0
}

// hex4 reads \uXXXX; below zero when data does not begin with it.
func hex4(data []byte) rune {
	if len(data) < 6 || data[1] != 'u' {
		return -1
	}
	var r rune
	for _, c := range data[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// textOrNull reads a string or null, which leaves text as it is.
func (j *jsonScanner) textOrNull(text *string) bool {
	if j.next() != '"' {
		return j.null()
	}
	if !j.string() {
		return false
	}
	*text = string(j.text)
	return true
}

// int32 reads a number of at most nine digits.
func (j *jsonScanner) int32(n *int32) bool {
	begin := j.next()
	from := j.at
	for ; j.at < len(j.data) && j.data[j.at] >= '0' && j.data[j.at] <= '9'; j.at++ {
		*n = *n*10 + int32(j.data[j.at]-'0')
		if j.at-from > 8 {
			return false
		}
	}
	// A point or an exponent would follow here and is not taken by anybody.
	return j.at > from && (begin != '0' || j.at == from+1)
}

// skip reads a value that nobody wants: a string, a whole number, a word.
func (j *jsonScanner) skip() bool {
	switch c := j.next(); {
	case c == '"':
		return j.string()
	case c == 'n':
		return j.null()
	case c == 't':
		return j.word("true")
	case c == 'f':
		return j.word("false")
	case c == '[':
		return j.word("[]")
	case c == '{':
		return j.word("{}")
	case c == '0':
		j.at++
		return true
	}
	from := j.at
	for j.at < len(j.data) && j.data[j.at] >= '0' && j.data[j.at] <= '9' {
		j.at++
	}
	return j.at > from
}
