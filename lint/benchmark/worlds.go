package main

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// A world makes the requests of launches, in the order of time, and knows the
// truth about them.
type world struct {
	name      string
	clustered bool // its launches differ from each other

	// launch draws the n requests of a fresh launch.
	launch func(rng *rand.Rand, n int) []float64

	mean     float64
	quantile func(q float64) float64
}

// worlds are those that every method is tried on.
var worlds = []world{
	logNormalWorld("i.i.d. log-normal", 0, 0),
	logNormalWorld("AR(1) 0.5", .5, 0),
	logNormalWorld("AR(1) 0.8", .8, 0),
	queueWorld("queue", .7),
	logNormalWorld("launches differ", 0, .05),
	logNormalWorld("AR(1) 0.99", .99, 0),
}

// requestSpread is the standard deviation of the requests' logarithms: a
// coefficient of variation of 53 %, as skewed as latencies are.
const requestSpread = .5

// logNormalWorld has requests whose logarithms are normal, each holding the share
// memory of the one before it, around a level of the launch that is itself
// log-normal with spread between.
func logNormalWorld(name string, memory, between float64) world {
	return world{
		name: name, clustered: between > 0,
		launch: func(rng *rand.Rand, n int) []float64 {
			level := between * rng.NormFloat64()
			fresh := math.Sqrt(1 - memory*memory)
			z := rng.NormFloat64()
			xs := make([]float64, n)
			for i := range xs {
				xs[i] = math.Exp(level + requestSpread*z)
				z = memory*z + fresh*rng.NormFloat64()
			}
			return xs
		},
		mean: math.Exp((requestSpread*requestSpread + between*between) / 2),
		quantile: func(q float64) float64 {
			return math.Exp(math.Hypot(requestSpread, between) * distuv.UnitNormal.Quantile(q))
		},
	}
}

// queueWorld has the response times of one server with Poisson arrivals and
// exponential service of mean one, busy the given share of the time, from a
// random moment on. Each is exponential with mean 1/(1−busy); they hang together
// for as long as a busy period lasts (Lindley's recursion).
func queueWorld(name string, busy float64) world {
	mean := 1 / (1 - busy)
	return world{
		name: name,
		launch: func(rng *rand.Rand, n int) []float64 {
			wait := 0.0
			if rng.Float64() < busy {
				wait = mean * rng.ExpFloat64()
			}
			xs := make([]float64, n)
			for i := range xs {
				xs[i] = wait + rng.ExpFloat64()
				wait = max(0, xs[i]-rng.ExpFloat64()/busy)
			}
			return xs
		},
		mean:     mean,
		quantile: func(q float64) float64 { return -mean * math.Log1p(-q) },
	}
}
