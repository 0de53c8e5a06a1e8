package items

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// A Spread says where the noise of a difference comes from: how differently the two
// systems find the items, and how differently each answers one item from sample to
// sample. More items help against both, more samples against the second alone (Miller:
// arXiv 2411.00640).
type Spread struct {
	Between float64 `json:"between"` // ω²: variance over items of the true differences
	WithinA float64 `json:"withinA"` // σ²: variance of one item's scores, mean over items
	WithinB float64 `json:"withinB"`

	SamplesA float64 `json:"samplesA"` // samples of an item, the harmonic mean where they differ
	SamplesB float64 `json:"samplesB"`
}

// FlipSpread is the spread of single right or wrong answers of which so large a share
// changes between two systems that are equally good. What part of it more samples
// would remove cannot be known from single answers.
func FlipSpread(share float64) Spread { return Spread{Between: share, SamplesA: 1, SamplesB: 1} }

// Variance is that of one item's difference with so many samples of each.
func (s Spread) Variance() float64 {
	v := s.Between
	if s.WithinA > 0 {
		v += s.WithinA / s.SamplesA
	}
	if s.WithinB > 0 {
		v += s.WithinB / s.SamplesB
	}
	return v
}

// WithSamples is the spread of an evaluation with k samples of every item from each
// system.
func (s Spread) WithSamples(k int) Spread {
	s.SamplesA, s.SamplesB = float64(k), float64(k)
	return s
}

// Noise is the share of the variance of a difference that comes from sample to sample:
// what a system differs from itself.
func (s Spread) Noise() float64 {
	v := s.Variance()
	if v == 0 {
		return 0
	}
	return 1 - s.Between/v
}

// spreadOf divides the variance of the differences. Where no item was answered twice
// all of it is taken for that between items.
func spreadOf(pairs []Pair, d []float64) Spread {
	var s Spread
	s.WithinA, s.SamplesA = within(pairs, func(p Pair) []float64 { return p.A })
	s.WithinB, s.SamplesB = within(pairs, func(p Pair) []float64 { return p.B })
	if len(d) < 2 {
		return s
	}
	s.Between = math.Max(0, stat.Variance(d, nil)-s.WithinA/s.SamplesA-s.WithinB/s.SamplesB)
	return s
}

// within is the mean variance over samples of one item, and the harmonic mean of
// their number. Items of one sample know nothing of it and are taken for like the others.
func within(pairs []Pair, of func(Pair) []float64) (variance, samples float64) {
	known, inverse := 0.0, 0.0
	for _, p := range pairs {
		scores := of(p)
		inverse += 1 / float64(len(scores))
		if len(scores) > 1 {
			known++
			variance += (stat.Variance(scores, nil) - variance) / known
		}
	}
	return variance, float64(len(pairs)) / inverse
}
