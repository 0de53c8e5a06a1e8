package stats

import "math/rand/v2"

var (
	confidences = [][]float64{{.95}, {.9}, {.99}, {.8}}
	margins     = [][]float64{{.03}, {.05}, {.5}, {.001}}
	directions  = [][]float64{{.03, 1}, {.03, 0}, {.2, 1}, {.2, 0}}
)

// ofTest answers with the statistic, the degrees of freedom if any, and P.
func ofTest(f func(a, b []float64) (Test, error)) func(parityInput) ([]float64, error) {
	return func(in parityInput) ([]float64, error) {
		test, err := f(in.A, in.B)
		if test.DF == 0 {
			return []float64{test.Statistic, test.P}, err
		}
		return []float64{test.Statistic, test.DF, test.P}, err
	}
}

// ofEstimate answers with the value and the ends at confidence n[0].
func ofEstimate(f func(a, b []float64, confidence float64) (Estimate, error)) func(parityInput) ([]float64, error) {
	return func(in parityInput) ([]float64, error) {
		est, err := f(in.A, in.B, in.N[0])
		return []float64{est.Value, est.Interval.Lo, est.Interval.Hi}, err
	}
}

// manyValues is more than the exact distributions take.
const manyValues = mostExact + 1

var twoSampleParity = []parityRow{
	{name: "welch", inputs: samplesOf(120, 2, 40), answer: ofTest(Welch)},
	{name: "welchLog", inputs: samplesOf(120, 2, 40), answer: ofTest(WelchLog)},
	{name: "pairedT", inputs: pairsOf(120, 3, 40), answer: ofTest(PairedT)},
	{name: "pairedLog", inputs: pairsOf(120, 3, 40), answer: ofTest(PairedLog)},
	{name: "differenceOfMeans", inputs: samplesOf(120, 2, 40, confidences...), answer: ofEstimate(DifferenceOfMeans)},
	{name: "differenceOfMeansStatsmodels", inputs: samplesOf(60, 2, 40, confidences...), answer: ofEstimate(DifferenceOfMeans)},
	{name: "ratioOfMeans", inputs: samplesOf(120, 3, 40, confidences...), answer: ofEstimate(RatioOfMeans)},
	{name: "pairedDifference", inputs: pairsOf(60, 3, 40, confidences...), answer: ofEstimate(PairedDifference)},
	{name: "pairedRatio", inputs: pairsOf(60, 3, 40, confidences...), answer: ofEstimate(PairedRatio)},
	{name: "mannWhitney", inputs: samplesOf(60, 2, 6), answer: ofTest(MannWhitney)},
	{name: "mannWhitney", inputs: untied(samplesOf(60, 5, 50)), answer: ofTest(MannWhitney)},
	{name: "mannWhitneyNormal", inputs: samplesOf(40, manyValues, 200), answer: ofTest(MannWhitney)},
	{name: "wilcoxon", inputs: pairsOf(60, 2, 9), answer: ofTest(Wilcoxon)},
	{name: "wilcoxon", inputs: untied(pairsOf(60, 10, 50)), answer: ofTest(Wilcoxon)},
	{name: "wilcoxonNormal", inputs: pairsOf(40, 2*manyValues, 200), answer: ofTest(Wilcoxon)},
	{name: "permutation", inputs: samplesOf(36, 2, 5), answer: ofTest(func(a, b []float64) (Test, error) {
		return Permutation(a, b, MeanDifference, 1, 0)
	})},
	{name: "signFlip", inputs: pairsOf(36, 2, 8), answer: ofTest(func(a, b []float64) (Test, error) {
		logs, err := logsOf(a, b)
		if err != nil {
			return Test{}, err
		}
		return SignFlip(logs[0], logs[1], 1, 0)
	})},
	{name: "hodgesLehmann", inputs: untied(samplesOf(30, 2, 8, confidences...)), answer: ofEstimate(HodgesLehmann)},
	{name: "hodgesLehmannPaired", inputs: untied(pairsOf(30, 2, 9, confidences...)), answer: ofEstimate(HodgesLehmannPaired)},
	{name: "equivalent", inputs: samplesOf(120, 2, 40, margins...), answer: ofMargin(Equivalent)},
	{name: "equivalentPaired", inputs: pairsOf(120, 3, 40, margins...), answer: ofMargin(EquivalentPaired)},
	{name: "nonInferior", inputs: samplesOf(120, 2, 40, directions...), answer: ofDirection(NonInferior)},
	{name: "nonInferiorPaired", inputs: pairsOf(120, 3, 40, directions...), answer: ofDirection(NonInferiorPaired)},
	{name: "effectSizes", inputs: samplesOf(60, 2, 40), answer: func(in parityInput) ([]float64, error) {
		return []float64{CommonLanguage(in.A, in.B), CliffDelta(in.A, in.B), HedgesG(in.A, in.B)}, nil
	}},
	{name: "distances", inputs: samplesOf(60, 1, 80), answer: func(in parityInput) ([]float64, error) {
		return []float64{KolmogorovSmirnov(in.A, in.B), Wasserstein(in.A, in.B)}, nil
	}},
	{name: "holm", inputs: familiesOfP(10), // statsmodels takes a twentieth of a second for each
		answer: func(in parityInput) ([]float64, error) { return Holm(in.N), nil }},
	{name: "benjaminiHochberg", inputs: familiesOfP(40), answer: func(in parityInput) ([]float64, error) { return BenjaminiHochberg(in.N), nil }},
	{name: "benjaminiHochbergScipy", inputs: familiesOfP(40), answer: func(in parityInput) ([]float64, error) { return BenjaminiHochberg(in.N), nil }},
}

func ofMargin(f func(a, b []float64, margin, alpha float64) (Test, error)) func(parityInput) ([]float64, error) {
	return func(in parityInput) ([]float64, error) {
		return ofTest(func(a, b []float64) (Test, error) { return f(a, b, in.N[0], .05) })(in)
	}
}

func ofDirection(f func(a, b []float64, margin float64, lowerIsBetter bool) (Test, error)) func(parityInput) ([]float64, error) {
	return func(in parityInput) ([]float64, error) {
		return ofTest(func(a, b []float64) (Test, error) { return f(a, b, in.N[0], in.N[1] == 1) })(in)
	}
}

// familiesOfP are small and large, spread and crowded, with ties.
func familiesOfP(count int) func(*rand.Rand) []parityInput {
	return func(rng *rand.Rand) (inputs []parityInput) {
		for i := range count {
			p := make([]float64, 1+rng.IntN(30))
			for j := range p {
				p[j] = rng.Float64()
				if i%2 == 0 {
					p[j] *= p[j] * p[j] * .1
				}
				if i%3 == 0 && j > 0 && rng.IntN(3) == 0 {
					p[j] = p[j-1]
				}
			}
			inputs = append(inputs, parityInput{N: p})
		}
		return inputs
	}
}
