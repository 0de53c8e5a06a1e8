package token

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
	"golang.org/x/text/unicode/norm"
)

// A normalizer rewrites text before it is cut into words.
type normalizer func(string) (string, error)

func pure(f func(string) string) normalizer {
	return func(s string) (string, error) { return f(s), nil }
}

// chain applies each of list in turn; nil when there is none.
func chain(list []normalizer) normalizer {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	return func(s string) (string, error) {
		for _, n := range list {
			var err error
			if s, err = n(s); err != nil {
				return "", err
			}
		}
		return s, nil
	}
}

func parseNormalizers(raw json.RawMessage) (normalizer, error) {
	list, err := parseAll(raw, "normalizers", parseNormalizer)
	return chain(list), err
}

func parseNormalizer(kind string, raw json.RawMessage) (normalizer, error) {
	switch kind {
	case "NFC", "NFD", "NFKC", "NFKD":
		return pure(forms[kind].String), strict(raw, &component{})
	case "Lowercase":
		return pure(lowercase), strict(raw, &component{})
	case "StripAccents":
		return drop(unicode.M), strict(raw, &component{})
	case "Strip":
		var c struct {
			component
			Left  bool `json:"strip_left"`
			Right bool `json:"strip_right"`
		}
		err := strict(raw, &c)
		return pure(func(s string) string { return strip(s, c.Left, c.Right) }), err
	case "Prepend":
		var c struct {
			component
			Prepend string
		}
		err := strict(raw, &c)
		return pure(func(s string) string {
			if s == "" {
				return s
			}
			return c.Prepend + s
		}), err
	case "Replace":
		return parseReplace(raw)
	case "Precompiled":
		var c struct {
			component
			Charsmap []byte `json:"precompiled_charsmap"`
		}
		if err := strict(raw, &c); err != nil {
			return nil, err
		}
		chars, err := newCharsmap(c.Charsmap)
		if err != nil {
			return nil, err
		}
		return pure(chars.precompiled), nil
	case "BertNormalizer":
		return parseBertNormalizer(raw)
	}
	return nil, fmt.Errorf("normalizer %s is not known", kind)
}

var forms = map[string]norm.Form{"NFC": norm.NFC, "NFD": norm.NFD, "NFKC": norm.NFKC, "NFKD": norm.NFKD}

// A pattern is how files write what to look for: a text or a regular expression.
type pattern struct {
	String *string
	Regex  *string
}

// patience bounds one search for a pattern that is not known. Backtracking can
// take exponential time, and a file must not hang a run.
const patience = 5 * time.Second

func compile(regex string) (*regexp2.Regexp, error) {
	re, err := regexp2.Compile(regex, regexp2.None)
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w", regex, err)
	}
	re.MatchTimeout = patience
	return re, nil
}

func parseReplace(raw json.RawMessage) (normalizer, error) {
	var c struct {
		component
		Pattern pattern
		Content string
	}
	if err := strict(raw, &c); err != nil {
		return nil, err
	}
	switch {
	case c.Pattern.String != nil && *c.Pattern.String != "":
		old := *c.Pattern.String
		return pure(func(s string) string { return strings.ReplaceAll(s, old, c.Content) }), nil
	case c.Pattern.Regex != nil:
		re, err := compile(*c.Pattern.Regex)
		if err != nil {
			return nil, err
		}
		return func(s string) (string, error) {
			return re.ReplaceFunc(s, func(regexp2.Match) string { return c.Content }, -1, -1)
		}, nil
	}
	return nil, fmt.Errorf("normalizer Replace: want a pattern that is a String or a Regex")
}

// lowercase maps each character by itself: a final sigma stays as it is, and
// the one capital whose small form is two characters gets both.
func lowercase(s string) string {
	s = strings.ReplaceAll(s, "İ", "i̇")
	return strings.Map(unicode.ToLower, s)
}

// drop removes the characters of a category.
func drop(category *unicode.RangeTable) normalizer {
	return pure(func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.Is(category, r) {
				return -1
			}
			return r
		}, s)
	})
}

func strip(s string, left, right bool) string {
	if left {
		s = strings.TrimLeftFunc(s, unicode.IsSpace)
	}
	if right {
		s = strings.TrimRightFunc(s, unicode.IsSpace)
	}
	return s
}

func parseBertNormalizer(raw json.RawMessage) (normalizer, error) {
	var c struct {
		component
		CleanText    bool  `json:"clean_text"`
		ChineseChars bool  `json:"handle_chinese_chars"`
		StripAccents *bool `json:"strip_accents"`
		Lowercase    bool
	}
	if err := strict(raw, &c); err != nil {
		return nil, err
	}
	var list []normalizer
	if c.CleanText {
		list = append(list, pure(cleanText))
	}
	if c.ChineseChars {
		list = append(list, pure(spaceIdeographs))
	}
	if c.StripAccents == nil && c.Lowercase || c.StripAccents != nil && *c.StripAccents {
		list = append(list, pure(norm.NFD.String), drop(unicode.Mn))
	}
	if c.Lowercase {
		list = append(list, pure(lowercase))
	}
	return chain(list), nil
}

// cleanText drops what cannot be seen and makes every white space a blank.
func cleanText(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			return ' '
		case r == 0 || r == utf8.RuneError || unicode.Is(unicode.C, r):
			return -1
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, s)
}

func spaceIdeographs(s string) string {
	var b strings.Builder
	for _, r := range s {
		if isIdeograph(r) {
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// isIdeograph is BERT's own list of blocks, not a Unicode property.
func isIdeograph(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF || r >= 0xF900 && r <= 0xFAFF ||
		r >= 0x20000 && r <= 0x2A6DF || r >= 0x2A700 && r <= 0x2B73F || r >= 0x2B740 && r <= 0x2B81F ||
		r >= 0x2B920 && r <= 0x2CEAF || r >= 0x2F800 && r <= 0x2FA1F
}
