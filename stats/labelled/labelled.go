// Package labelled makes series whose shape is known, to try detectors of steady
// state on. It is for calibration and tests; nothing that judges a run uses it.
//
// Sizes are in noises of a batch mean, a batch being a fiftieth of the series:
// that is what makes a change hard or easy to see, whatever the length. They begin
// at three, below which no detector can be right nineteen times in twenty, and
// each change is at least three hundredths of the level, so that it matters.
package labelled

import (
	"math"
	"math/rand/v2"

	"assay/stats"
)

// A Series is values in the order of time with what is true of them.
type Series struct {
	Shape  stats.Shape
	Values []float64
	Kind   string  // which variety of the shape
	Noise  string  // which noise lies on it
	Size   float64 // of the change, in noises of a batch mean
	Warm   int     // where a warm-up ends; 0 without one
}

const (
	batches  = 50
	level    = 100.
	relevant = .03 // of the level
	least    = 3.  // noises of a batch mean
	most     = 30.
)

// Set makes count series, of every shape alike, from a seed.
func Set(count int, seed uint64) []Series {
	rng := rand.New(rand.NewPCG(seed, 0x57ead))
	list := make([]Series, count)
	for i := range list {
		list[i] = one(rng, stats.Shapes[i%len(stats.Shapes)])
	}
	return list
}

func one(rng *rand.Rand, shape stats.Shape) Series {
	n := int(logUniform(rng, 200, 10000))
	s := Series{Shape: shape, Values: make([]float64, n)}
	sigma := level * logUniform(rng, .005, .03) // of a batch mean
	s.Size = max(logUniform(rng, least, most), relevant*level/sigma)
	change := s.Size * sigma
	if rng.IntN(4) == 0 {
		change = -min(change, level/2) // a level stays above zero
		s.Size = -change / sigma
	}
	curve := s.draw(rng, change)
	noise := s.noise(rng, sigma)
	grows := rng.IntN(2) == 0
	if grows {
		s.Noise += ", grows with the level"
	}
	for i := range s.Values {
		now := level + curve((float64(i)+.5)/float64(n))
		if grows {
			noise[i] *= now / level
		}
		s.Values[i] = now + noise[i]
	}
	return s
}

// draw chooses a variety of the series' shape: what is added to the level at a
// share t of the series.
func (s *Series) draw(rng *rand.Rand, change float64) func(t float64) float64 {
	switch s.Shape {
	case stats.WarmUp:
		return s.warmUp(rng, change)
	case stats.Drift:
		return s.afterWarmUp(rng, change, s.drift(rng, change))
	case stats.Step:
		at := uniform(rng, .4, .85)
		s.Kind = "step"
		return s.afterWarmUp(rng, change, func(t float64) float64 {
			if t < at {
				return 0
			}
			return change
		})
	case stats.Cyclic:
		return s.cycle(rng, change)
	case stats.NeverSteady:
		return s.restless(rng, change)
	}
	s.Kind, s.Size = "plain", 0
	if rng.IntN(3) > 0 {
		return func(float64) float64 { return 0 }
	}
	s.Kind = "drift that does not matter"
	small := level * .01 * (2*rng.Float64() - 1)
	return func(t float64) float64 { return small * t }
}

// warmUp stands change off the level on average until it ends.
func (s *Series) warmUp(rng *rand.Rand, change float64) func(t float64) float64 {
	end := uniform(rng, .06, .3)
	s.Warm = int(end * float64(len(s.Values)))
	switch rng.IntN(3) {
	case 0:
		s.Kind = "decay"
		scale := 3 / (1 - math.Exp(-3))
		return func(t float64) float64 { return change * scale * math.Exp(-3*t/end) }
	case 1:
		s.Kind = "ramp"
		return func(t float64) float64 { return 2 * change * max(0, 1-t/end) }
	}
	s.Kind = "slow start"
	return func(t float64) float64 {
		if t < end {
			return change
		}
		return 0
	}
}

// afterWarmUp puts a warm-up before every fifth curve.
func (s *Series) afterWarmUp(rng *rand.Rand, change float64, curve func(float64) float64) func(t float64) float64 {
	if rng.IntN(5) > 0 {
		return curve
	}
	kind := s.Kind
	first := s.warmUp(rng, math.Abs(change))
	s.Kind = kind + " after warm-up"
	return func(t float64) float64 { return first(t) + curve(t) }
}

func (s *Series) drift(rng *rand.Rand, change float64) func(t float64) float64 {
	if rng.IntN(4) == 0 {
		s.Kind = "slow decay"
		tau := uniform(rng, .5, 1)
		scale := change / (1 - math.Exp(-1/tau))
		return func(t float64) float64 { return scale * (1 - math.Exp(-t/tau)) }
	}
	s.Kind = "slope"
	power := logUniform(rng, .7, 1.8)
	return func(t float64) float64 { return change * math.Pow(t, power) }
}

// cycle swings by change from its lowest to its highest.
func (s *Series) cycle(rng *rand.Rand, change float64) func(t float64) float64 {
	periods, phase := uniform(rng, 3, 10), rng.Float64()
	turn := func(t float64) float64 { _, f := math.Modf(periods*t + phase); return f }
	switch rng.IntN(3) {
	case 0:
		s.Kind = "square"
		return func(t float64) float64 { return change * math.Round(turn(t)) }
	case 1:
		s.Kind = "sawtooth"
		return func(t float64) float64 { return change * turn(t) }
	}
	s.Kind = "sine"
	return func(t float64) float64 { return change / 2 * math.Sin(2*math.Pi*turn(t)) }
}

// restless wanders, or jumps between levels; change is the standard deviation of
// what it does.
func (s *Series) restless(rng *rand.Rand, change float64) func(t float64) float64 {
	const parts = 400
	path := make([]float64, parts)
	if rng.IntN(2) == 0 {
		s.Kind = "random walk"
		for i := 1; i < parts; i++ {
			path[i] = path[i-1] + rng.NormFloat64()
		}
	} else {
		s.Kind = "jumps"
		// At least five levels, each held for a twentieth of the series or longer.
		for i := 0; i < parts; {
			held, height := parts/20+rng.IntN(parts/8), rng.NormFloat64()
			for ; held > 0 && i < parts; held, i = held-1, i+1 {
				path[i] = height
			}
		}
	}
	var sum, squares float64
	for _, v := range path {
		sum += v / parts
	}
	for _, v := range path {
		squares += (v - sum) * (v - sum) / parts
	}
	scale := math.Abs(change) / math.Sqrt(squares)
	return func(t float64) float64 { return scale * (path[int(t*parts)] - sum) }
}

// noise is of the given standard deviation of a batch mean at the level: white or
// autoregressive, normal or skewed, with or without rare outliers.
func (s *Series) noise(rng *rand.Rand, sigma float64) []float64 {
	n := len(s.Values)
	phi := 0.
	s.Noise = "white"
	if rng.IntN(2) == 0 {
		phi = uniform(rng, .2, .7)
		s.Noise = "autoregressive"
	}
	xs := make([]float64, n)
	x := rng.NormFloat64()
	for i := range xs {
		xs[i] = x
		x = phi*x + math.Sqrt(1-phi*phi)*rng.NormFloat64()
	}
	if rng.IntN(3) == 0 {
		s.Noise += ", skewed"
		for i := range xs {
			xs[i] = (math.Exp(.6*xs[i]) - math.Exp(.18)) / .791 // log-normal, of mean 0 and variance 1
		}
	}
	if rng.IntN(5) == 0 {
		s.Noise += ", outliers"
		for i := range xs {
			if rng.IntN(100) == 0 {
				xs[i] += 5
			}
		}
	}
	size := float64(n) / batches
	spread := 1.
	for k := 1.; k < size; k++ {
		spread += 2 * (1 - k/size) * math.Pow(phi, k)
	}
	scale := sigma * math.Sqrt(size/spread)
	for i := range xs {
		xs[i] *= scale
	}
	return xs
}

func uniform(rng *rand.Rand, from, to float64) float64 { return from + (to-from)*rng.Float64() }

func logUniform(rng *rand.Rand, from, to float64) float64 {
	return math.Exp(uniform(rng, math.Log(from), math.Log(to)))
}
