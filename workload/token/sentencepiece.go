package token

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// The kinds of pieces in a SentencePiece model.
const (
	pieceNormal  = 1
	pieceUnknown = 2
	pieceControl = 3
	pieceUser    = 4
	pieceByte    = 6
)

// meta is the visible blank of SentencePiece.
const meta = "▁"

type spPiece struct {
	text  string
	score float32
	kind  uint64
}

// sentencePiece is what is read of sentencepiece_model.proto. The defaults are
// the proto's.
type sentencePiece struct {
	pieces       []spPiece
	kind         uint64 // 1 Unigram, 2 BPE
	byteFallback bool
	suffix       bool // treat_whitespace_as_suffix
	charsmap     []byte
	dummyPrefix  bool
	trim         bool // remove_extra_whitespaces
	escape       bool // escape_whitespaces
}

func looksLikeSentencePiece(data []byte) bool {
	number, kind, n := protowire.ConsumeTag(data)
	return n > 0 && number == 1 && kind == protowire.BytesType
}

// fields calls f with each field of a message.
func fields(data []byte, f func(number protowire.Number, value uint64, bytes []byte) error) error {
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return protowire.ParseError(n)
		}
		data = data[n:]
		var value uint64
		var raw []byte
		switch kind {
		case protowire.VarintType:
			value, n = protowire.ConsumeVarint(data)
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(data)
			value = uint64(v)
		case protowire.BytesType:
			raw, n = protowire.ConsumeBytes(data)
		default:
			n = protowire.ConsumeFieldValue(number, kind, data)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		data = data[n:]
		if err := f(number, value, raw); err != nil {
			return err
		}
	}
	return nil
}

func (p *spPiece) parse(data []byte) error {
	p.kind = pieceNormal
	return fields(data, func(number protowire.Number, value uint64, raw []byte) error {
		switch number {
		case 1:
			p.text = string(raw)
		case 2:
			p.score = math.Float32frombits(uint32(value))
		case 3:
			p.kind = value
		}
		return nil
	})
}

func (f *sentencePiece) parse(data []byte) error {
	return fields(data, func(number protowire.Number, _ uint64, raw []byte) error {
		switch number {
		case 1:
			var p spPiece
			err := p.parse(raw)
			f.pieces = append(f.pieces, p)
			return err
		case 2:
			return fields(raw, func(number protowire.Number, value uint64, _ []byte) error {
				switch number {
				case 3:
					f.kind = value
				case 24:
					f.suffix = value != 0
				case 35:
					f.byteFallback = value != 0
				}
				return nil
			})
		case 3:
			return fields(raw, func(number protowire.Number, value uint64, raw []byte) error {
				switch number {
				case 2:
					f.charsmap = raw
				case 3:
					f.dummyPrefix = value != 0
				case 4:
					f.trim = value != 0
				case 5:
					f.escape = value != 0
				}
				return nil
			})
		}
		return nil
	})
}

func parseSentencePiece(data []byte) (*Model, error) {
	f := &sentencePiece{kind: 1, dummyPrefix: true, trim: true, escape: true}
	if err := f.parse(data); err != nil {
		return nil, fmt.Errorf("SentencePiece model: %w", err)
	}
	if f.suffix || !f.escape {
		return nil, errors.New("SentencePiece model: white space as a suffix or unescaped is not known")
	}
	m := &Model{}
	unknown := none
	var user []addedToken
	for id, p := range f.pieces {
		if err := m.setToken(int32(id), p.text); err != nil {
			return nil, err
		}
		switch {
		case p.text == "" || !utf8.ValidString(p.text) || math.IsNaN(float64(p.score)):
			return nil, fmt.Errorf("piece %d: got %q with score %v, want text and a number", id, p.text, p.score)
		case p.kind == pieceUnknown:
			unknown = int32(id)
		case p.kind == pieceUser:
			user = append(user, addedToken{ID: int32(id), Content: p.text})
		case p.kind != pieceNormal && p.kind != pieceControl && p.kind != pieceByte:
			return nil, fmt.Errorf("piece %d (%q): its kind %d is not known", id, p.text, p.kind)
		}
	}
	if unknown == none {
		return nil, errors.New("SentencePiece model: it has no unknown piece")
	}
	chars, err := newCharsmap(f.charsmap)
	if err != nil {
		return nil, err
	}
	n := &spNormalizer{chars: chars, user: newAddedFinder(user), trim: f.trim, prefix: f.dummyPrefix}
	m.normalize = pure(n.normalize)
	switch f.kind {
	case 1:
		m.model = f.unigram(unknown)
	case 2:
		m.model, m.normal = f.bpe(unknown), newAddedFinder(user)
	default:
		return nil, fmt.Errorf("SentencePiece model: kind %d is not known, want Unigram or BPE", f.kind)
	}
	m.decoders = []decoder{decodeBytes, func(t []string) []string {
		s := strings.ReplaceAll(strings.Join(t, ""), meta, " ")
		if f.dummyPrefix {
			s = strings.TrimPrefix(s, " ")
		}
		return []string{s}
	}}
	return m.finish(), nil
}

// bytePieces finds the byte pieces, or returns nil where they are not used.
func (f *sentencePiece) bytePieces() *[256]int32 {
	if !f.byteFallback {
		return nil
	}
	vocab := map[string]int32{}
	for id, p := range f.pieces {
		if p.kind == pieceByte {
			vocab[p.text] = int32(id)
		}
	}
	return byteTokens(vocab)
}

// unigram is the same model as Hugging Face's, with sums in single precision.
func (f *sentencePiece) unigram(unknown int32) *unigram {
	m := &unigram{vocab: map[string]int32{}, unknown: unknown, nodes: 1, single: true, fallback: f.bytePieces()}
	lowest, highest := float32(math.MaxFloat32), float32(-math.MaxFloat32)
	for _, p := range f.pieces {
		if p.kind == pieceNormal {
			lowest, highest = min(lowest, p.score), max(highest, p.score)
		}
	}
	for id, p := range f.pieces {
		score := float64(p.score)
		if p.kind == pieceUser { // always chosen
			score = float64(float32(len(p.text))*highest - 0.1)
		}
		m.scores = append(m.scores, score)
		if p.kind == pieceNormal || p.kind == pieceUser {
			m.insert(p.text, int32(id))
		}
	}
	m.penalty = float64(lowest - unknownPenalty)
	return m
}

// bpe joins the pair that spells the piece with the highest score. A character
// that is no piece of its own may still be joined to one, so it gets an id past
// the vocabulary for the while.
func (f *sentencePiece) bpe(unknown int32) *spBPE {
	m := &spBPE{size: int32(len(f.pieces)), unknown: unknown}
	m.bpe = bpe{vocab: map[string]int32{}, unknown: none, fallback: f.bytePieces()}
	var order []int32
	for id, p := range f.pieces {
		if p.kind == pieceNormal {
			m.vocab[p.text] = int32(id)
			order = append(order, int32(id))
		}
	}
	for _, id := range order {
		for _, r := range f.pieces[id].text {
			if _, ok := m.vocab[string(r)]; !ok {
				m.vocab[string(r)] = m.size + int32(len(m.loose))
				m.loose = append(m.loose, string(r))
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(f.pieces[b].score, f.pieces[a].score) })
	rank := int32(0)
	for i, id := range order {
		if i > 0 && f.pieces[id].score != f.pieces[order[i-1]].score {
			rank++
		}
		text := f.pieces[id].text
		for k := 1; k < len(text); k++ {
			left, ok := m.vocab[text[:k]]
			right, also := m.vocab[text[k:]]
			if ok && also {
				m.pairs.put(left, right, merge{rank, m.vocab[text]})
			}
		}
	}
	return m
}

type spBPE struct {
	bpe
	size    int32
	loose   []string // characters that are no piece: ids from size on
	unknown int32
}

func (m *spBPE) append(word string, out []int32) ([]int32, error) {
	start := len(out)
	for i, r := range word {
		text := word[i : i+utf8.RuneLen(r)]
		id, ok := m.vocab[text]
		if !ok {
			id = m.size + int32(len(m.loose)) + r // joins nothing
		}
		out = append(out, id)
	}
	ids := out[start : start+m.pairs.join(out[start:])]
	if !slices.ContainsFunc(ids, func(id int32) bool { return id >= m.size }) {
		return out[:start+len(ids)], nil
	}
	known := make([]int32, 0, len(ids)+8)
	wasUnknown := false
	for _, id := range ids {
		if id < m.size {
			known, wasUnknown = append(known, id), false
			continue
		}
		if bytes := fallback(m.fallback, m.text(id)); bytes != nil {
			known, wasUnknown = append(known, bytes...), false
		} else if !wasUnknown {
			known, wasUnknown = append(known, m.unknown), true
		}
	}
	return append(out[:start], known...), nil
}

// text is the character behind an id past the vocabulary.
func (m *spBPE) text(id int32) string {
	id -= m.size
	if int(id) < len(m.loose) {
		return m.loose[id]
	}
	return string(rune(id - int32(len(m.loose))))
}
