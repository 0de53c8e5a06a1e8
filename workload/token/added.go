package token

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An addedToken is found in the text before the model sees it.
type addedToken struct {
	ID         int32
	Content    string
	SingleWord bool `json:"single_word"` // not inside a longer word
	LStrip     bool // takes the white space before it along
	RStrip     bool // takes the white space after it along
	Normalized bool // is looked for in the text as normalized
	Special    bool
}

// An addedFinder looks for added tokens, the leftmost first and the longest there.
type addedFinder struct {
	byFirst [256][]addedToken
	empty   bool
}

func newAddedFinder(tokens []addedToken) *addedFinder {
	f := &addedFinder{empty: true}
	for _, a := range tokens {
		if a.Content != "" {
			f.byFirst[a.Content[0]] = append(f.byFirst[a.Content[0]], a)
			f.empty = false
		}
	}
	for _, list := range f.byFirst {
		slices.SortStableFunc(list, func(a, b addedToken) int { return cmp.Compare(len(b.Content), len(a.Content)) })
	}
	return f
}

// find returns the first added token at or after from, and where it is.
func (f *addedFinder) find(s string, from int) (token *addedToken, at int) {
	for i := from; i < len(s); i++ {
		list := f.byFirst[s[i]]
		for k := range list {
			if strings.HasPrefix(s[i:], list[k].Content) {
				return &list[k], i
			}
		}
	}
	return nil, len(s)
}

// each calls text with the stretches of s between added tokens and token with
// the ids of these, in order.
func (f *addedFinder) each(s string, text func(part string, at int) error, token func(id int32)) error {
	done := 0
	for from := 0; !f.empty; {
		a, start := f.find(s, from)
		if a == nil {
			break
		}
		end := start + len(a.Content)
		from = end
		if a.SingleWord && (endsInWord(s[:start]) || beginsWithWord(s[end:])) {
			continue
		}
		if a.LStrip {
			start = max(done, len(strings.TrimRightFunc(s[:start], unicode.IsSpace)))
		}
		if a.RStrip {
			end = len(s) - len(strings.TrimLeftFunc(s[end:], unicode.IsSpace))
		}
		if start > done {
			if err := text(s[done:start], done); err != nil {
				return err
			}
		}
		token(a.ID)
		done = end
	}
	if done < len(s) {
		return text(s[done:], done)
	}
	return nil
}

func endsInWord(s string) bool {
	r, n := utf8.DecodeLastRuneInString(s)
	return n > 0 && isWord(r)
}

func beginsWithWord(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return n > 0 && isWord(r)
}
