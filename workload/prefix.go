package workload

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
)

// A Prefix says what prompts share at their beginning, so that a server's
// prefix cache finds something. The zero value shares nothing.
type Prefix struct {
	// Tokens is how long the shared beginning is. A shorter prompt shares all
	// but its last token.
	Tokens int

	// Ratio is the shared part of each prompt, instead of Tokens.
	Ratio float64

	// Pool is how many different beginnings there are. Zero means 1.
	Pool int

	// Levels cuts the beginning into so many parts of equal length. Each part
	// is chosen below the one before it, as in system prompt, tenant, document.
	// Zero means 1: no tree.
	Levels int

	// Branch is how many different parts follow each part. It means nothing
	// with one level. Zero means 2.
	Branch int
}

func (p Prefix) withDefaults() Prefix {
	if p.Pool == 0 {
		p.Pool = 1
	}
	if p.Levels == 0 {
		p.Levels = 1
	}
	if p.Branch == 0 {
		p.Branch = 2
	}
	return p
}

func (p Prefix) check() error {
	switch {
	case p.Tokens < 0 || p.Pool < 0 || p.Levels < 0 || p.Branch < 0:
		return fmt.Errorf("prefix %+v: want no number below zero", p)
	case p.Tokens > 0 && p.Ratio > 0:
		return fmt.Errorf("prefix of %d tokens and ratio %v: give one of the two", p.Tokens, p.Ratio)
	case !(p.Ratio >= 0 && p.Ratio < 1):
		return fmt.Errorf("prefix ratio %v: want at least 0 and less than 1", p.Ratio)
	}
	return nil
}

func (p Prefix) shares() bool { return p.Tokens > 0 || p.Ratio > 0 }

// length is how many of a prompt's tokens are shared. At least one is not:
// a prompt that is wholly cached measures nothing but the cache.
func (p Prefix) length(prompt int) int {
	shared := p.Tokens
	if p.Ratio > 0 {
		shared = int(math.Round(p.Ratio * float64(prompt)))
	}
	return min(shared, prompt-1)
}

// text chooses a beginning of n tokens. Two calls that choose the same path get
// the same words, of which a shorter beginning has the first ones.
func (p Prefix) text(b *Builder, rng *rand.Rand, seed uint64, n int) string {
	p = p.withDefaults()
	path := fnv.New64a()
	text := ""
	for level := range p.Levels {
		choices := p.Branch
		if level == 0 {
			choices = p.Pool
		}
		path.Write(binary.BigEndian.AppendUint64(nil, uint64(rng.IntN(choices)))) // a hash takes every write
		node := rand.New(rand.NewPCG(seed, path.Sum64()))
		text, _ = b.Extend(text, node, n*(level+1)/p.Levels)
	}
	return text
}
