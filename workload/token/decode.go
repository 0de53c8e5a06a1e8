package token

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A decoder rewrites the texts of a row of tokens on their way to one text.
type decoder func(tokens []string) []string

func parseDecoders(raw json.RawMessage) ([]decoder, error) {
	if kind, err := kindOf(raw); err != nil || kind == "" {
		return []decoder{joinWords}, err
	}
	return parseAll(raw, "decoders", parseDecoder)
}

func parseDecoder(kind string, raw json.RawMessage) (decoder, error) {
	switch kind {
	case "ByteLevel":
		return func(t []string) []string { return t }, nil // the vocabulary holds raw bytes already
	case "ByteFallback":
		return decodeBytes, strict(raw, &component{})
	case "Fuse":
		return func(t []string) []string { return []string{strings.Join(t, "")} }, strict(raw, &component{})
	case "Replace":
		n, err := parseReplace(raw)
		return each(func(_ int, s string) string {
			if r, err := n(s); err == nil {
				return r
			}
			return s
		}), err
	case "Strip":
		var c struct {
			component
			Content     string
			Start, Stop int
		}
		err := strict(raw, &c)
		return each(func(_ int, s string) string { return stripEnds(s, c.Content, c.Start, c.Stop) }), err
	case "Metaspace":
		var c struct {
			component
			Replacement    string
			AddPrefixSpace *bool  `json:"add_prefix_space"`
			PrependScheme  string `json:"prepend_scheme"`
			Split          bool
			StrRep         string `json:"str_rep"`
		}
		err := strict(raw, &c)
		prepends := c.PrependScheme != "never" && (c.AddPrefixSpace == nil || *c.AddPrefixSpace || c.PrependScheme != "")
		return decodeMetaspace(c.Replacement, prepends), err
	case "WordPiece":
		var c struct {
			component
			Prefix  string
			Cleanup bool
		}
		err := strict(raw, &c)
		return decodeWordPiece(c.Prefix, c.Cleanup), err
	case "BPEDecoder":
		var c struct {
			component
			Suffix string
		}
		err := strict(raw, &c)
		return func(t []string) []string {
			return each(func(i int, s string) string {
				if i == len(t)-1 {
					return strings.ReplaceAll(s, c.Suffix, "")
				}
				return strings.ReplaceAll(s, c.Suffix, " ")
			})(t)
		}, err
	}
	return nil, fmt.Errorf("decoder %s is not known", kind)
}

func each(f func(i int, s string) string) decoder {
	return func(tokens []string) []string {
		for i, s := range tokens {
			tokens[i] = f(i, s)
		}
		return tokens
	}
}

// joinWords is what happens where a file names no decoder.
func joinWords(tokens []string) []string { return []string{strings.Join(tokens, " ")} }

func stripEnds(s, content string, start, stop int) string {
	for ; start > 0 && content != "" && strings.HasPrefix(s, content); start-- {
		s = s[len(content):]
	}
	for ; stop > 0 && content != "" && strings.HasSuffix(s, content); stop-- {
		s = s[:len(s)-len(content)]
	}
	return s
}

func decodeMetaspace(replacement string, prepends bool) decoder {
	return each(func(i int, s string) string {
		if i == 0 && prepends {
			return strings.ReplaceAll(s, replacement, "")
		}
		return strings.ReplaceAll(s, replacement, " ")
	})
}

// tidy undoes the blanks that cutting English into words leaves behind.
var tidy = strings.NewReplacer(" .", ".", " ?", "?", " !", "!", " ,", ",", " ' ", "'",
	" n't", "n't", " 'm", "'m", " do not", " don't", " 's", "'s", " 've", "'ve", " 're", "'re")

func decodeWordPiece(prefix string, cleanup bool) decoder {
	return each(func(i int, s string) string {
		if i > 0 {
			if rest, ok := strings.CutPrefix(s, prefix); ok {
				s = rest
			} else {
				s = " " + s
			}
		}
		if cleanup {
			s = tidy.Replace(s)
		}
		return s
	})
}

// decodeBytes turns runs of <0x..> into the text they spell, or, where they
// spell none, into one U+FFFD each.
func decodeBytes(tokens []string) []string {
	out := tokens[:0:0]
	var run []byte
	flush := func() {
		if len(run) > 0 && utf8.Valid(run) {
			out = append(out, string(run))
		} else if len(run) > 0 {
			out = append(out, strings.Repeat("\uFFFD", len(run)))
		}
		run = run[:0]
	}
	for _, s := range tokens {
		if b, ok := byteOf(s); ok {
			run = append(run, b)
			continue
		}
		flush()
		out = append(out, s)
	}
	flush()
	return out
}

func byteOf(s string) (byte, bool) {
	if len(s) != 6 || !strings.HasPrefix(s, "<0x") || s[5] != '>' {
		return 0, false
	}
	b, err := strconv.ParseUint(s[3:5], 16, 8)
	return byte(b), err == nil
}
