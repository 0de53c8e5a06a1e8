package main

import (
	"math/rand/v2"

	"assay/stats"
)

// fitMethods are given twenty points, each a launch at its own load: the true curve,
// and noise as the means of launches have it.
var fitMethods = []method{
	{name: "slope, Huber", sample: "20 launches at 1 … 20", try: tryLine(huberSlope)},
	{name: "slope, Theil–Sen", sample: "20 launches at 1 … 20", try: tryLine(theilSenSlope)},
	{name: "contention of a curve, Jacobian", sample: "20 launches at 1 … 20", try: tryCurve(false)},
	{name: "contention of a curve, residual bootstrap", sample: "20 launches at 1 … 20", every: 20, try: tryCurve(true)},
}

// points are the values of a curve with the noise of one launch each, relative to
// scale.
func points(w world, rng *rand.Rand, scale float64, curve func(x float64) float64) (xs, ys []float64) {
	for x := 1.0; x <= 20; x++ {
		xs = append(xs, x)
		ys = append(ys, curve(x)+scale*(launchMean(w, rng)/w.mean-1))
	}
	return xs, ys
}

const lineSlope = 2

func tryLine(slope func(xs, ys []float64) (stats.Estimate, error)) func(world, *rand.Rand) (outcome, error) {
	return func(w world, rng *rand.Rand) (outcome, error) {
		est, err := slope(points(w, rng, 20, func(x float64) float64 { return 3 + lineSlope*x }))
		return judge(est, lineSlope), err
	}
}

func huberSlope(xs, ys []float64) (stats.Estimate, error) {
	rows := make([][]float64, len(xs))
	for i, x := range xs {
		rows[i] = []float64{1, x}
	}
	fit, err := stats.Huber(rows, ys, .95)
	if err != nil {
		return stats.Estimate{}, err
	}
	est := fit.Parameters[1]
	est.Warnings = fit.Warnings
	return est, nil
}

func theilSenSlope(xs, ys []float64) (stats.Estimate, error) {
	line, err := stats.TheilSenLine(xs, ys, .95)
	return line.Slope, err
}

// amdahl is the throughput of n workers of which a share waits for each other.
func amdahl(n float64, p []float64) float64 { return p[0] * n / (1 + p[1]*(n-1)) }

const contention = .2

func tryCurve(again bool) func(world, *rand.Rand) (outcome, error) {
	return func(w world, rng *rand.Rand) (outcome, error) {
		xs, ys := points(w, rng, 20, func(x float64) float64 { return amdahl(x, []float64{100, contention}) })
		curve, err := stats.CurveFit(amdahl, xs, ys, []float64{1, 0}, []float64{1e4, 1}, []float64{50, .1}, .95)
		if err != nil {
			return outcome{}, err
		}
		fit := curve.Fit
		if again && len(fit.Warnings) == 0 {
			if fit, err = curve.Bootstrap(stats.Bootstrap{Seed: 1, Resamples: resamples}); err != nil {
				return outcome{}, err
			}
		}
		est := fit.Parameters[1]
		est.Warnings = fit.Warnings
		return judge(est, contention), nil
	}
}
