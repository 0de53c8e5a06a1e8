package token

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"
)

// A model turns one word into ids.
type model interface {
	append(word string, out []int32) ([]int32, error)
}

// A Model is a tokenizer whose file has been read into memory.
type Model struct {
	name, digest string

	raw       *addedFinder // added tokens of the text as it is
	normalize normalizer   // nil for none
	normal    *addedFinder // added tokens of the text as normalized
	splitters []splitter
	scan      scanner // instead of splitters, where one scanner does it all
	model     model
	decoders  []decoder

	tokens        []string // by id; "" for a hole
	before, after []int32  // what a template puts around a text
	scratch       *sync.Pool
}

var _ Tokenizer = (*Model)(nil)

// Name implements Tokenizer.
func (m *Model) Name() string { return m.name }

// Digest implements Tokenizer.
func (m *Model) Digest() string { return m.digest }

// Size is the number of ids, holes included.
func (m *Model) Size() int { return len(m.tokens) }

// Encode implements Tokenizer.
func (m *Model) Encode(text string) ([]int32, error) {
	return m.append(text, make([]int32, 0, len(text)/3+8))
}

// Count implements Tokenizer.
func (m *Model) Count(text string) (int, error) {
	room := m.scratch.Get().(*[]int32)
	defer m.scratch.Put(room)
	ids, err := m.append(text, (*room)[:0])
	if err != nil {
		return 0, err
	}
	*room = ids
	return len(ids), nil
}

// Decode implements Tokenizer.
func (m *Model) Decode(ids []int32) (string, error) {
	parts := make([]string, len(ids))
	for i, id := range ids {
		if id < 0 || int(id) >= len(m.tokens) || m.tokens[id] == "" {
			return "", fmt.Errorf("tokenizer %s: id %d is not in its vocabulary", m.name, id)
		}
		parts[i] = m.tokens[id]
	}
	for _, d := range m.decoders {
		parts = d(parts)
	}
	return strings.ToValidUTF8(strings.Join(parts, ""), "\uFFFD"), nil
}

// WithSpecials is the same tokenizer, adding to each text the tokens that its
// template puts around it, such as the one for the beginning. A server that
// completes plain text counts these too.
func (m *Model) WithSpecials() Tokenizer {
	if len(m.before)+len(m.after) == 0 {
		return m
	}
	return withSpecials{m}
}

type withSpecials struct{ *Model }

func (m withSpecials) Encode(text string) ([]int32, error) {
	ids, err := m.append(text, append([]int32(nil), m.before...))
	return append(ids, m.after...), err
}

func (m withSpecials) Count(text string) (int, error) {
	n, err := m.Model.Count(text)
	return n + len(m.before) + len(m.after), err
}

// maxText keeps places in a text inside an int32.
const maxText = 1 << 30

func (m *Model) append(text string, out []int32) ([]int32, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("tokenizer %s: a text of %d bytes is too long, want at most %d", m.name, len(text), maxText)
	}
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	if m.raw.empty {
		return m.appendPart(text, true, out)
	}
	err := m.raw.each(text, func(part string, at int) (err error) {
		out, err = m.appendPart(part, at == 0, out)
		return err
	}, func(id int32) { out = append(out, id) })
	return out, err
}

func (m *Model) appendPart(text string, start bool, out []int32) ([]int32, error) {
	if m.normalize != nil {
		var err error
		if text, err = m.normalize(text); err != nil {
			return nil, err
		}
	}
	if m.normal.empty {
		return m.appendNormal(text, start, out)
	}
	err := m.normal.each(text, func(part string, at int) (err error) {
		out, err = m.appendNormal(part, start && at == 0, out)
		return err
	}, func(id int32) { out = append(out, id) })
	return out, err
}

func (m *Model) appendNormal(text string, start bool, out []int32) (_ []int32, err error) {
	if m.scan != nil {
		for text != "" && err == nil {
			n := m.scan(text)
			out, err = m.model.append(text[:n], out)
			text = text[n:]
		}
		return out, err
	}
	if text == "" {
		return out, nil
	}
	pieces := []piece{{text, start}}
	for _, split := range m.splitters {
		smaller := make([]piece, 0, len(pieces)+len(text)/4)
		for _, p := range pieces {
			if smaller, err = split(p, smaller); err != nil {
				return nil, err
			}
		}
		pieces = smaller
	}
	for _, p := range pieces {
		if out, err = m.model.append(p.text, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// finish fills in what every format needs.
func (m *Model) finish() *Model {
	if m.raw == nil {
		m.raw = newAddedFinder(nil)
	}
	if m.normal == nil {
		m.normal = newAddedFinder(nil)
	}
	m.scratch = &sync.Pool{New: func() any { return new([]int32) }}
	return m
}

// maxID bounds the table of tokens: a file may not ask for more memory than any
// real vocabulary needs.
const maxID = 1 << 24

// setToken records the text of an id.
func (m *Model) setToken(id int32, text string) error {
	if id < 0 || id >= maxID {
		return fmt.Errorf("id %d of %q: want 0 to %d", id, text, maxID-1)
	}
	if int(id) >= len(m.tokens) {
		m.tokens = append(m.tokens, make([]string, int(id)+1-len(m.tokens))...)
	}
	m.tokens[id] = text
	return nil
}
