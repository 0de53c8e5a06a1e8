package token

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// huggingFace is the outline of a tokenizer.json. Truncation and padding are
// settings of a batch and not of a text, and are not applied.
type huggingFace struct {
	Added         []addedToken    `json:"added_tokens"`
	Normalizer    json.RawMessage `json:"normalizer"`
	PreTokenizer  json.RawMessage `json:"pre_tokenizer"`
	PostProcessor json.RawMessage `json:"post_processor"`
	Decoder       json.RawMessage `json:"decoder"`
	Model         json.RawMessage `json:"model"`
}

func parseHuggingFace(data []byte) (*Model, error) {
	var f huggingFace
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("tokenizer.json: %w", err)
	}
	m := &Model{}
	var errs []error
	keep := func(err error) {
		if err != nil {
			errs = append(errs, err)
		}
	}
	var err error
	m.normalize, err = parseNormalizers(f.Normalizer)
	keep(err)
	m.splitters, err = parseSplitters(f.PreTokenizer)
	keep(err)
	m.decoders, err = parseDecoders(f.Decoder)
	keep(err)
	keep(m.parseTemplate(f.PostProcessor))
	last, err := lastPreTokenizer(f.PreTokenizer)
	keep(err)
	keep(m.parseModel(f.Model, last == "ByteLevel"))
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	m.scan = soleScanner(f.PreTokenizer)
	return m.finish(), m.addTokens(f.Added)
}

// addTokens sorts added tokens into those looked for before and after the text
// is normalized.
func (m *Model) addTokens(list []addedToken) error {
	var raw, normal []addedToken
	for _, a := range list {
		if a.ID < 0 || int(a.ID) >= len(m.tokens) || m.tokens[a.ID] == "" { // else the model has spelled it
			if err := m.setToken(a.ID, a.Content); err != nil {
				return err
			}
		}
		if !a.Normalized {
			raw = append(raw, a)
			continue
		}
		if m.normalize != nil {
			var err error
			if a.Content, err = m.normalize(a.Content); err != nil {
				return err
			}
		}
		normal = append(normal, a)
	}
	m.raw, m.normal = newAddedFinder(raw), newAddedFinder(normal)
	return nil
}

// kindOf returns the type of a component, "" when there is none.
func kindOf(raw json.RawMessage) (string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	var c struct {
		component
		Type string
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return "", err
	}
	if c.Type == "" {
		return "", fmt.Errorf("a component has no type: %.60s", raw)
	}
	return c.Type, nil
}

// strict reads a component and refuses settings it does not know: each of them
// could change what is counted.
func strict(raw json.RawMessage, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		kind, _ := kindOf(raw)
		return fmt.Errorf("%s: %w", kind, err)
	}
	return nil
}

// component is what every component has.
type component struct{ Type string }

// flat lists the components of a file, sequences opened. The parts of a sequence stand
// in its field called parts, and it has no other settings.
func flat(raw json.RawMessage, parts string) ([]json.RawMessage, error) {
	kind, err := kindOf(raw)
	if err != nil || kind == "" {
		return nil, err
	}
	if kind != "Sequence" {
		return []json.RawMessage{raw}, nil
	}
	var settings map[string]json.RawMessage
	if err := json.Unmarshal(raw, &settings); err != nil {
		return nil, err
	}
	for name := range settings {
		if name != "type" && name != parts {
			return nil, fmt.Errorf("a Sequence has an unknown field %q", name)
		}
	}
	var inner []json.RawMessage
	if err := json.Unmarshal(settings[parts], &inner); err != nil {
		return nil, fmt.Errorf("%s of a Sequence: %w", parts, err)
	}
	var list []json.RawMessage
	for _, raw := range inner {
		more, err := flat(raw, parts)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}

// parseAll parses the components of a file in their order, sequences opened.
func parseAll[T any](raw json.RawMessage, parts string, parse func(kind string, raw json.RawMessage) (T, error)) ([]T, error) {
	components, err := flat(raw, parts)
	if err != nil {
		return nil, err
	}
	var list []T
	for _, raw := range components {
		kind, err := kindOf(raw)
		if err != nil {
			return nil, err
		}
		one, err := parse(kind, raw)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// lastPreTokenizer returns the type of the last pre-tokenizer. A ByteLevel one
// before others would have them work on its visible characters; no published
// tokenizer does that, and it is refused.
func lastPreTokenizer(raw json.RawMessage) (string, error) {
	list, err := flat(raw, "pretokenizers")
	last := ""
	for i, raw := range list {
		if last, err = kindOf(raw); err != nil {
			return "", err
		}
		if last == "ByteLevel" && i < len(list)-1 {
			return "", errors.New("pre-tokenizer ByteLevel is followed by others: want it last")
		}
	}
	return last, err
}

// soleScanner returns the scanner that does all that the pre-tokenizers do, or
// nil: one known pattern, then bytes.
func soleScanner(raw json.RawMessage) scanner {
	list, err := flat(raw, "pretokenizers")
	if err != nil || len(list) == 0 || len(list) > 2 {
		return nil
	}
	var level struct {
		Type           string
		AddPrefixSpace *bool `json:"add_prefix_space"`
		UseRegex       *bool `json:"use_regex"`
	}
	if json.Unmarshal(list[len(list)-1], &level) != nil || level.Type != "ByteLevel" ||
		level.AddPrefixSpace == nil || *level.AddPrefixSpace {
		return nil
	}
	usesRegex := level.UseRegex == nil || *level.UseRegex
	if len(list) == 1 {
		if usesRegex {
			return scanGPT2
		}
		return nil
	}
	var c splitConfig
	if usesRegex || json.Unmarshal(list[0], &c) != nil || c.Type != "Split" {
		return nil
	}
	return c.scanner()
}

func (m *Model) parseModel(raw json.RawMessage, byteLevel bool) error {
	var head struct {
		Type   string
		Merges json.RawMessage
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	if head.Type == "" && head.Merges != nil {
		head.Type = "BPE" // files written before models had a type
	}
	if byteLevel && head.Type != "BPE" {
		return fmt.Errorf("a %s model after a ByteLevel pre-tokenizer is not known", head.Type)
	}
	switch head.Type {
	case "BPE":
		return m.parseBPE(raw, byteLevel)
	case "WordPiece":
		return m.parseWordPiece(raw)
	case "Unigram":
		return m.parseUnigram(raw)
	}
	return fmt.Errorf("model %q is not known: want BPE, WordPiece or Unigram", head.Type)
}

func (m *Model) parseBPE(raw json.RawMessage, byteLevel bool) error {
	var c struct {
		component
		Dropout      *float64
		Unknown      *string `json:"unk_token"`
		Prefix       *string `json:"continuing_subword_prefix"`
		Suffix       *string `json:"end_of_word_suffix"`
		FuseUnknown  bool    `json:"fuse_unk"`
		ByteFallback bool    `json:"byte_fallback"`
		IgnoreMerges bool    `json:"ignore_merges"`
		Vocab        map[string]int32
		Merges       []json.RawMessage
	}
	if err := strict(raw, &c); err != nil {
		return err
	}
	b := &bpe{vocab: make(map[string]int32, len(c.Vocab)), words: newWordCache(), unknown: none,
		fuseUnknown: c.FuseUnknown, whole: c.IgnoreMerges, prefix: deref(c.Prefix), suffix: deref(c.Suffix)}
	if c.Dropout != nil && *c.Dropout != 0 {
		return fmt.Errorf("BPE: dropout %v makes counts random: want none", *c.Dropout)
	}
	if byteLevel && b.prefix+b.suffix != "" {
		return errors.New("BPE: a byte-level vocabulary with a prefix or suffix is not known")
	}
	spell := func(s string) (string, error) { return s, nil }
	if byteLevel {
		spell = unspell
	}
	for key, id := range c.Vocab {
		text, err := spell(key)
		if err != nil {
			text = key // a special token that is kept in the vocabulary
		} else {
			b.vocab[text] = id
		}
		if err := m.setToken(id, text); err != nil {
			return err
		}
	}
	if u := deref(c.Unknown); u != "" {
		id, ok := c.Vocab[u]
		if !ok {
			return fmt.Errorf("BPE: unk_token %q is not in the vocabulary", u)
		}
		b.unknown = id
	}
	if byteLevel {
		b.bytes = singleBytes(b.vocab)
	} else if c.ByteFallback {
		b.fallback = byteTokens(b.vocab)
	}
	m.model = b
	return b.parseMerges(c.Merges, spell)
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// singleBytes finds the token of each byte.
func singleBytes(vocab map[string]int32) *[256]int32 {
	var table [256]int32
	for b := range table {
		id, ok := vocab[string([]byte{byte(b)})]
		if !ok {
			id = none
		}
		table[b] = id
	}
	return &table
}

// parseMerges reads merges in both spellings: "a b" and ["a","b"].
func (m *bpe) parseMerges(list []json.RawMessage, spell func(string) (string, error)) error {
	for rank, raw := range list {
		var pair [2]string
		var line string
		if err := json.Unmarshal(raw, &line); err == nil {
			left, right, ok := strings.Cut(line, " ")
			if !ok {
				return fmt.Errorf("merge %d: got %q, want two parts", rank, line)
			}
			pair = [2]string{left, right}
		} else if err := json.Unmarshal(raw, &pair); err != nil {
			return fmt.Errorf("merge %d: %w", rank, err)
		}
		left, errLeft := spell(pair[0])
		right, errRight := spell(pair[1])
		if err := errors.Join(errLeft, errRight); err != nil {
			return fmt.Errorf("merge %d: %w", rank, err)
		}
		if err := m.addMerge(left, right, rank); err != nil {
			return err
		}
	}
	return nil
}

func (m *Model) parseWordPiece(raw json.RawMessage) error {
	c := struct {
		component
		Unknown  string `json:"unk_token"`
		Prefix   string `json:"continuing_subword_prefix"`
		MaxRunes int    `json:"max_input_chars_per_word"`
		Vocab    map[string]int32
	}{MaxRunes: 100, Prefix: "##", Unknown: "[UNK]"}
	if err := strict(raw, &c); err != nil {
		return err
	}
	for key, id := range c.Vocab {
		if err := m.setToken(id, key); err != nil {
			return err
		}
	}
	w, err := newWordPiece(c.Vocab, c.Prefix, c.Unknown, c.MaxRunes)
	m.model = w
	return err
}

func (m *Model) parseUnigram(raw json.RawMessage) error {
	c := struct {
		component
		Unknown      *int32 `json:"unk_id"`
		ByteFallback bool   `json:"byte_fallback"`
		Vocab        []pieceScore
	}{}
	if err := strict(raw, &c); err != nil {
		return err
	}
	vocab := make([]scoredToken, len(c.Vocab))
	for i, v := range c.Vocab {
		vocab[i] = scoredToken(v)
		if err := m.setToken(int32(i), v.text); err != nil {
			return err
		}
	}
	unknown := none
	if c.Unknown != nil {
		unknown = *c.Unknown
	}
	u, err := newUnigram(vocab, unknown, c.ByteFallback)
	m.model = u
	return err
}

// pieceScore is written ["text", -3.5].
type pieceScore scoredToken

func (p *pieceScore) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&p.text, &p.score})
}
