package lexical

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
)

// ExactMatch is the exact_match of lm-eval and of Hugging Face's evaluate: two texts are
// equal, or equal without what the options take away. White space is not trimmed.
//
// Both keep texts in numpy's arrays, which has two consequences: NUL characters at the end
// do not count, and lower case has no more characters than there were before, so that a
// text with İ, which becomes two, loses its last one.
type ExactMatch struct {
	// Ignore are regular expressions whose matches are removed from both texts, one
	// after the other and before everything else. They are Python's: looking around
	// is allowed.
	Ignore []string

	IgnoreCase        bool
	IgnorePunctuation bool // of ASCII
	IgnoreNumbers     bool // the digits 0 to 9
}

// patience ends the search for a match of an expression that would take for ever.
const patience = 5 * time.Second

// Matcher is the comparison, with its expressions read.
func (e ExactMatch) Matcher() (func(prediction, reference string) (bool, error), error) {
	patterns := make([]*regexp2.Regexp, len(e.Ignore))
	for i, text := range e.Ignore {
		pattern, err := regexp2.Compile(FromPython(text), regexp2.None)
		if err != nil {
			return nil, fmt.Errorf("regular expression %q: %w", text, err)
		}
		pattern.MatchTimeout = patience
		patterns[i] = pattern
	}
	return func(prediction, reference string) (bool, error) {
		a, err := e.reduce(patterns, prediction)
		if err != nil {
			return false, err
		}
		b, err := e.reduce(patterns, reference)
		return a == b && err == nil, err
	}, nil
}

func (e ExactMatch) reduce(patterns []*regexp2.Regexp, text string) (string, error) {
	for i, pattern := range patterns {
		var err error
		if text, err = pattern.Replace(text, "", -1, -1); err != nil {
			return "", fmt.Errorf("regular expression %q: %w", e.Ignore[i], err)
		}
	}
	text = strings.TrimRight(text, "\x00")
	if e.IgnoreCase {
		text = firstRunes(Lower(text), utf8.RuneCountInString(text))
	}
	if e.IgnorePunctuation {
		text = withoutASCIIPunctuation(text)
	}
	if e.IgnoreNumbers {
		text = deleteRunes(text, func(r rune) bool { return '0' <= r && r <= '9' })
	}
	return strings.TrimRight(text, "\x00"), nil
}

func firstRunes(text string, n int) string {
	for i := range text {
		if n--; n < 0 {
			return text[:i]
		}
	}
	return text
}

// deleteRunes takes the characters away that should go.
func deleteRunes(text string, gone func(rune) bool) string {
	return strings.Map(func(r rune) rune { return choose(gone(r), -1, r) }, text)
}

func withoutASCIIPunctuation(text string) string { return deleteRunes(text, isPunctuation) }
