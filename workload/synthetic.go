// Package workload decides what to ask. Given a seed it always decides the same:
// call number i of a point is the same call in every run of the same plan,
// whichever user or shard comes to send it.
//
// When to ask belongs to arrival schedules, how to ask to package target.
package workload

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"assay/record"
	"assay/spec"
	"assay/workload/scenario"
)

// A Source decides calls: call number id of a point is always the same.
type Source interface {
	Call(point int32, id int64) record.Call
}

var _ Source = (*Synthetic)(nil)

// A Length is one shape of call and its share of all calls.
type Length struct {
	InputTokens, OutputTokens int32
	Weight                    float64
}

// Options says how a Synthetic makes calls. The zero value of all but Lengths is
// ready to use.
type Options struct {
	// Lengths is the mix of shapes. It is not used when Scenario is set.
	Lengths []Length

	// Spread is how lengths spread around those of the mix.
	Spread Spread

	// Scenario draws the lengths instead of Lengths and Spread. It must be one
	// of text to text.
	Scenario scenario.Scenario

	// Prefix is what prompts share. By default each prompt opens differently, so
	// that no two share a prefix a server could have cached.
	Prefix Prefix

	// Counter counts tokens. Nil counts words.
	Counter Counter

	// Of rows of a data set: the task, text-to-text when empty; the tokens of text
	// that go with an image, 0 for 32; those of the answer about it, 0 for as many
	// as the server likes; and who speaks.
	Task         string
	PromptTokens int
	OutputTokens int
	Voice        string
}

// A Synthetic makes calls of given lengths from nothing but a seed.
type Synthetic struct {
	seed    uint64
	opts    Options
	builder *Builder
	total   float64
}

// NewSynthetic returns a source of calls with the given mix of lengths.
func NewSynthetic(seed int64, lengths []Length) (*Synthetic, error) {
	return New(seed, Options{Lengths: lengths})
}

// New returns a source of calls as opts says.
func New(seed int64, opts Options) (*Synthetic, error) {
	s := &Synthetic{seed: uint64(seed), opts: opts, builder: NewBuilder(opts.Counter)}
	if err := errors.Join(opts.Spread.Check(), opts.Prefix.check()); err != nil {
		return nil, err
	}
	if opts.Scenario.Kind != "" {
		if !slices.Contains(opts.Scenario.Tasks(), spec.TextToText) || opts.Scenario.Kind == scenario.Dataset {
			return nil, fmt.Errorf("scenario %s: want D, N or U for text to text", opts.Scenario)
		}
		return s, nil
	}
	for _, l := range opts.Lengths {
		if l.Weight <= 0 || l.InputTokens < 1 || l.OutputTokens < 1 {
			return nil, fmt.Errorf("length %d in, %d out, weight %v: want all above zero", l.InputTokens, l.OutputTokens, l.Weight)
		}
		s.total += l.Weight
	}
	if len(opts.Lengths) == 0 {
		return nil, fmt.Errorf("no lengths: want at least one entry in workload.sequenceLengthMix")
	}
	return s, nil
}

// Call is call number id of a point.
func (s *Synthetic) Call(point int32, id int64) record.Call {
	rng := rand.New(rand.NewPCG(s.seed, uint64(id)))
	length := s.draw(rng)
	want := int(length.InputTokens)
	head := ""
	if s.opts.Prefix.shares() {
		head = s.opts.Prefix.text(s.builder, rng, s.seed, s.opts.Prefix.length(want))
	}
	text, count := s.builder.Extend(head, rng, want)
	return record.Call{
		ID:           id,
		Point:        point,
		Prompt:       text,
		InputTokens:  int32(count),
		OutputTokens: length.OutputTokens,
	}
}

// draw decides the lengths of one call.
func (s *Synthetic) draw(rng *rand.Rand) Length {
	if s.opts.Scenario.Kind != "" {
		shape := s.opts.Scenario.Draw(rng)
		return Length{InputTokens: int32(shape.Input), OutputTokens: int32(shape.Output)}
	}
	l := s.pick(rng)
	l.InputTokens = s.opts.Spread.Draw(rng, l.InputTokens)
	l.OutputTokens = s.opts.Spread.Draw(rng, l.OutputTokens)
	return l
}

// pick chooses a shape of the mix.
func (s *Synthetic) pick(rng *rand.Rand) Length {
	at := rng.Float64() * s.total
	for _, l := range s.opts.Lengths {
		if at -= l.Weight; at < 0 {
			return l
		}
	}
	return s.opts.Lengths[len(s.opts.Lengths)-1]
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
