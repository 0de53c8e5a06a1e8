package workload

import (
	"errors"
	"math/bits"
	"math/rand/v2"

	"assay/record"
	"assay/workload/dataset"
)

// Rows makes calls from a data set: the rows in an order drawn from the seed,
// each once before any comes again.
type Rows struct {
	seed    uint64
	rows    []dataset.Row
	lengths *Synthetic
	counter Counter
}

var _ Source = (*Rows)(nil)

// NewRows returns a source of calls that asks rows. An answer is as long as its
// row says, else, where opts has a Counter, as the answer that the row gives,
// else as opts draws. Without a Counter the input length is left at 0: unknown.
func NewRows(seed int64, rows []dataset.Row, opts Options) (*Rows, error) {
	if len(rows) == 0 {
		return nil, errors.New("no rows: want at least one")
	}
	lengths, err := New(seed, opts)
	if err != nil {
		return nil, err
	}
	return &Rows{seed: uint64(seed), rows: rows, lengths: lengths, counter: opts.Counter}, nil
}

// Call implements Source.
func (s *Rows) Call(point int32, id int64) record.Call {
	row := s.rows[s.place(uint64(id))]
	call := record.Call{ID: id, Point: point, Prompt: row.Prompt, OutputTokens: int32(row.OutputTokens)}
	if len(row.Messages) > 0 {
		said := append(row.Messages[:len(row.Messages):len(row.Messages)], record.Message{Role: "user", Content: row.Prompt})
		call.Payload = &record.Payload{Messages: said}
	}
	if s.counter != nil {
		for _, m := range row.Messages {
			call.InputTokens += int32(s.counter.Count(m.Content))
		}
		call.InputTokens += int32(s.counter.Count(row.Prompt))
		if call.OutputTokens == 0 && row.Answer != "" {
			call.OutputTokens = int32(s.counter.Count(row.Answer))
		}
	}
	if call.OutputTokens == 0 {
		call.OutputTokens = s.lengths.draw(rand.New(rand.NewPCG(s.seed, uint64(id)))).OutputTokens
	}
	return call
}

// place is the row of call id: pass after pass over the set, each in an order
// of its own. The order is computed and not stored, so that any call can be
// asked for at any time: a Feistel network permutes the next power of four, and
// numbers past the end are sent through again until they fall inside.
func (s *Rows) place(id uint64) uint64 {
	n := uint64(len(s.rows))
	pass, at := id/n, id%n
	half := (bits.Len64(n-1) + 1) / 2
	mask := uint64(1)<<half - 1
	for {
		left, right := at>>half, at&mask
		for round := range uint64(4) {
			left, right = right, left^(scramble(s.seed^scramble(pass)^scramble(right<<3|round))&mask)
		}
		if at = left<<half | right; at < n {
			return at
		}
	}
}

// scramble is the finaliser of SplitMix64.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
