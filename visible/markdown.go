package visible

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Markdown is text as one line of Markdown that shows it and does nothing: no
// heading, list, quote, table, fence, link, picture, emphasis, formula or HTML
// begins in it, and nobody is mentioned by it. A bare address stays an address.
func Markdown(text string) string {
	text = strings.TrimSpace(Line(text))
	var out strings.Builder
	before := ' ' // a run of underscores counts as nothing
	formulas := strings.Count(text, "$") > 1
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		rest := text[at+size:]
		if r == '$' && formulas {
			out.WriteByte('\\')
		}
		out.WriteString(marked(r, before, rest, at == 0))
		if r != '_' {
			before = r
		}
		at += size
	}
	return escapeNumber(out.String())
}

// marked is r so that it means itself, between before and rest.
func marked(r, before rune, rest string, first bool) string {
	after, _ := utf8.DecodeRuneInString(rest)
	switch r {
	case '\\', '`', '*', '~', '|':
		return `\` + string(r)
	case '<': // before a number it is no tag
		if !unicode.IsDigit(after) && after != ' ' {
			return "&lt;"
		}
	case '&':
		if after == '#' || unicode.IsLetter(after) { // an entity, perhaps
			return "&amp;"
		}
	case '_': // inside a word it is no emphasis
		after, _ = utf8.DecodeRuneInString(strings.TrimLeft(rest, "_"))
		if !inWord(before) || !inWord(after) {
			return `\_`
		}
	case ']': // what could end the text of a link, or of its definition
		if after == '(' || after == '[' || after == ':' {
			return `\]`
		}
	case '@', '#': // hosts of code act on these in the finished page, but not in code
		if !inWord(before) && inWord(after) {
			return "`" + string(r) + "`"
		}
		if first {
			return `\` + string(r)
		}
	case '>', '-', '+', '=':
		if first && !unicode.IsDigit(after) {
			return `\` + string(r)
		}
	}
	return string(r)
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// escapeNumber keeps a number at the beginning from opening a list.
func escapeNumber(text string) string {
	rest := strings.TrimLeft(text, "0123456789")
	if len(rest) == len(text) || rest == "" || rest[0] != '.' && rest[0] != ')' {
		return text
	}
	if len(rest) > 1 && rest[1] != ' ' {
		return text
	}
	return text[:len(text)-len(rest)] + `\` + rest
}
