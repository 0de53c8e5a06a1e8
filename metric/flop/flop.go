// Package flop says how many floating-point operations a token costs in training,
// by each of the conventions in use, and what accelerators are said to do at most.
//
// Conventions differ by tens of percent and published peaks by two, so that a share
// of the peak means nothing without both: whoever prints one prints their names
// beside it. The package holds figures and formulas; it knows no run.
package flop

import (
	"assay/plan"
	"assay/spec"
)

// The conventions, as spec.train.flopConvention names them.
const (
	PaLM       = "palm"
	TorchTitan = "torchtitan"
	Megatron   = "megatron"
)

// PerToken is what one token costs, forward and backward together. Hardware also
// counts what recomputing activations adds: the forward pass once more.
func PerToken(convention string, s spec.ModelShape, recomputed bool) (model, hardware float64) {
	total, embedding := plan.Count(s)
	model = 6 * float64(total) // two for each parameter and pass, and the backward pass is two
	if s.Family != "mlp" {
		model = transformer(convention, s, float64(total), float64(embedding))
	}
	hardware = model
	if recomputed {
		hardware = model * 4 / 3
	}
	return model, hardware
}

func transformer(convention string, s spec.ModelShape, total, embedding float64) float64 {
	l, h := float64(s.Layers), float64(s.Hidden)
	t, v := float64(s.SequenceLength), float64(s.Vocabulary)
	switch convention {
	case TorchTitan:
		// An output that shares the token embedding multiplies by it: only the
		// positions are looked up alone.
		return 6*(total-(embedding-v*h)) + 12*l*h*t
	case Megatron:
		// Matrix products alone, half of the attention, which is causal, and the
		// product with the vocabulary.
		return 6*(12*l*h*h) + 6*l*h*t + 6*h*v
	default:
		return 6*total + 12*l*h*t
	}
}
