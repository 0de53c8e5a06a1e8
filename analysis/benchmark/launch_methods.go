package main

import (
	"fmt"
	"math/rand/v2"

	"assay/stats"

	"gonum.org/v1/gonum/stat"
)

// launchMethods are given one value for each launch: the mean of its requests.
var launchMethods = []method{
	ofLaunches("mean, Student's t", 5, false, meanTruth, func(xs []float64) (stats.Estimate, error) { return stats.Mean(xs, .95) }),
}

// launchRequests is how many requests each launch has.
const launchRequests = 1000

// ofLaunches is a method that is given the means of k launches.
func ofLaunches(name string, k int, exact bool, truth func(world) float64, estimate estimator) method {
	return method{
		name: name, sample: fmt.Sprintf("%d launches", k), exact: exact,
		try: func(w world, rng *rand.Rand) (outcome, error) {
			means := make([]float64, k)
			for i := range means {
				means[i] = stat.Mean(w.launch(rng, launchRequests), nil)
			}
			est, err := estimate(means)
			if err != nil {
				return outcome{}, err
			}
			return judge(est, truth(w)), nil
		},
	}
}
