package token

import (
	"errors"
	"math"
	"slices"
	"unicode/utf8"
)

// unigram takes the cover of a text whose tokens have the highest total score
// (Kudo 2018, by Viterbi's algorithm).
type unigram struct {
	vocab    map[string]int32
	scores   []float64
	trie     pairs // (node, byte) → node in rank, token or none in id
	nodes    int32
	unknown  int32
	penalty  float64 // score of an unknown character
	fallback *[256]int32
	single   bool // sums are in single precision, as SentencePiece has them
}

// An unknown character costs this much more than the rarest token, as in
// SentencePiece and in Hugging Face tokenizers.
const unknownPenalty = 10

type scoredToken struct {
	text  string
	score float64
}

func newUnigram(vocab []scoredToken, unknown int32, bytes bool) (*unigram, error) {
	m := &unigram{vocab: make(map[string]int32, len(vocab)), unknown: unknown, penalty: math.Inf(1), nodes: 1}
	if unknown < 0 || int(unknown) >= len(vocab) {
		return nil, errors.New("a Unigram model needs an unk_id inside its vocabulary")
	}
	for id, v := range vocab {
		m.vocab[v.text] = int32(id)
		m.scores = append(m.scores, v.score)
		m.penalty = min(m.penalty, v.score)
		m.insert(v.text, int32(id))
	}
	m.penalty -= unknownPenalty
	if bytes {
		m.fallback = byteTokens(m.vocab)
	}
	return m, nil
}

func (m *unigram) insert(text string, id int32) {
	node := int32(0)
	for i := range len(text) {
		last := i == len(text)-1
		edge := m.trie.get(node, int32(text[i]))
		if edge.rank == never {
			edge = merge{rank: m.nodes, id: none}
			m.nodes++
			m.trie.put(node, int32(text[i]), edge)
		}
		if last {
			m.trie.put(node, int32(text[i]), merge{edge.rank, id})
		}
		node = edge.rank
	}
}

// A step is the best way to reach a place in the text.
type step struct {
	score float64
	from  int32
	id    int32
}

func (m *unigram) append(text string, out []int32) ([]int32, error) {
	path := m.best(text)
	start := len(out)
	for end := int32(len(text)); end > 0; {
		s := path[end]
		if s.id != m.unknown {
			out = append(out, s.id)
			end = s.from
			continue
		}
		from := s.from // a run of unknown characters is one token
		for from > 0 && path[from].id == m.unknown {
			from = path[from].from
		}
		out = m.appendUnknown(text[from:end], out)
		end = from
	}
	slices.Reverse(out[start:])
	return out, nil
}

// appendUnknown adds the ids of unknown text backwards.
func (m *unigram) appendUnknown(text string, out []int32) []int32 {
	if id, ok := m.vocab[text]; ok {
		return append(out, id)
	}
	ids := fallback(m.fallback, text)
	if ids == nil {
		return append(out, m.unknown)
	}
	slices.Reverse(ids)
	return append(out, ids...)
}

func (m *unigram) best(text string) []step {
	path := make([]step, len(text)+1)
	for i := range path {
		path[i].from = none
	}
	for start := 0; start < len(text); {
		_, width := utf8.DecodeRuneInString(text[start:])
		here, single, node := path[start].score, false, int32(0)
		for end := start; end < len(text); {
			edge := m.trie.get(node, int32(text[end]))
			if edge.rank == never {
				break
			}
			node = edge.rank
			end++
			if edge.id == none {
				continue
			}
			path[end].offer(m.sum(here, m.scores[edge.id]), start, edge.id)
			single = single || end-start == width
		}
		if !single {
			path[start+width].offer(m.sum(here, m.penalty), start, m.unknown)
		}
		start += width
	}
	return path
}

func (m *unigram) sum(a, b float64) float64 {
	if m.single {
		return float64(float32(a) + float32(b))
	}
	return a + b
}

func (s *step) offer(score float64, from int, id int32) {
	if s.from == none || score > s.score {
		*s = step{score, int32(from), id}
	}
}
