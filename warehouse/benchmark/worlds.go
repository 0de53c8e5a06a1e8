package main

import (
	"math"
	"math/rand/v2"

	"assay/warehouse"
)

// A history is one simulated series of one run a day, and where it changed.
type history struct {
	Values []float64 `json:"values"`
	places []int     // at which the level rises
	spread float64   // between runs
}

// A stepWorld is one whose level rises by some spreads after so many runs.
type stepWorld struct {
	name     string
	from, to float64 // spreads
	before   int
}

// after is how many runs come after a step.
const after = 20

// stepWorlds are those of every size and length.
func stepWorlds() (list []stepWorld) {
	for _, size := range []stepWorld{{name: "1–2.5", from: 1, to: 2.5}, {name: "3–5", from: 3, to: 5}, {name: "6–10", from: 6, to: 10}, {name: "15–30", from: 15, to: 30}} {
		for _, before := range []int{5, 7, 10, 20, 40} {
			size.before = before
			list = append(list, size)
		}
	}
	return list
}

func (w stepWorld) history(rng *rand.Rand) history {
	spread := .005 + .015*rng.Float64()
	h := history{places: []int{w.before}, spread: 100 * spread}
	size := w.from + (w.to-w.from)*rng.Float64()
	for i := range w.before + after {
		level := 100.
		if i >= w.before {
			level += size * h.spread
		}
		h.Values = append(h.Values, level+h.spread*rng.NormFloat64())
	}
	return h
}

// length is how many days a history without a step has.
const length = 60

// A quietWorld is one in which no level changes for good.
type quietWorld struct {
	name   string
	stable bool   // nothing at all happens: what is seen is a false alarm
	named  string // what should be named
	value  func(day int, rng *rand.Rand, of *quietState) float64
}

// A quietState is what a history without a step carries from day to day.
type quietState struct {
	outlier int
	mode    float64
	last    float64
}

func normal(cv float64) func(int, *rand.Rand, *quietState) float64 {
	return func(_ int, rng *rand.Rand, _ *quietState) float64 { return 100 * (1 + cv*rng.NormFloat64()) }
}

func drift(share float64) func(int, *rand.Rand, *quietState) float64 {
	return func(day int, rng *rand.Rand, _ *quietState) float64 {
		return 100 * math.Pow(1+share, float64(day)) * (1 + .005*rng.NormFloat64())
	}
}

// modes keeps one of two levels for so many days.
func modes(days int) func(int, *rand.Rand, *quietState) float64 {
	return func(day int, rng *rand.Rand, s *quietState) float64 {
		if day%days == 0 {
			s.mode = .02 * float64(2*rng.IntN(2)-1)
		}
		return 100 * (1 + s.mode + .005*rng.NormFloat64())
	}
}

var quietWorlds = []quietWorld{
	{"stable, CV 0.5 %", true, "", normal(.005)},
	{"stable, CV 1 %", true, "", normal(.01)},
	{"stable, CV 2 %", true, "", normal(.02)},
	{"stable, t with 5 degrees of freedom, CV 1 %", true, "", func(_ int, rng *rand.Rand, _ *quietState) float64 {
		squares := 0.
		for range 5 {
			z := rng.NormFloat64()
			squares += z * z
		}
		return 100 * (1 + .01*rng.NormFloat64()/math.Sqrt(squares/5*5/3))
	}},
	{"stable, lognormal 5 %", true, "", func(_ int, rng *rand.Rand, _ *quietState) float64 { return 100 * math.Exp(.05*rng.NormFloat64()) }},
	{"one outlier of +30 %", false, "outlier", func(day int, rng *rand.Rand, s *quietState) float64 {
		if day == 0 {
			s.outlier = 8 + rng.IntN(length-16)
		}
		x := 100 * (1 + .005*rng.NormFloat64())
		if day == s.outlier {
			x *= 1.3
		}
		return x
	}},
	{"1 run in 20 × 1.05, CV 1 %", false, "", func(_ int, rng *rand.Rand, _ *quietState) float64 {
		x := 100 * (1 + .01*rng.NormFloat64())
		if rng.IntN(20) == 0 {
			x *= 1.05
		}
		return x
	}},
	{"two modes ±2 %, each day drawn", false, "modes", modes(1)},
	{"two modes ±2 %, kept 5 days", false, "modes", modes(5)},
	{"AR(1) 0.5 over days, CV 1 %", false, "", func(_ int, rng *rand.Rand, s *quietState) float64 {
		s.last = .5*s.last + .01*math.Sqrt(.75)*rng.NormFloat64()
		return 100 * (1 + s.last)
	}},
	{"drift 0.05 % a day", false, "drift", drift(.0005)},
	{"drift 0.2 % a day", false, "drift", drift(.002)},
}

func (w quietWorld) history(rng *rand.Rand) (h history) {
	var s quietState
	for day := range length {
		h.Values = append(h.Values, w.value(day, rng, &s))
	}
	return h
}

// together are the watched results of one system that is stable: half of what moves one of them
// moves all.
func together(rng *rand.Rand) []history {
	list := make([]history, len(warehouse.WatchedMetrics))
	for range length {
		all := rng.NormFloat64()
		for i := range list {
			list[i].Values = append(list[i].Values, 100+math.Sqrt(.5)*(all+rng.NormFloat64()))
		}
	}
	return list
}

// drawn are so many of a kind, the same ones whenever they are drawn.
func drawn[T any](n int, seed uint64, draw func(*rand.Rand) T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = draw(rand.New(rand.NewPCG(seed, uint64(i))))
	}
	return list
}
