package stats

import (
	"math/rand/v2"
	"slices"
)

// pointsAsked are straight lines with noise and some bad points.
func pointsAsked(rng *rand.Rand) (inputs []parityInput) {
	for i := range 36 {
		in := parityInput{N: []float64{[]float64{.95, .99, .8}[i%3]}}
		for range 8 + rng.IntN(30) {
			x := 10 * rng.Float64()
			if i%4 == 0 {
				x = float64(rng.IntN(6)) // ties
			}
			y := 3 - 2*x + rng.NormFloat64()
			if rng.IntN(8) == 0 {
				y += 50
			}
			in.A, in.B = append(in.A, x), append(in.B, y)
		}
		inputs = append(inputs, in)
	}
	return inputs
}

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

func mixturesAsked(rng *rand.Rand) (inputs []parityInput) {
	for range 36 {
		n, p := 3+rng.IntN(20), 1+rng.IntN(6)
		in := parityInput{}
		for range n {
			for range p {
				in.A = append(in.A, rng.Float64()-.3)
			}
			in.B = append(in.B, rng.NormFloat64()+1)
		}
		if n > p {
			inputs = append(inputs, in)
		}
	}
	return inputs
}

func curvesAsked(rng *rand.Rand) (inputs []parityInput) {
	for range 12 {
		truth := []float64{500 + 1000*rng.Float64(), .02 + .1*rng.Float64(), .001 + .002*rng.Float64()}
		in := parityInput{}
		for x := 1.0; x <= 40; x += 2 {
			in.A, in.B = append(in.A, x), append(in.B, scalability(x, truth)*(1+.01*rng.NormFloat64()))
		}
		inputs = append(inputs, in)
	}
	return inputs
}

// standardErrors undoes the t interval of every parameter.
func standardErrors(f Fit) (errs []float64) {
	for _, p := range f.Parameters {
		errs = append(errs, (p.Interval.Hi-p.Interval.Lo)/2/TQuantile(.975, f.Freedom))
	}
	return errs
}

func valuesOf(f Fit) (values []float64) {
	for _, p := range f.Parameters {
		values = append(values, p.Value)
	}
	return values
}

var fitParity = []parityRow{
	{name: "logMean", inputs: samplesOf(60, 2, 40, confidences...), answer: func(in parityInput) ([]float64, error) {
		est, err := LogMean(in.A, in.N[0])
		return []float64{est.Value, est.Interval.Lo, est.Interval.Hi}, err
	}},
	{name: "harrellDavis", inputs: samplesOf(60, 2, 200, []float64{.5}, []float64{.9}, []float64{.99}, []float64{.05}), answer: func(in parityInput) ([]float64, error) {
		return one(HarrellDavis(in.A, in.N[0]))
	}},
	{name: "bcaMean", inputs: replicatesAsked, answer: func(in parityInput) ([]float64, error) {
		ends, err := bcaInterval(meanOf(in.A), slices.Sorted(slices.Values(in.B)), jackknife(in.A, meanOf), in.N[0])
		return []float64{ends.Lo, ends.Hi}, err
	}},
	{name: "huber", inputs: pointsAsked, answer: func(in parityInput) ([]float64, error) {
		fit, err := Huber(lineRows(in.A), in.B, .95)
		return slices.Concat(valuesOf(fit), standardErrors(fit), []float64{fit.Spread}), err
	}},
	{name: "theilSenLine", inputs: pointsAsked, answer: func(in parityInput) ([]float64, error) {
		line, err := TheilSenLine(in.A, in.B, in.N[0])
		return []float64{line.Slope.Value, line.Intercept, line.Slope.Interval.Lo, line.Slope.Interval.Hi}, err
	}},
	{name: "nonNegative", inputs: mixturesAsked, answer: func(in parityInput) ([]float64, error) {
		var rows [][]float64
		for row := range slices.Chunk(in.A, len(in.A)/len(in.B)) {
			rows = append(rows, row)
		}
		params, left, err := NonNegative(rows, in.B)
		return append(params, left), err
	}},
	// Both searches stop where the sum of squares no longer falls, which happens when
	// half of the digits of the parameters are found.
	{name: "curveFit", tolerance: 3e-8, inputs: curvesAsked, answer: func(in parityInput) ([]float64, error) {
		fit, err := CurveFit(scalability, in.A, in.B, scalabilityLo, scalabilityHi, scalabilityStart, .95)
		return slices.Concat(valuesOf(fit.Fit), standardErrors(fit.Fit)), err
	}},
}
