package stats

import (
	"math/rand/v2"
	"slices"
)

// replicatesAsked are samples with replicates of their means.
func replicatesAsked(rng *rand.Rand) (inputs []parityInput) {
	for i := range 12 {
		in := parityInput{A: drawSample(rng, i, 20+rng.IntN(40), 1), N: []float64{[]float64{.95, .99, .8}[i%3]}}
		again := make([]float64, len(in.A))
		for range 500 {
			for j := range again {
				again[j] = in.A[rng.IntN(len(in.A))]
			}
			in.B = append(in.B, meanOf(again))
		}
		inputs = append(inputs, in)
	}
	return inputs
}

var bootstrapParity = []parityRow{
	{name: "bcaMean", inputs: replicatesAsked, answer: func(in parityInput) ([]float64, error) {
		ends, err := bcaInterval(meanOf(in.A), slices.Sorted(slices.Values(in.B)), jackknife(in.A, meanOf), in.N[0])
		return []float64{ends.Lo, ends.Hi}, err
	}},
}
