// Package workload decides what to ask. Given a seed it always decides the same:
// call number i of a point is the same call in every run of the same plan,
// whichever user or shard comes to send it.
//
// When to ask belongs to arrival schedules, how to ask to package target.
package workload

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"assay/record"
)

// A Length is one shape of call and its share of all calls.
type Length struct {
	InputTokens, OutputTokens int32
	Weight                    float64
}

// A Synthetic makes calls of given lengths from nothing but a seed. Each prompt
// opens differently, so that no two share a prefix a server could have cached.
type Synthetic struct {
	seed    uint64
	lengths []Length
	total   float64
}

// NewSynthetic returns a source of calls with the given mix of lengths.
func NewSynthetic(seed int64, lengths []Length) (*Synthetic, error) {
	s := &Synthetic{seed: uint64(seed), lengths: lengths}
	for _, l := range lengths {
		if l.Weight <= 0 || l.InputTokens < 1 || l.OutputTokens < 1 {
			return nil, fmt.Errorf("length %d in, %d out, weight %v: want all above zero", l.InputTokens, l.OutputTokens, l.Weight)
		}
		s.total += l.Weight
	}
	if len(lengths) == 0 {
		return nil, fmt.Errorf("no lengths: want at least one entry in workload.sequenceLengthMix")
	}
	return s, nil
}

// Call is call number id of a point.
func (s *Synthetic) Call(point int32, id int64) record.Call {
	rng := rand.New(rand.NewPCG(s.seed, uint64(id)))
	length := s.draw(rng)
	return record.Call{
		ID:           id,
		Point:        point,
		Prompt:       prompt(rng, int(length.InputTokens)),
		InputTokens:  length.InputTokens,
		OutputTokens: length.OutputTokens,
	}
}

func (s *Synthetic) draw(rng *rand.Rand) Length {
	at := rng.Float64() * s.total
	for _, l := range s.lengths {
		if at -= l.Weight; at < 0 {
			return l
		}
	}
	return s.lengths[len(s.lengths)-1]
}

// words are short and common: nearly every vocabulary holds each of them, with
// its leading space, as one token. Without the target's tokenizer a prompt of n
// words is the closest that can be built to n tokens; how many it really had is
// what the server reports.
var words = strings.Fields(`the of and to in is you that it he was for on are as with his they
at be this have from or one had by word but not what all were we when your can said there use an each
which she do how their if will up other about out many then them these so some her would make like him
into time has look two more write go see number no way could people my than first water been call who oil
its now find long down day did get come made may part over new sound take only little work know place year
live me back give most very after thing our just name good sentence man think say great where help through
much before line right too mean old any same tell boy follow came want show also around form three small
set put end does another well large must big even such because turn here why ask went men read need land
different home us move try kind hand picture again change off play spell air away animal house point page
letter mother answer found study still learn should world`)

func prompt(rng *rand.Rand, tokens int) string {
	var b strings.Builder
	b.Grow(tokens * 6)
	for i := range tokens {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(words[rng.IntN(len(words))])
	}
	return b.String()
}
