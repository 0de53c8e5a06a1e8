package stats

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// HierarchicalMethod names the interval of Hierarchical.
const HierarchicalMethod = "bootstrap/hierarchical-expanded-percentile"

// fewestLaunches is the least number of launches that Hierarchical is made of:
// with fewer, no resample of launches reaches far enough out.
const fewestLaunches = 8

// Hierarchical estimates a statistic of launches that hold requests, by drawing
// launches again and then requests inside each. The statistic is given the
// requests of each launch, and must neither change nor keep them; it is called
// from several goroutines.
//
// Two corrections make it cover. The spread of launches already holds the noise of
// their requests, which the second draw adds once more; the replicates are drawn
// in to the spread that drawing launches alone has. And the percentiles are
// widened as Student's t is against the normal for as many launches. It refuses
// fewer than eight launches.
func Hierarchical(launches [][]float64, statistic func([][]float64) float64, confidence float64, b Bootstrap) (Estimate, error) {
	if err := b.check(len(launches), "launches", fewestLaunches, confidence); err != nil {
		return Estimate{}, err
	}
	for i, l := range launches {
		if len(l) == 0 {
			return Estimate{}, fmt.Errorf("launch %d: %w", i, ErrNoSamples)
		}
	}
	k := len(launches)
	est := Estimate{Value: statistic(launches), N: k, Method: HierarchicalMethod, Confidence: confidence}
	whole := b.resample(func(rng *rand.Rand, scratch []float64) ([]float64, float64) {
		drawn := make([][]float64, k)
		for i := range drawn {
			drawn[i] = launches[rng.IntN(k)]
		}
		return scratch, statistic(drawn)
	})
	both := b.resample(func(rng *rand.Rand, scratch []float64) ([]float64, float64) {
		drawn := make([][]float64, k)
		scratch = scratch[:0]
		for i := range drawn {
			from := launches[rng.IntN(k)]
			start := len(scratch)
			for range from {
				scratch = append(scratch, from[rng.IntN(len(from))])
			}
			drawn[i] = scratch[start:len(scratch):len(scratch)]
		}
		return scratch, statistic(drawn)
	})
	slices.Sort(both)
	if lumpy(both) {
		return Estimate{}, ErrLumpy
	}
	centre, spread := stat.MeanStdDev(both, nil)
	narrow := 1.0
	if spread > 0 {
		narrow = min(1, stat.StdDev(whole, nil)/spread)
	}
	tail := (1 - expanded(confidence, k, k-1)) / 2
	at := func(p float64) float64 { return centre + narrow*(percentileOf(both, p)-centre) }
	est.Interval = Interval{at(tail), at(1 - tail)}
	return est, nil
}
