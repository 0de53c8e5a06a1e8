package stats

import "math/rand/v2"

// sharesAsked are hits, trials and a confidence.
func sharesAsked(rng *rand.Rand) (inputs []parityInput) {
	for i := range 60 {
		trials := 1 + rng.IntN(2000)
		if i%3 == 0 {
			trials = 1 + rng.IntN(20)
		}
		hits := rng.IntN(trials + 1)
		switch i % 10 {
		case 0:
			hits = 0
		case 1:
			hits = trials
		}
		inputs = append(inputs, parityInput{N: []float64{float64(hits), float64(trials), []float64{.95, .99, .8}[i%3]}})
	}
	return inputs
}

func ofShare(f func(hits, trials int, confidence float64) (Estimate, error)) func(parityInput) ([]float64, error) {
	return func(in parityInput) ([]float64, error) {
		est, err := f(int(in.N[0]), int(in.N[1]), in.N[2])
		return []float64{est.Interval.Lo, est.Interval.Hi}, err
	}
}

// quantilesAsked are a quantile and a confidence.
var quantilesAsked = [][]float64{{.5, .95}, {.9, .95}, {.95, .9}, {.99, .99}, {.25, .8}}

func tPoints() (rows [][]float64) {
	for _, df := range []float64{1, 2, 3, 4, 9, 18, 98, 998} {
		for _, p := range []float64{.005, .2, .5, .8, .9, .95, .975, .995, .9995} {
			rows = append(rows, []float64{p, df})
		}
	}
	return rows
}

// wanderingOf makes series whose values depend on the ones before.
func wanderingOf(count int) func(*rand.Rand) []parityInput {
	return func(rng *rand.Rand) (inputs []parityInput) {
		for i := range count {
			xs := make([]float64, 8+rng.IntN(200))
			for j := range xs {
				xs[j] = rng.NormFloat64() + .01*float64(j*(i%2))
				if j > 0 {
					xs[j] += .2 * float64(i%5) * xs[j-1]
				}
			}
			inputs = append(inputs, parityInput{A: xs})
		}
		return inputs
	}
}

func binomialPoints(rng *rand.Rand) (inputs []parityInput) {
	for range 60 {
		n := 1 + rng.IntN(5000)
		q := .001 + .998*rng.Float64()
		k := min(n, max(0, int(float64(n)*q)+rng.IntN(21)-10))
		inputs = append(inputs, parityInput{N: []float64{float64(n), float64(k), q}})
	}
	return inputs
}

// onlySkewed keeps the samples that spread by more than a tenth and not by factors.
func onlySkewed(inputs func(*rand.Rand) []parityInput) func(*rand.Rand) []parityInput {
	return func(rng *rand.Rand) (kept []parityInput) {
		for _, in := range inputs(rng) {
			logs, err := logsOf(in.A)
			if err != nil {
				continue
			}
			if _, _, variance := moments(logs[0]); CV(in.A) > wideSpread && variance < tooWideSpread {
				kept = append(kept, in)
			}
		}
		return kept
	}
}

// launchesAsked are hits and trials of launches that agree or differ.
func launchesAsked(rng *rand.Rand) (inputs []parityInput) {
	for i := range 40 {
		in := parityInput{N: []float64{[]float64{.95, .99, .8}[i%3]}}
		for range 2 + rng.IntN(9) {
			trials := 20 + rng.IntN(400)
			hits := rng.IntN(1 + trials/(1+i))
			in.A, in.B = append(in.A, float64(hits)), append(in.B, float64(trials))
		}
		inputs = append(inputs, in)
	}
	return inputs
}

var oneSampleParity = []parityRow{
	{name: "mean", inputs: samplesOf(60, 2, 40, confidences...), answer: func(in parityInput) ([]float64, error) {
		est, err := Mean(in.A, in.N[0])
		return []float64{est.Value, est.Interval.Lo, est.Interval.Hi}, err
	}},
	{name: "tQuantile", inputs: numbersOf(tPoints()...), answer: func(in parityInput) ([]float64, error) {
		return one(TQuantile(in.N[0], int(in.N[1])))
	}},
	{name: "coefficientOfVariation", inputs: samplesOf(60, 2, 40), answer: func(in parityInput) ([]float64, error) { return one(CV(in.A)) }},
	{name: "quantileInterval", inputs: samplesOf(120, 1, 600, quantilesAsked...), answer: func(in parityInput) ([]float64, error) {
		est, err := Quantile(in.A, in.N[0], in.N[1])
		return []float64{est.Value, est.Interval.Lo, est.Interval.Hi, est.Confidence}, err
	}},
	{name: "proportion", inputs: sharesAsked, answer: ofShare(Proportion)},
	{name: "proportionScipy", inputs: sharesAsked, answer: ofShare(Proportion)},
	{name: "logNormalMean", inputs: onlySkewed(samplesOf(60, 3, 40, confidences...)), answer: func(in parityInput) ([]float64, error) {
		est, err := OverLaunches(in.A, in.N[0])
		return []float64{est.Interval.Lo, est.Interval.Hi}, err
	}},
	{name: "shareOverLaunches", inputs: launchesAsked, answer: func(in parityInput) ([]float64, error) {
		hits, trials := make([]int, len(in.A)), make([]int, len(in.B))
		for i := range in.A {
			hits[i], trials[i] = int(in.A[i]), int(in.B[i])
		}
		est, err := ShareOverLaunches(hits, trials, in.N[0])
		return []float64{est.Value, est.Interval.Lo, est.Interval.Hi}, err
	}},
	{name: "shareBounds", inputs: numbersOf([]float64{0, 100, .025}, []float64{2.5, 40.25, .05}, []float64{41, 1000, .025}, []float64{30, 30, .01}), answer: func(in parityInput) ([]float64, error) {
		return []float64{ShareAtLeast(in.N[0], in.N[1], in.N[2]), ShareAtMost(in.N[0], in.N[1], in.N[2])}, nil
	}},
	{name: "theilSen", inputs: samplesOf(36, 2, 60), answer: func(in parityInput) ([]float64, error) { return one(TheilSen(in.A)) }},
	{name: "mannKendallScore", inputs: samplesOf(36, 4, 60), answer: func(in parityInput) ([]float64, error) {
		return []float64{float64(MannKendall(in.A).S), kendallVariance(in.A)}, nil
	}},
	{name: "mannKendall", inputs: wanderingOf(40), answer: func(in parityInput) ([]float64, error) {
		trend := MannKendall(in.A)
		return []float64{trend.Z, trend.P, trend.Slope}, nil
	}},
	{name: "designEffect", inputs: wanderingOf(40), answer: func(in parityInput) ([]float64, error) {
		effect, _ := designEffect(in.A)
		return one(effect)
	}},
	{name: "ranks", inputs: samplesOf(36, 1, 60), answer: func(in parityInput) ([]float64, error) { return Ranks(in.A), nil }},
	{name: "binomial", inputs: binomialPoints, answer: func(in parityInput) ([]float64, error) {
		return one(binomial(int(in.N[0]), int(in.N[1]), in.N[2]))
	}},
	{name: "earlyStopping", inputs: numbersOf([]float64{0, .99, .99}, []float64{3, .9, .95}, []float64{10, .5, .99}, []float64{40, .9, .99}), answer: func(in parityInput) ([]float64, error) {
		return one(float64(EarlyStopping{Percentile: in.N[1], Confidence: in.N[2]}.Under(int(in.N[0]))))
	}},
}
