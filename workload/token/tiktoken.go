package token

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// looksLikeTiktoken reports whether the first line is base64, a blank and a rank.
func looksLikeTiktoken(data []byte) bool {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	_, _, err := tiktokenLine(string(bytes.TrimSpace(line)))
	return err == nil
}

func tiktokenLine(line string) (text string, id int32, err error) {
	code, rank, ok := strings.Cut(line, " ")
	if !ok {
		return "", 0, fmt.Errorf("got %.40q, want base64, a blank and a rank", line)
	}
	raw, err := base64.StdEncoding.DecodeString(code)
	if err != nil {
		return "", 0, err
	}
	n, err := strconv.ParseInt(rank, 10, 32)
	if err == nil && len(raw) == 0 {
		err = errors.New("a token is empty")
	}
	return string(raw), int32(n), err
}

// parseTiktoken reads a file of tokens with their ranks. Special tokens are not
// in such a file, and text that looks like one is ordinary text.
func parseTiktoken(data []byte, pattern string) (*Model, error) {
	scan, ok := Patterns[pattern]
	if !ok {
		return nil, fmt.Errorf("pattern %q: a .tiktoken file does not say how text is cut into words, want one of %s",
			pattern, strings.Join(slices.Sorted(maps.Keys(Patterns)), ", "))
	}
	b := &bpe{vocab: map[string]int32{}, words: newWordCache(), unknown: none, whole: true}
	m := &Model{model: b, scan: scan}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		text, id, err := tiktokenLine(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		b.vocab[text] = id
		if err := m.setToken(id, text); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	b.bytes = singleBytes(b.vocab)
	if at := slices.Index(b.bytes[:], none); at >= 0 {
		return nil, fmt.Errorf("byte 0x%02X has no token", at)
	}
	b.pairAll()
	return m.finish(), nil
}

// pairAll learns every pair that spells a token: here a rank belongs to a token
// and not to one way of making it.
func (m *bpe) pairAll() {
	for text, id := range m.vocab {
		for i := 1; i < len(text); i++ {
			left, ok := m.vocab[text[:i]]
			if !ok {
				continue
			}
			if right, ok := m.vocab[text[i:]]; ok {
				m.pairs.put(left, right, merge{rank: id, id: id})
			}
		}
	}
}
