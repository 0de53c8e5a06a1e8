package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"assay/stats"
)

// requestMethods are given the requests of one launch in the order of time.
var requestMethods = []method{
	ofRequests("percentile p50", 1000, true, quantileTruth(.5), quantile(stats.Quantile, .5)),
	ofRequests("percentile p99", 1000, true, quantileTruth(.99), quantile(stats.Quantile, .99)),
	ofRequests("percentile p50, effective n", 1000, true, quantileTruth(.5), quantile(stats.QuantileDependent, .5)),
	ofRequests("percentile p90, effective n", 5000, true, quantileTruth(.9), quantile(stats.QuantileDependent, .9)),
	ofRequests("percentile p99, effective n", 1000, true, quantileTruth(.99), quantile(stats.QuantileDependent, .99)),
	ofRequests("percentile p99, effective n", 5000, true, quantileTruth(.99), quantile(stats.QuantileDependent, .99)),
	ofRequests("mean, Student's t", 1000, false, meanTruth, mean),
	ofRequests("mean, effective n", 1000, false, meanTruth, meanDependent),
	ofRequests("mean, effective n", 5000, false, meanTruth, meanDependent),
	ofRequests("geometric mean, Student's t", 1000, false, logMeanTruth, logMean),
}

// Each of these makes an estimate at 95 %.
type estimator = func([]float64) (stats.Estimate, error)

func quantile(of func([]float64, float64, float64) (stats.Estimate, error), q float64) estimator {
	return func(xs []float64) (stats.Estimate, error) { return of(xs, q, .95) }
}

func mean(xs []float64) (stats.Estimate, error)          { return stats.Mean(xs, .95) }
func meanDependent(xs []float64) (stats.Estimate, error) { return stats.MeanDependent(xs, .95) }
func logMean(xs []float64) (stats.Estimate, error)       { return stats.LogMean(xs, .95) }
func middle(xs []float64) (stats.Estimate, error)        { return stats.Median(xs, .95) }

func logMeanTruth(w world) float64 { return math.Exp(w.logMean) }

func meanTruth(w world) float64 { return w.mean }

func quantileTruth(q float64) func(world) float64 {
	return func(w world) float64 { return w.quantile(q) }
}

// oneLaunch is why no method of this file is used over several launches.
const oneLaunch = "it takes the requests of one launch and says nothing about others; several launches are a sample of launches"

// ofRequests is a method that is given n requests of one launch.
func ofRequests(name string, n int, exact bool, truth func(world) float64, estimate estimator) method {
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
