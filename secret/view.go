package secret

import (
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A view is a text with its escapes undone. Byte i of it is spelled
// source[from[i]:to[i]] in the text it is a view of.
type view struct {
	text     string
	from, to []int32 // nil where the view is the text itself
}

// An escape undoes one way to write a character. It returns what stands at the
// beginning of text and how many bytes spell it, or 0.
type escape struct {
	mark byte // what it begins with
	undo func(text string) (plain string, size int)
}

// escapes lists the ways to write a character that servers, shells and pages
// use.
var escapes = []escape{
	{'%', percent},
	{'\\', backslash},
	{'&', entity},
	{'\r', lineBreak},
	{'\n', lineBreak},
}

// mostLayers is how often text is taken to have been escaped: JSON inside a
// quoted JSON text inside a URL.
const mostLayers = 3

// eachView calls body with text as it reads with all escapes undone, layer by
// layer. Where a secret has characters that can be taken for an escape, that would
// spoil it: then mixed asks for the views in which one escape after the other is
// undone alone.
func eachView(text string, mixed bool, body func(view)) {
	whole := view{text: text}
	for v, layer := whole, 0; layer < mostLayers; layer++ {
		next, changed := undo(v, escapes)
		if !changed {
			break
		}
		v = next
		body(v)
	}
	if mixed {
		oneByOne(whole, mostLayers-1, body)
	}
}

func oneByOne(v view, layers int, body func(view)) {
	for i := range escapes {
		next, changed := undo(v, escapes[i:i+1])
		if !changed {
			continue
		}
		body(next)
		if layers > 1 {
			oneByOne(next, layers-1, body)
		}
	}
}

// undo is v with the escapes of list undone, once.
func undo(v view, list []escape) (out view, changed bool) {
	var marks [256]*escape
	for i := range list {
		marks[list[i].mark] = &list[i]
	}
	if !slices.ContainsFunc([]byte(v.text), func(c byte) bool { return marks[c] != nil }) {
		return v, false
	}
	text := make([]byte, 0, len(v.text))
	out.from, out.to = make([]int32, 0, len(v.text)), make([]int32, 0, len(v.text))
	for at := 0; at < len(v.text); {
		plain, size := v.text[at:at+1], 1
		if e := marks[v.text[at]]; e != nil {
			if p, n := e.undo(v.text[at:]); n > 0 {
				plain, size, changed = p, n, true
			}
		}
		from, to := v.source(at, at+size)
		for i := range len(plain) {
			text, out.from, out.to = append(text, plain[i]), append(out.from, from), append(out.to, to)
		}
		at += size
	}
	out.text = string(text)
	return out, changed
}

// source is where v.text[from:to] stands in the text itself.
func (v view) source(from, to int) (int32, int32) {
	if v.from == nil {
		return int32(from), int32(to)
	}
	return v.from[from], v.to[to-1]
}

// percent reads two hex digits after a sign.
func percent(text string) (string, int) {
	if len(text) < 3 {
		return "", 0
	}
	c, err := strconv.ParseUint(text[1:3], 16, 8)
	if err != nil {
		return "", 0
	}
	return string([]byte{byte(c)}), 3
}

// backslash undoes the escapes of JSON, Go, C and JavaScript.
func backslash(text string) (string, int) {
	if len(text) < 2 {
		return "", 0
	}
	switch text[1] {
	case 'n':
		return "\n", 2
	case 't':
		return "\t", 2
	case 'r':
		return "\r", 2
	case 'b':
		return "\b", 2
	case 'f':
		return "\f", 2
	case 'x':
		if plain, size := percent(text[1:]); size > 0 {
			return plain, 1 + size
		}
		return "", 0
	case 'u':
		return unicodeEscape(text)
	case '/', '\\', '"', '\'':
		return text[1:2], 2
	}
	return "", 0
}

func unicodeEscape(text string) (string, int) {
	r, ok := hexRune(text)
	if !ok {
		return "", 0
	}
	if low, ok := hexRune(text[6:]); ok && utf16.IsSurrogate(r) {
		if whole := utf16.DecodeRune(r, low); whole != utf8.RuneError {
			return string(whole), 12
		}
	}
	return string(r), 6
}

// hexRune reads \uXXXX at the beginning of text.
func hexRune(text string) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(text[2:6], 16, 16)
	return rune(n), err == nil
}

// longestEntity is that of &CounterClockwiseContourIntegral; and leaves room for
// leading zeros.
const longestEntity = 40

func entity(text string) (string, int) {
	end := strings.IndexByte(text[:min(len(text), longestEntity)], ';')
	if end < 0 {
		return "", 0
	}
	plain := html.UnescapeString(text[:end+1])
	if plain == text[:end+1] {
		return "", 0
	}
	return plain, end + 1
}

// lineBreak joins lines: base64 is wrapped, and so is whatever passes a narrow
// terminal.
func lineBreak(text string) (string, int) {
	return "", len(text) - len(strings.TrimLeft(text, "\r\n \t"))
}
