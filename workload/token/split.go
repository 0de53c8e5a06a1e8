package token

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
)

// A piece is a part of the text on its way to becoming words.
type piece struct {
	text  string
	start bool // the text begins here
}

// A splitter cuts one piece into smaller ones and adds them to out.
type splitter func(p piece, out []piece) ([]piece, error)

// A cut is a stretch of a piece that a pattern matched, or one between matches.
type cut struct {
	end   int
	match bool
}

func parseSplitters(raw json.RawMessage) ([]splitter, error) {
	return parseAll(raw, "pretokenizers", parseSplitter)
}

func parseSplitter(kind string, raw json.RawMessage) (splitter, error) {
	switch kind {
	case "ByteLevel":
		return parseByteLevel(raw)
	case "Split":
		return parseSplit(raw)
	case "Metaspace":
		return parseMetaspace(raw)
	case "Whitespace":
		return splitWith("Removed", true, wordsAndMarks), strict(raw, &component{})
	case "WhitespaceSplit":
		return splitWith("Removed", false, eachRune(unicode.IsSpace)), strict(raw, &component{})
	case "BertPreTokenizer":
		return splitBert, strict(raw, &component{})
	case "Punctuation":
		var c struct {
			component
			Behavior string
		}
		if err := strict(raw, &c); err != nil {
			return nil, err
		}
		return splitWith(c.Behavior, false, eachRune(isPunctuation)), knownBehavior(c.Behavior)
	case "Digits":
		var c struct {
			component
			Individual bool `json:"individual_digits"`
		}
		err := strict(raw, &c)
		if c.Individual {
			return splitWith("Isolated", false, eachRune(unicode.IsNumber)), err
		}
		return splitWith("Contiguous", false, eachRune(unicode.IsNumber)), err
	case "CharDelimiterSplit":
		var c struct {
			component
			Delimiter string
		}
		if err := strict(raw, &c); err != nil {
			return nil, err
		}
		return splitWith("Removed", false, eachRune(func(r rune) bool { return string(r) == c.Delimiter })), nil
	}
	return nil, fmt.Errorf("pre-tokenizer %s is not known", kind)
}

// parseByteLevel reads the splitter of GPT-2. That bytes become visible
// characters needs no step here: the vocabulary is read as bytes instead.
func parseByteLevel(raw json.RawMessage) (splitter, error) {
	c := struct {
		component
		AddPrefixSpace bool `json:"add_prefix_space"`
		UseRegex       bool `json:"use_regex"`
		TrimOffsets    bool `json:"trim_offsets"`
	}{AddPrefixSpace: true, UseRegex: true}
	if err := strict(raw, &c); err != nil {
		return nil, err
	}
	return func(p piece, out []piece) ([]piece, error) {
		if c.AddPrefixSpace && !strings.HasPrefix(p.text, " ") {
			p.text = " " + p.text
		}
		if !c.UseRegex {
			return append(out, p), nil
		}
		return scanInto(scanGPT2, p, out), nil
	}, nil
}

func scanInto(scan scanner, p piece, out []piece) []piece {
	for p.text != "" {
		n := scan(p.text)
		out = append(out, piece{p.text[:n], p.start})
		p.text, p.start = p.text[n:], false
	}
	return out
}

type splitConfig struct {
	component
	Pattern  pattern
	Behavior string
	Invert   bool
}

// scanner returns the hand-written form of the pattern, or nil. Known patterns
// match every character, so matches may be isolated or kept with the same result.
func (c splitConfig) scanner() scanner {
	if c.Pattern.Regex == nil || !(c.Behavior == "Isolated" || c.Behavior == "Removed" && c.Invert) {
		return nil
	}
	return regexes[*c.Pattern.Regex]
}

func parseSplit(raw json.RawMessage) (splitter, error) {
	var c splitConfig
	if err := strict(raw, &c); err != nil {
		return nil, err
	}
	if err := knownBehavior(c.Behavior); err != nil {
		return nil, err
	}
	if scan := c.scanner(); scan != nil {
		return func(p piece, out []piece) ([]piece, error) { return scanInto(scan, p, out), nil }, nil
	}
	switch {
	case c.Pattern.String != nil && *c.Pattern.String != "":
		return splitWith(c.Behavior, c.Invert, eachString(*c.Pattern.String)), nil
	case c.Pattern.Regex != nil:
		re, err := compile(*c.Pattern.Regex)
		if err != nil {
			return nil, err
		}
		return splitWith(c.Behavior, c.Invert, eachMatch(re)), nil
	}
	return nil, fmt.Errorf("pre-tokenizer Split: want a pattern that is a String or a Regex")
}

func knownBehavior(b string) error {
	known := []string{"Isolated", "Removed", "Contiguous", "MergedWithPrevious", "MergedWithNext"}
	if !slices.Contains(known, b) {
		return fmt.Errorf("split behavior %q: want one of %s", b, strings.Join(known, ", "))
	}
	return nil
}

// splitWith cuts a piece where find says, and does with the matches what
// behavior says.
func splitWith(behavior string, invert bool, find func(string) ([]cut, error)) splitter {
	return func(p piece, out []piece) ([]piece, error) {
		cuts, err := find(p.text)
		if err != nil {
			return nil, err
		}
		if invert {
			for i := range cuts {
				cuts[i].match = !cuts[i].match
			}
		}
		from := 0
		for i, c := range cuts {
			if i+1 < len(cuts) && joins(behavior, c.match, cuts[i+1].match) {
				continue
			}
			if c.end > from && !(behavior == "Removed" && c.match) {
				out = append(out, piece{p.text[from:c.end], p.start && from == 0})
			}
			from = c.end
		}
		return out, nil
	}
}

// joins reports whether a stretch stays together with the one after it. A run
// of matches is not joined as a whole: only its end that touches other text is.
func joins(behavior string, match, next bool) bool {
	switch behavior {
	case "Contiguous":
		return match == next
	case "MergedWithPrevious":
		return !match && next
	case "MergedWithNext":
		return match && !next
	}
	return false
}

func eachRune(is func(rune) bool) func(string) ([]cut, error) {
	return func(s string) (cuts []cut, err error) {
		from := 0
		for i, r := range s {
			if !is(r) {
				continue
			}
			if i > from {
				cuts = append(cuts, cut{i, false})
			}
			from = i + utf8.RuneLen(r)
			cuts = append(cuts, cut{from, true})
		}
		if from < len(s) {
			cuts = append(cuts, cut{len(s), false})
		}
		return cuts, nil
	}
}

func eachString(sep string) func(string) ([]cut, error) {
	return func(s string) (cuts []cut, err error) {
		from := 0
		for {
			i := strings.Index(s[from:], sep)
			if i < 0 {
				break
			}
			if i > 0 {
				cuts = append(cuts, cut{from + i, false})
			}
			from += i + len(sep)
			cuts = append(cuts, cut{from, true})
		}
		if from < len(s) {
			cuts = append(cuts, cut{len(s), false})
		}
		return cuts, nil
	}
}

func eachMatch(re *regexp2.Regexp) func(string) ([]cut, error) {
	return func(s string) (cuts []cut, err error) {
		runes := []rune(s)
		offset := make([]int, 0, len(runes)+1) // of each rune in s
		for i := range s {
			offset = append(offset, i)
		}
		offset = append(offset, len(s))
		from := 0
		m, err := re.FindRunesMatch(runes)
		for ; m != nil && err == nil; m, err = re.FindNextMatch(m) {
			start, end := offset[m.Index], offset[m.Index+m.Length]
			if start > from {
				cuts = append(cuts, cut{start, false})
			}
			cuts = append(cuts, cut{end, true})
			from = end
		}
		if err != nil {
			return nil, fmt.Errorf("pattern %q: %w", re, err)
		}
		if from < len(s) {
			cuts = append(cuts, cut{len(s), false})
		}
		return cuts, nil
	}
}

// wordsAndMarks is \w+|[^\w\s]+.
func wordsAndMarks(s string) (cuts []cut, err error) {
	kind := func(r rune) int {
		switch {
		case isWord(r):
			return 1
		case unicode.IsSpace(r):
			return 0
		}
		return 2
	}
	last := -1
	for i, r := range s {
		k := kind(r)
		if k != last && last >= 0 {
			cuts = append(cuts, cut{i, last > 0})
		}
		last = k
	}
	if last >= 0 {
		cuts = append(cuts, cut{len(s), last > 0})
	}
	return cuts, nil
}

// isWord is \w by Unicode's technical standard 18.
func isWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.In(r, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc,
		unicode.Other_Alphabetic, unicode.Join_Control)
}

func isPunctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= '!' && r <= '/' || r >= ':' && r <= '@' || r >= '[' && r <= '`' || r >= '{' && r <= '~'
	}
	return unicode.Is(unicode.P, r)
}

// splitBert drops white space and isolates punctuation.
func splitBert(p piece, out []piece) ([]piece, error) {
	from := 0
	add := func(end int) {
		if end > from {
			out = append(out, piece{p.text[from:end], p.start && from == 0})
		}
		from = end
	}
	for i, r := range p.text {
		width := utf8.RuneLen(r)
		switch {
		case unicode.IsSpace(r):
			add(i)
			from = i + width
		case isPunctuation(r):
			add(i)
			add(i + width)
		}
	}
	add(len(p.text))
	return out, nil
}

func parseMetaspace(raw json.RawMessage) (splitter, error) {
	c := struct {
		component
		Replacement    string
		AddPrefixSpace *bool  `json:"add_prefix_space"`
		PrependScheme  string `json:"prepend_scheme"`
		Split          bool
		StrRep         string `json:"str_rep"`
	}{Split: true}
	if err := strict(raw, &c); err != nil {
		return nil, err
	}
	if c.PrependScheme == "" {
		c.PrependScheme = "always"
		if c.AddPrefixSpace != nil && !*c.AddPrefixSpace {
			c.PrependScheme = "never"
		}
	}
	if utf8.RuneCountInString(c.Replacement) != 1 || !slices.Contains([]string{"always", "first", "never"}, c.PrependScheme) {
		return nil, fmt.Errorf("pre-tokenizer Metaspace: got replacement %q and prepend_scheme %q, want one character and always, first or never", c.Replacement, c.PrependScheme)
	}
	split := splitWith("MergedWithNext", false, eachString(c.Replacement))
	return func(p piece, out []piece) ([]piece, error) {
		p.text = strings.ReplaceAll(p.text, " ", c.Replacement)
		prepend := c.PrependScheme == "always" || c.PrependScheme == "first" && p.start
		if prepend && !strings.HasPrefix(p.text, c.Replacement) {
			p.text = c.Replacement + p.text
		}
		if !c.Split {
			return append(out, p), nil
		}
		return split(p, out)
	}, nil
}
