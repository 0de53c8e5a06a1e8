package plan

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"assay/spec"
	"assay/unit"
)

// stepPoints lists the points of training: every world size for every value of the
// knobs that vary, and the plain program on one rank where it is asked for.
func stepPoints(t spec.Train, precision string) ([]Point, error) {
	var list []Point
	for _, first := range settings(t.Vary) {
		for _, second := range settings(t.Across) {
			own, ownPrecision, err := turned(t, precision, "vary", first)
			if err == nil {
				own, ownPrecision, err = turned(own, ownPrecision, "across", second)
			}
			if err != nil {
				return nil, err
			}
			points, err := worldsOf(own, ownPrecision, first, second)
			if err != nil {
				return nil, err
			}
			list = append(list, points...)
		}
	}
	return list, nil
}

// A setting is one value of a knob; the zero setting turns nothing.
type setting struct{ knob, value string }

func settings(v *spec.Vary) []setting {
	if v == nil {
		return []setting{{}}
	}
	var list []setting
	for _, value := range v.Values {
		list = append(list, setting{v.Knob, value})
	}
	return list
}

// worldsOf lists the points of one setting of the knobs.
func worldsOf(t spec.Train, precision string, first, second setting) ([]Point, error) {
	var list []Point
	add := func(ranks int, single bool) error {
		s, err := stepsOf(t, precision, ranks)
		if err != nil {
			return err
		}
		s.Knob, s.Value, s.Across, s.AcrossValue = first.knob, first.value, second.knob, second.value
		name := fmt.Sprintf("ranks=%d", ranks)
		if single {
			s.Parallelism, name = "none", "single"
		}
		if setting := s.Setting(); setting != "" {
			name += " " + setting
		}
		list = append(list, Point{Name: name, Ranks: ranks, Steps: &s})
		return nil
	}
	if t.Single {
		if err := add(1, true); err != nil {
			return nil, err
		}
	}
	for _, ranks := range t.Ranks {
		if err := add(ranks, false); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// shuffleSteps puts the points of training in an order of their own, and leaves the
// others where they are: a machine that warms up from size to size would otherwise
// pass for one that scales badly.
func (p Plan) shuffleSteps(order []int, rng *rand.Rand) {
	var at []int
	for i, index := range order {
		if point, ok := p.PointByIndex(index); ok && point.Kind() == KindSteps {
			at = append(at, i)
		}
	}
	rng.Shuffle(len(at), func(i, j int) { order[at[i]], order[at[j]] = order[at[j]], order[at[i]] })
}

// stepsOf decides the steps of one world.
func stepsOf(t spec.Train, precision string, ranks int) (Steps, error) {
	s := Steps{
		Backend: t.Backend, Device: t.Device, Parallelism: t.Parallelism, Scaling: t.Scaling,
		Shape: Shaped(t.Shape), Precision: precision,
		Accumulation: t.GradientAccumulation, Steps: t.Steps, Warmup: t.WarmupSteps,
		BucketBytes: int64(t.BucketSize), Compression: t.Compression, Optimizer: t.Optimizer,
		Compile: t.Compile, Checkpoint: t.Checkpointing, Loaders: t.LoaderWorkers, LoadAhead: t.LoadAhead,
		Reference: t.Reference == nil || *t.Reference, Interleave: t.Interleave == nil || *t.Interleave,
		TargetLoss: t.TargetLoss, SaveEvery: t.SaveEvery, SaveDir: t.SaveDir, Profile: t.Profile, Emulate: t.Emulate,
	}
	if s.Precision == spec.AsServed {
		s.Precision = "fp32"
	}
	s.GlobalBatch, s.RankBatch = t.BatchSize, t.BatchSize/ranks
	if t.Scaling == spec.ScalingWeak {
		s.GlobalBatch, s.RankBatch = t.BatchSize*ranks, t.BatchSize
	}
	total, _ := Count(s.Shape)
	switch {
	case s.Shape.Parameters > 0 && float64(total) > 2*float64(s.Shape.Parameters):
		return s, fmt.Errorf("spec.train.shape.parameters: got %d, and the least model with a vocabulary of %d has %d; want more, or a smaller vocabulary", s.Shape.Parameters, s.Shape.Vocabulary, total)
	case s.RankBatch*ranks != s.GlobalBatch:
		return s, fmt.Errorf("spec.train.batchSize: got %d for %d ranks with strong scaling, want a multiple of %d: unequal shares would train another model", t.BatchSize, ranks, ranks)
	case s.RankBatch%s.Accumulation != 0:
		return s, fmt.Errorf("spec.train.gradientAccumulation: got %d for %d samples of each of %d ranks, want a divisor", s.Accumulation, s.RankBatch, ranks)
	}
	return s, nil
}

// turned is t with one knob turned, that of the field of spec.train.
func turned(t spec.Train, precision, field string, to setting) (spec.Train, string, error) {
	var err error
	knob, value := to.knob, to.value
	number := func(to *int) {
		var n int
		if n, err = strconv.Atoi(value); err == nil && n < 0 {
			err = fmt.Errorf("%d is below zero", n)
		}
		*to = n
	}
	flag := func(to *bool) { *to, err = strconv.ParseBool(value) }
	word := func(to *string, vocabulary string) {
		*to = value
		err = known(vocabulary, value)
	}
	switch knob {
	case "":
	case "batchSize":
		number(&t.BatchSize)
	case "gradientAccumulation":
		number(&t.GradientAccumulation)
	case "bucketSize":
		t.BucketSize, err = unit.ParseBytes(value)
	case "compression":
		word(&t.Compression, "compressions")
	case "compile":
		flag(&t.Compile)
	case "checkpointing":
		flag(&t.Checkpointing)
	case "loaderWorkers":
		number(&t.LoaderWorkers)
	case "loadAhead":
		number(&t.LoadAhead)
	case "parameters":
		var size unit.Bytes // 100M is written as a size is
		if size, err = unit.ParseBytes(value + "B"); err == nil {
			t.Shape.Parameters = int64(size)
		}
	case "sequenceLength":
		number(&t.Shape.SequenceLength)
	case "precision":
		word(&precision, "precisions")
	case "parallelism":
		word(&t.Parallelism, "parallelisms")
	case "optimizer":
		word(&t.Optimizer, "optimizers")
	default:
		err = fmt.Errorf("no such knob")
	}
	if err != nil {
		return t, precision, fmt.Errorf("spec.train.%s: %s %q: %w", field, knob, value, err)
	}
	if t.BatchSize < 1 || t.GradientAccumulation < 1 || t.Shape.SequenceLength < 1 {
		return t, precision, fmt.Errorf("spec.train.%s: %s %q: want at least 1", field, knob, value)
	}
	return t, precision, nil
}

func known(vocabulary, value string) error {
	for _, word := range spec.Vocabularies[vocabulary] {
		if word == value {
			return nil
		}
	}
	return fmt.Errorf("want one of %v", spec.Vocabularies[vocabulary])
}
