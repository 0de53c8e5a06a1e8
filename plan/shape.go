package plan

import (
	"math"

	"assay/spec"
)

// Count is how many parameters a model of shape s has, and how many of them only
// look tokens and positions up.
//
// The transformer is decoder-only with learned positions, biases and an output
// that shares the token embedding: V·h + T·h + L·(12h² + 13h) + 2h. The MLP is L
// square layers without biases: L·h².
func Count(s spec.ModelShape) (total, embedding int64) {
	l, h := int64(s.Layers), int64(s.Hidden)
	if s.Family == "mlp" {
		return l * h * h, 0
	}
	embedding = (int64(s.Vocabulary) + int64(s.SequenceLength)) * h
	return embedding + l*(12*h*h+13*h) + 2*h, embedding
}

// Shaped is s with layers, width and heads that give about the wanted number of
// parameters; s itself where none is wanted.
func Shaped(s spec.ModelShape) spec.ModelShape {
	if s.Parameters <= 0 {
		return s
	}
	best, least := s, math.Inf(1)
	best.Hidden, best.Heads, best.Layers = narrowest, max(1, narrowest/headWidth), 1 // where even this is too much
	for hidden := narrowest; hidden <= 1<<16; hidden += 64 {
		one := s
		one.Hidden, one.Heads, one.Layers = hidden, max(1, hidden/headWidth), 1
		first, _ := Count(one)
		one.Layers = 2
		second, _ := Count(one)
		one.Layers = int(math.Round(float64(s.Parameters-first)/float64(second-first))) + 1
		if one.Layers < 1 {
			break // even one layer of this width is too much
		}
		total, _ := Count(one)
		off := math.Abs(float64(total)/float64(s.Parameters) - 1)
		aspect := math.Abs(math.Log(float64(hidden) / float64(one.Layers) / usualAspect))
		// Two percent off are as good as none; beyond, nearness counts more than shape.
		if cost := aspect + 50*max(0, off-.02); cost < least {
			best, least = one, cost
		}
	}
	return best
}

// Published models of some size have heads of 64 to 128 and about 100 columns for
// each layer.
const (
	headWidth   = 64
	usualAspect = 96
	narrowest   = 64
)
