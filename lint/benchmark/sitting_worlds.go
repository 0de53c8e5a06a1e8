package main

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/metric"
)

// trending is asked of launches that move: at ten the trend is named, at fewer as often
// as an exact test can.
const trending wanted = "named at ten"

// usualRequests is how many requests a launch has whose percentiles do not matter.
const usualRequests = 40

// sittings are the worlds of the table, the harmless ones first.
var sittings = []sitting{
	timed("normal, mean", "mean", toCover, usualRequests, level(normal(.03))),
	timed("normal, p99", "p99", toCover, 400, level(normal(.03))),
	timed("log-normal 30 %", "mean", toCover, usualRequests, level(func(rng *rand.Rand) float64 { return math.Exp(.3 * rng.NormFloat64()) })),
	timed("Student's t with 3 degrees", "mean", toName, usualRequests, level(func(rng *rand.Rand) float64 {
		return max(.3, 1+.03*distuv.StudentsT{Mu: 0, Sigma: 1, Nu: 3, Src: rng}.Rand())
	})),
	timed("launches of unlike spread", "mean", toCover, usualRequests, unlike),
	timed("sessions of ten, mean", "mean", toCover, 200, inSessions),
	timed("sessions of ten, p90", "p90", toCover, 200, inSessions),
	timed("AR(1) 0.8 requests, p50", "p50", toCover, 200, autoRequests(.8)),
	timed("p90 of 40 requests", "p90", toCover, 40, level(normal(.03))),
	counted("errors 1 %", metric.ErrorRate, toCover, .01, 400, always(.01)),
	counted("goodput 90 %", metric.Attainment, toCover, .9, 400, always(.9)),
	timed("Pareto 1.5 requests", "mean", toName, 400, func(rng *rand.Rand, k, n int) ([]metric.Drawn, int) {
		return each(k, func(int) []float64 { return requests(n, func() float64 { return math.Pow(1-rng.Float64(), -1/1.5) }) }), 0
	}).with(3, 0),
	timed("20 % of launches 1.2 ×", "mean", toSee, usualRequests, modes(.2, 1.2)).with(1.04, .2),
	timed("50 % of launches 1.2 ×", "mean", toSee, usualRequests, modes(.5, 1.2)).with(1.1, .5),
	timed("a stall in 1 launch of 4, p99", "p99", toSee, 400, stalls(.25)).with(0, .25),
	timed("a stall in 1 launch of 10, p99", "p99", toSee, 400, stalls(.1)).with(0, .1),
	counted("20 % errors in 1 launch of 10", metric.ErrorRate, toSee, .02, 400, failing(.2)).with(.02, .1),
	counted("5 % errors in 1 launch of 10", metric.ErrorRate, toSee, .005, 400, failing(.05)).with(.005, .1),
	timed("launches AR(1) 0.5", "mean", elsewhere, usualRequests, autoLaunches(.5)).with(1, 0),
	timed("launches AR(1) 0.8", "mean", elsewhere, usualRequests, autoLaunches(.8)).with(1, 0),
	timed("launches AR(1) 0.95", "mean", elsewhere, usualRequests, autoLaunches(.95)).with(1, 0),
	timed("+1 % a launch", "mean", trending, usualRequests, trend(.01)).with(1, 0),
	timed("+3 % a launch", "mean", trending, usualRequests, trend(.03)).with(1, 0),
}

// requestNoise is the spread of the requests inside a launch.
const requestNoise = .3

// A crowd draws k launches of n requests, and says how many are of the rarer mode.
type crowd func(rng *rand.Rand, k, n int) ([]metric.Drawn, int)

// timed is a world about TTFT.
func timed(name, statistic string, want wanted, n int, of crowd) sitting {
	return sitting{name: name, metric: metric.TTFT, statistic: statistic, wanted: want, draw: func(rng *rand.Rand, k int) ([]metric.Drawn, int) { return of(rng, k, n) }}
}

// with says what is known of a world: its truth, or zero, and how rare its rarer mode is.
func (w sitting) with(truth, rare float64) sitting {
	w.truth, w.rare = truth, rare
	return w
}

// counted is a world about a share of so many requests of each launch.
func counted(name string, m metric.Metric, want wanted, truth float64, n int, share func(*rand.Rand) (float64, bool)) sitting {
	return sitting{name: name, metric: m, statistic: "value", wanted: want, truth: truth, draw: func(rng *rand.Rand, k int) ([]metric.Drawn, int) {
		odd := 0
		launches := make([]metric.Drawn, k)
		for i := range launches {
			p, isOdd := share(rng)
			if isOdd {
				odd++
			}
			launches[i] = metric.Drawn{Hits: int(distuv.Binomial{N: float64(n), P: p, Src: rng}.Rand()), Trials: n}
		}
		return launches, odd
	}}
}

func always(share float64) func(*rand.Rand) (float64, bool) {
	return func(*rand.Rand) (float64, bool) { return share, false }
}

// failing has one launch in ten fail so many of its requests, and no other.
func failing(share float64) func(*rand.Rand) (float64, bool) {
	return func(rng *rand.Rand) (float64, bool) {
		if rng.Float64() < .1 {
			return share, true
		}
		return 0, false
	}
}

// each makes k launches of their requests.
func each(k int, of func(launch int) []float64) []metric.Drawn {
	launches := make([]metric.Drawn, k)
	for i := range launches {
		launches[i].Values = of(i)
	}
	return launches
}

func requests(n int, one func() float64) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = one()
	}
	return xs
}

// around is requests that scatter about a level, and never below a tenth of it.
func around(rng *rand.Rand, at, noise float64, n int) []float64 {
	return requests(n, func() float64 { return at * max(.1, 1+noise*rng.NormFloat64()) })
}

func normal(spread float64) func(*rand.Rand) float64 {
	return func(rng *rand.Rand) float64 { return 1 + spread*rng.NormFloat64() }
}

// level has launches that draw their level independently.
func level(of func(*rand.Rand) float64) crowd {
	return func(rng *rand.Rand, k, n int) ([]metric.Drawn, int) {
		return each(k, func(int) []float64 { return around(rng, of(rng), requestNoise, n) }), 0
	}
}

// unlike has launches whose requests scatter by a different amount in each.
func unlike(rng *rand.Rand, k, n int) ([]metric.Drawn, int) {
	return each(k, func(int) []float64 { return around(rng, normal(.01)(rng), .1+.2*rng.Float64(), n) }), 0
}

// inSessions has ten requests after each other share their luck.
func inSessions(rng *rand.Rand, k, n int) ([]metric.Drawn, int) {
	return each(k, func(int) []float64 {
		shared, at := 0.0, normal(.02)(rng)
		left := 0
		return requests(n, func() float64 {
			if left == 0 {
				shared, left = .3*rng.NormFloat64(), 10
			}
			left--
			return at * math.Exp(shared+.1*rng.NormFloat64())
		})
	}), 0
}

func autoRequests(memory float64) crowd {
	return func(rng *rand.Rand, k, n int) ([]metric.Drawn, int) {
		return each(k, func(int) []float64 {
			z := rng.NormFloat64()
			return requests(n, func() float64 {
				z = memory*z + math.Sqrt(1-memory*memory)*rng.NormFloat64()
				return math.Exp(.3 * z)
			})
		}), 0
	}
}

// modes has launches of which some are slower by a factor.
func modes(share, slower float64) crowd {
	return func(rng *rand.Rand, k, n int) ([]metric.Drawn, int) {
		odd := 0
		launches := each(k, func(int) []float64 {
			at := normal(.01)(rng)
			if rng.Float64() < share {
				at *= slower
				odd++
			}
			return around(rng, at, requestNoise/3, n)
		})
		return launches, odd
	}
}

// stalls has launches of which some hold a tenth of their requests up for five times as
// long as usual.
func stalls(share float64) crowd {
	return func(rng *rand.Rand, k, n int) ([]metric.Drawn, int) {
		odd := 0
		launches := each(k, func(int) []float64 {
			stalled := rng.Float64() < share
			if stalled {
				odd++
			}
			at := normal(.02)(rng)
			return requests(n, func() float64 {
				if stalled && rng.Float64() < .1 {
					return 5 * at
				}
				return at * max(.1, 1+requestNoise*rng.NormFloat64())
			})
		})
		return launches, odd
	}
}

// launchNoise is the spread of launches that hang on each other.
const launchNoise = .03

// autoLaunches has launches each of which holds the share memory of the one before.
func autoLaunches(memory float64) crowd {
	return func(rng *rand.Rand, k, n int) ([]metric.Drawn, int) {
		z := rng.NormFloat64()
		return each(k, func(int) []float64 {
			at := 1 + launchNoise*z
			z = memory*z + math.Sqrt(1-memory*memory)*rng.NormFloat64()
			return around(rng, at, requestNoise/10, n)
		}), 0
	}
}

// trend has launches that are slower by so much than those before.
func trend(step float64) crowd {
	return func(rng *rand.Rand, k, n int) ([]metric.Drawn, int) {
		return each(k, func(i int) []float64 { return around(rng, 1+step*float64(i)+.01*rng.NormFloat64(), requestNoise/10, n) }), 0
	}
}
