package main

import (
	"fmt"
	"math/rand/v2"

	"assay/stats"
)

// requestMethods are given the requests of one launch in the order of time.
var requestMethods = []method{
	ofRequests("percentile, p50", 1000, true, quantileTruth(.5), func(xs []float64) (stats.Estimate, error) { return stats.Quantile(xs, .5, .95) }),
	ofRequests("percentile, p99", 1000, true, quantileTruth(.99), func(xs []float64) (stats.Estimate, error) { return stats.Quantile(xs, .99, .95) }),
	ofRequests("mean, Student's t", 1000, false, meanTruth, func(xs []float64) (stats.Estimate, error) { return stats.Mean(xs, .95) }),
}

func meanTruth(w world) float64 { return w.mean }

func quantileTruth(q float64) func(world) float64 {
	return func(w world) float64 { return w.quantile(q) }
}

// oneLaunch is why no method of this file is used over several launches.
const oneLaunch = "it takes the requests of one launch and says nothing about others; several launches are a sample of launches"

// ofRequests is a method that is given n requests of one launch.
func ofRequests(name string, n int, exact bool, truth func(world) float64, estimate func([]float64) (stats.Estimate, error)) method {
	return method{
		name: name, sample: fmt.Sprintf("%d requests", n), exact: exact,
		try: func(w world, rng *rand.Rand) (outcome, error) {
			if w.clustered {
				return outcome{refusal: oneLaunch}, nil
			}
			est, err := estimate(w.launch(rng, n))
			if err != nil {
				return outcome{}, err
			}
			return judge(est, truth(w)), nil
		},
	}
}
