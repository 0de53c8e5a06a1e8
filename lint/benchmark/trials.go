package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
)

// simulate does trials experiments on all processors. Each has random numbers of
// its own, made from the seed and its number, so that the results do not depend
// on who did which; do must write nothing but what belongs to its trial.
func simulate(trials int, seed int64, do func(trial int, rng *rand.Rand)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(trials, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for {
				trial := int(next.Add(1)) - 1
				if trial >= trials {
					return
				}
				do(trial, rand.New(rand.NewPCG(uint64(seed), uint64(trial))))
			}
		})
	}
	wg.Wait()
}

// standardError is that of a simulated share.
func standardError(share float64, trials int) float64 {
	return math.Sqrt(share * (1 - share) / float64(max(1, trials)))
}

// The promise of every 95 % interval: between 93 and 97 of 100 samples, or
// off by no more than two standard errors of the simulation.
const leastCoverage, mostCoverage = .93, .97

func withinPromise(coverage float64, trials int) bool {
	slack := 2 * standardError(.95, trials)
	return coverage >= leastCoverage-slack && coverage <= mostCoverage+slack
}

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

func shareOf(covered []bool) float64 {
	hits := 0
	for _, c := range covered {
		if c {
			hits++
		}
	}
	return float64(hits) / float64(max(1, len(covered)))
}
