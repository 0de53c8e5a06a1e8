package stats

import (
	"math"
	"math/rand/v2"
)

// seriesOf makes count series of least to most values that depend on each other
// more and more, every second one with a slope, with numbers to ask with.
func seriesOf(count, least, most int, numbers ...[]float64) func(*rand.Rand) []parityInput {
	return func(rng *rand.Rand) (inputs []parityInput) {
		for i := range count {
			// An even number of different values has none at its median, where the
			// others count a tie as above and we leave it out.
			xs := autoregressive(rng, least+2*rng.IntN((most-least)/2+1), float64(i%5)/6)
			for k := range xs {
				xs[k] = 50 + xs[k] + .01*float64(i%2*k)
			}
			in := parityInput{A: xs}
			if len(numbers) > 0 {
				in.N = numbers[i%len(numbers)]
			}
			inputs = append(inputs, in)
		}
		return inputs
	}
}

var seriesParity = []parityRow{
	{name: "ljungBox", inputs: seriesOf(40, 30, 300, []float64{1}, []float64{5}, []float64{20}), answer: func(in parityInput) ([]float64, error) {
		r, err := LjungBox(in.A, int(in.N[0]))
		return []float64{r.Statistic, r.P}, err
	}},
	{name: "waldWolfowitz", inputs: seriesOf(40, 10, 200), answer: func(in parityInput) ([]float64, error) {
		r, err := WaldWolfowitz(in.A)
		return []float64{r.Statistic, r.P}, err
	}},
	{name: "kpss", inputs: seriesOf(40, 50, 300, []float64{0, 4}, []float64{1, 4}, []float64{0, 0}, []float64{1, 12}), answer: func(in parityInput) ([]float64, error) {
		r, err := KPSS(in.A, in.N[0] > 0, int(in.N[1]))
		return []float64{r.Statistic, r.P}, err
	}},
	{name: "kpssLegacyLags", inputs: seriesOf(20, 50, 400), answer: func(in parityInput) ([]float64, error) {
		r, err := KPSS(in.A, false, -1)
		return []float64{r.Statistic, r.P, math.Ceil(12 * math.Pow(float64(len(in.A))/100, .25))}, err
	}},
	{name: "effectiveNeweyWest", inputs: seriesOf(40, 20, 400), answer: func(in parityInput) ([]float64, error) {
		return one(EffectiveNeweyWest(in.A).Size)
	}},
}
