package main

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"assay/stats"

	"gonum.org/v1/gonum/stat"
)

// launchMethods are given launches of two thousand requests. Where the method wants one
// value for each, it is the mean of the launch's requests.
var launchMethods = []method{
	ofLaunches("mean, Student's t", 3, false, meanTruth, overLaunches),
	ofLaunches("mean, Student's t", 5, false, meanTruth, overLaunches),
	ofLaunches("median, order statistics", 10, true, launchMedian, median),
	ofLaunches("mean, BCa bootstrap", 30, false, meanTruth, bcaMean),
	{name: "mean, variance components", sample: "5 launches", try: tryComponents},
}

// launchRequests is how many requests a launch has.
const launchRequests = 2000

// launchMean is one launch in one number.
func launchMean(w world, rng *rand.Rand) float64 {
	return stat.Mean(w.launch(rng, launchRequests), nil)
}

func launchMeans(w world, rng *rand.Rand, k int) []float64 {
	means := make([]float64, k)
	for i := range means {
		means[i] = launchMean(w, rng)
	}
	return means
}

// ofLaunches is a method that is given the means of k launches.
func ofLaunches(name string, k int, ranks bool, truth func(world) float64, estimate estimator) method {
	return method{
		name: name, sample: fmt.Sprintf("%d launches", k), ranks: ranks,
		try: func(w world, rng *rand.Rand) (outcome, error) {
			est, err := estimate(launchMeans(w, rng, k))
			return judge(est, truth(w)), err
		},
	}
}

func tryComponents(w world, rng *rand.Rand) (outcome, error) {
	c, err := stats.VarianceComponents(launchesOf(w, rng, 5, launchRequests), .95)
	return judge(c.Mean, w.mean), err
}

func launchesOf(w world, rng *rand.Rand, k, requests int) [][]float64 {
	launches := make([][]float64, k)
	for i := range launches {
		launches[i] = w.launch(rng, requests)
	}
	return launches
}

var launchMedians sync.Map // by the world's name; the same whoever comes first

// launchMedian is the true median of launch means, which no formula gives: it is taken
// from many launches, so many that its own error does not matter beside an interval's.
func launchMedian(w world) float64 {
	if known, ok := launchMedians.Load(w.name); ok {
		return known.(float64)
	}
	const launches = 1000
	means := make([]float64, launches)
	simulate(launches, -1, func(i int, rng *rand.Rand) { means[i] = launchMean(w, rng) })
	truth := stats.Middle(means)
	launchMedians.Store(w.name, truth)
	return truth
}
