// Package visible makes a stranger's words safe to show: what a server, a file or
// a worker said goes to a terminal, a page or a table with everything that would
// act there turned into something that is merely read.
//
// Records keep the words as they came. They are made visible where they are shown,
// by whatever shows them: Line inside a line of our own, Text for a whole screen,
// Markdown for a pull request, Cell for a spreadsheet, JSON for programs whose
// output a person may look at.
package visible

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Line is text in one line without anything that a terminal obeys or hides:
// control characters, line ends among them, characters without width or that turn
// the direction of writing, and bytes that are no UTF-8 become escapes as in Go
// (\x1b, \n, \u202e).
func Line(text string) string { return escaped(text, plain) }

// Text is Line for text of several lines: line ends and tabs stay.
func Text(text string) string {
	return escaped(text, func(r rune) bool { return r == '\n' || r == '\t' || plain(r) })
}

// plain reports whether r shows as itself, in its place.
func plain(r rune) bool { return unicode.IsPrint(r) || unicode.Is(unicode.Zs, r) }

func escaped(text string, shows func(rune) bool) string {
	if utf8.ValidString(text) && strings.IndexFunc(text, func(r rune) bool { return !shows(r) }) < 0 {
		return text
	}
	var out strings.Builder
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&out, `\x%02x`, text[at])
		case shows(r):
			out.WriteRune(r)
		default:
			quoted := strconv.QuoteRuneToASCII(r)
			out.WriteString(quoted[1 : len(quoted)-1])
		}
		at += size
	}
	return out.String()
}

// Cell is text for a cell of a spreadsheet, which takes what begins with one of
// these characters for a formula. A number stays one.
func Cell(text string) string {
	text = Text(text)
	if text == "" || !strings.ContainsRune("=+-@\t", rune(text[0])) {
		return text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return "'" + text
}

// JSON is data, which is JSON, with the characters that Text would escape written
// as JSON escapes them: it reads as the same value.
func JSON(data []byte) []byte {
	odd := func(r rune) bool { return r >= utf8.RuneSelf && !plain(r) && r != utf8.RuneError || r == 0x7f }
	if bytes.IndexFunc(data, odd) < 0 {
		return data
	}
	var out bytes.Buffer
	for _, r := range string(data) {
		switch {
		case !odd(r):
			out.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.Bytes()
}

// A Writer writes Text of what is written to it. It holds back the first bytes of
// a character until the others come. It is safe for concurrent use.
type Writer struct {
	To io.Writer

	mu   sync.Mutex
	held []byte
}

func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := append(w.held, p...)
	whole := len(text) - unfinished(text)
	w.held = bytes.Clone(text[whole:])
	if _, err := io.WriteString(w.To, Text(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// unfinished is how many bytes at the end of text begin a character.
func unfinished(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if tail := text[len(text)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}
