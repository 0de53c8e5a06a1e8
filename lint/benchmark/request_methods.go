package main

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"assay/stats"

	"gonum.org/v1/gonum/stat"
)

// requestMethods are given the requests of one launch in the order of time.
var requestMethods = []method{
	ofRequests("percentile p50", 1000, true, quantileTruth(.5), quantile(stats.Quantile, .5)),
	ofRequests("percentile p99", 1000, true, quantileTruth(.99), quantile(stats.Quantile, .99)),
	ofRequests("percentile p50, effective n", 400, true, quantileTruth(.5), quantile(stats.QuantileDependent, .5)),
	ofRequests("percentile p50, effective n", 1000, true, quantileTruth(.5), quantile(stats.QuantileDependent, .5)),
	ofRequests("percentile p90, effective n", 5000, true, quantileTruth(.9), quantile(stats.QuantileDependent, .9)),
	ofRequests("percentile p99, effective n", 1000, true, quantileTruth(.99), quantile(stats.QuantileDependent, .99)),
	ofRequests("percentile p99, effective n", 5000, true, quantileTruth(.99), quantile(stats.QuantileDependent, .99)),
	ofRequests("mean, Student's t", 1000, false, meanTruth, mean),
	ofRequests("mean, BCa bootstrap", 200, false, meanTruth, bcaMean),
	ofRequests("share, Clopper–Pearson", 1000, true, slowTruth, whenIndependent(share)),
	ofRequests("percentile p90, one-sided certificate", 1000, true, quantileTruth(.9), whenIndependent(certificate)),
	ofRequests("share, effective n", 5000, true, slowTruth, shareDependent),
}

// An estimator makes an estimate at 95 %.
type estimator = func([]float64) (stats.Estimate, error)

func quantile(of func([]float64, float64, float64) (stats.Estimate, error), q float64) estimator {
	return func(xs []float64) (stats.Estimate, error) { return of(xs, q, .95) }
}

func mean(xs []float64) (stats.Estimate, error)         { return stats.Mean(xs, .95) }
func overLaunches(xs []float64) (stats.Estimate, error) { return stats.OverLaunches(xs, .95) }
func median(xs []float64) (stats.Estimate, error)       { return stats.Median(xs, .95) }

// resamples are few, for the time they take.
const resamples = 2000

func bcaMean(xs []float64) (stats.Estimate, error) {
	return stats.BCa(xs, func(xs []float64) float64 { return stat.Mean(xs, nil) }, .95, stats.Bootstrap{Seed: 1, Resamples: resamples})
}

// certificate is a bound of the p90 on one side, as MLPerf certifies it.
func certificate(xs []float64) (stats.Estimate, error) {
	bound, _ := stats.EarlyStopping{Percentile: .9, Confidence: .95}.Estimate(xs)
	return stats.Estimate{Interval: stats.Interval{Lo: 0, Hi: bound}, Confidence: .95}, nil
}

// slow is what a response time counts as slow from: 2 % to 55 % are, by world.
const slow = 2

func slowTruth(w world) float64 {
	// The quantile function is turned round by halves.
	low, high := 0.0, 1.0
	for range 60 {
		if middle := (low + high) / 2; w.quantile(middle) < slow {
			low = middle
		} else {
			high = middle
		}
	}
	return 1 - low
}

func slowOnes(xs []float64) (hits int, marks []float64) {
	marks = make([]float64, len(xs))
	for i, x := range xs {
		if x > slow {
			hits++
			marks[i] = 1
		}
	}
	return hits, marks
}

func share(xs []float64) (stats.Estimate, error) {
	hits, _ := slowOnes(xs)
	return stats.Proportion(hits, len(xs), .95)
}

// errDependent is the refusal of a caller who looked first.
var errDependent = errors.New("it does not look for dependence; stats.Dependent, which its caller must ask first, sees it")

// whenIndependent asks first whether the values hang together.
func whenIndependent(of estimator) estimator {
	return func(xs []float64) (stats.Estimate, error) {
		if stats.Dependent(xs) {
			return stats.Estimate{}, errDependent
		}
		return of(xs)
	}
}

// shareDependent divides the counts by the design effect, as the search for the
// highest load does.
func shareDependent(xs []float64) (stats.Estimate, error) {
	hits, marks := slowOnes(xs)
	effect := stats.DesignEffect(marks)
	h, n := float64(hits)/effect, float64(len(xs))/effect
	return stats.Estimate{
		Interval:   stats.Interval{Lo: stats.ShareAtLeast(h, n, .025), Hi: stats.ShareAtMost(h, n, .025)},
		Confidence: .95,
	}, nil
}

func meanTruth(w world) float64 { return w.mean }

func quantileTruth(q float64) func(world) float64 {
	return func(w world) float64 { return w.quantile(q) }
}

// oneLaunch is why no method of this file is used over several launches.
const oneLaunch = "it takes the requests of one launch and says nothing about others; several launches are a sample of launches"

// ofRequests is a method that is given n requests of one launch.
func ofRequests(name string, n int, ranks bool, truth func(world) float64, estimate estimator) method {
	return method{
		name: name, sample: fmt.Sprintf("%d requests", n), ranks: ranks,
		try: func(w world, rng *rand.Rand) (outcome, error) {
			if w.clustered {
				return outcome{refusal: oneLaunch}, nil
			}
			est, err := estimate(w.launch(rng, n))
			if errors.Is(err, errDependent) {
				return outcome{refusal: err.Error()}, nil
			}
			return judge(est, truth(w)), err
		},
	}
}
