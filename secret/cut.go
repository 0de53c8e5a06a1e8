package secret

import (
	"strings"
	"unicode"
)

// Head is the beginning of text, at most most bytes, for a message that is
// redacted only later. It ends between words, since half of a key is no longer
// known for one.
func Head(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.TrimRightFunc(text[:strings.LastIndexFunc(text[:most+1], separates)+1], separates) + "…"
}

// Tail is the end of text, cut as Head cuts its beginning.
func Tail(text string, most int) string {
	if len(text) <= most {
		return text
	}
	rest := text[len(text)-most-1:]
	at := strings.IndexFunc(rest, separates)
	if at < 0 {
		return "…"
	}
	return "…" + strings.TrimLeftFunc(rest[at:], separates)
}

// separates reports whether r stands between words, of which a key is one.
func separates(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune(`"'`+"`,;<>(){}[]", r)
}
