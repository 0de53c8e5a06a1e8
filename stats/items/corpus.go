package items

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"assay/stats"
)

// The methods of scores of a whole corpus.
const (
	RandomizationMethod   = "approximate-randomization"
	CorpusBootstrapMethod = "paired-bootstrap/percentile"
)

// A Corpus is a score that no item has of its own, such as BLEU: it is computed from
// the sums of statistics of the segments, and so its tests resample those.
type Corpus struct {
	// Score turns sums of statistics into the score. It must not keep its argument.
	Score func(sums []float64) float64

	Trials int   // zero means 10,000
	Seed   int64 // of the random numbers
}

// Segment is the statistics of a segment that was answered several times: their mean, since
// the answers of one item are no segments of their own.
func Segment(samples [][]float64) []float64 {
	if len(samples) == 0 {
		return nil
	}
	mean := make([]float64, len(samples[0]))
	for _, s := range samples {
		for j := range mean {
			mean[j] += s[j] / float64(len(samples))
		}
	}
	return mean
}

// Of is the score of segments.
func (c Corpus) Of(rows [][]float64) float64 { return c.Score(sumsOf(rows)) }

const (
	usualTrials    = 10_000
	fewestSegments = 20

	// corpusStream keeps these random numbers apart from those that others draw from the
	// same seed.
	corpusStream = 0x636f7270
)

// Randomization tests whether two systems score differently: under the hypothesis each
// segment could as well have been translated by the other (Noreen 1989; Riezler and
// Maxwell 2005). a[i] and b[i] are the statistics of segment i. Statistic is the
// difference b − a; P counts the observed arrangement, so that it is never zero.
func (c Corpus) Randomization(a, b [][]float64) (stats.Test, error) {
	if err := needSegments(a, b); err != nil {
		return stats.Test{}, err
	}
	sumA, sumB := sumsOf(a), sumsOf(b)
	observed := c.Score(sumB) - c.Score(sumA)
	rng, as, extreme := c.rng(), make([]float64, len(sumA)), 0
	bs := make([]float64, len(sumA))
	for range c.trials() {
		copy(as, sumA)
		copy(bs, sumB)
		bits := uint64(0)
		for i := range a {
			if i%64 == 0 {
				bits = rng.Uint64()
			}
			if bits>>(i%64)&1 == 0 {
				continue
			}
			for j := range as {
				moved := b[i][j] - a[i][j]
				as[j] += moved
				bs[j] -= moved
			}
		}
		if math.Abs(c.Score(bs)-c.Score(as)) > math.Abs(observed) {
			extreme++
		}
	}
	return stats.Test{Statistic: observed, P: share(extreme, c.trials()), Method: RandomizationMethod}, nil
}

// A CorpusDifference is by how much two systems' scores of one corpus differ.
type CorpusDifference struct {
	A, B       stats.Estimate
	Difference stats.Estimate

	// Test is that of the paired bootstrap: how often the resampled difference strays
	// from its own mean by more than what was observed (Koehn 2004, as in sacrebleu).
	Test stats.Test

	differences []float64 // resampled, sorted
}

// Bootstrap draws segments again, the same for both systems. Its intervals are of the
// percentiles.
func (c Corpus) Bootstrap(a, b [][]float64, confidence float64) (CorpusDifference, error) {
	if err := needSegments(a, b); err != nil {
		return CorpusDifference{}, err
	}
	if !(confidence > 0 && confidence < 1) {
		return CorpusDifference{}, fmt.Errorf("confidence %v: want between 0 and 1", confidence)
	}
	scoreA, scoreB := c.Of(a), c.Of(b)
	as, bs, ds := c.resample(a, b)
	mean := 0.0
	for _, d := range ds {
		mean += math.Abs(d) / float64(len(ds))
	}
	extreme := 0
	for _, d := range ds {
		if math.Abs(d)-mean > math.Abs(scoreB-scoreA) {
			extreme++
		}
	}
	estimate := func(value float64, replicates []float64) stats.Estimate {
		slices.Sort(replicates)
		return stats.Estimate{Value: value, Interval: percentiles(replicates, confidence), Confidence: confidence, N: len(a), Method: CorpusBootstrapMethod}
	}
	d := CorpusDifference{A: estimate(scoreA, as), B: estimate(scoreB, bs), Difference: estimate(scoreB-scoreA, ds), differences: ds}
	d.Test = stats.Test{Statistic: scoreB - scoreA, P: share(extreme, c.trials()), Method: CorpusBootstrapMethod}
	return d, nil
}

// Bounds hold with confidence 1 − alpha each: the systems are equivalent when both lie
// within the margin.
func (d CorpusDifference) Bounds(alpha float64) stats.Interval {
	return percentiles(d.differences, 1-2*alpha)
}

func (c Corpus) resample(a, b [][]float64) (as, bs, ds []float64) {
	rng := c.rng()
	sumA, sumB := make([]float64, len(a[0])), make([]float64, len(a[0]))
	for range c.trials() {
		clear(sumA)
		clear(sumB)
		for range a {
			i := rng.IntN(len(a))
			for j := range sumA {
				sumA[j] += a[i][j]
				sumB[j] += b[i][j]
			}
		}
		scoreA, scoreB := c.Score(sumA), c.Score(sumB)
		as, bs, ds = append(as, scoreA), append(bs, scoreB), append(ds, scoreB-scoreA)
	}
	return as, bs, ds
}

func (c Corpus) trials() int {
	if c.Trials == 0 {
		return usualTrials
	}
	return c.Trials
}

func (c Corpus) rng() *rand.Rand { return rand.New(rand.NewPCG(uint64(c.Seed), corpusStream)) }

// share is that of trials as extreme as the observation, which counts as one of them
// (Phipson and Smyth 2010).
func share(extreme, trials int) float64 { return float64(extreme+1) / float64(trials+1) }

// percentiles are the ends of the middle of sorted replicates.
func percentiles(sorted []float64, confidence float64) stats.Interval {
	cut := int((1 - confidence) / 2 * float64(len(sorted)))
	return stats.Interval{Lo: sorted[cut], Hi: sorted[len(sorted)-1-cut]}
}

func sumsOf(rows [][]float64) []float64 {
	sums := make([]float64, len(rows[0]))
	for _, row := range rows {
		for j, v := range row {
			sums[j] += v
		}
	}
	return sums
}

func needSegments(a, b [][]float64) error {
	if len(a) != len(b) {
		return fmt.Errorf("%d and %d segments: want the same ones from both systems", len(a), len(b))
	}
	if len(a) < fewestSegments {
		return fmt.Errorf("%d segments: want %d at least to draw again from", len(a), fewestSegments)
	}
	for i := range a {
		if len(a[i]) != len(a[0]) || len(b[i]) != len(a[0]) {
			return fmt.Errorf("segment %d has %d and %d statistics, the first one %d: want as many everywhere", i, len(a[i]), len(b[i]), len(a[0]))
		}
	}
	return nil
}
