package stats

import (
	"fmt"
	"math"
	"time"
)

// An InnerLoop is how often a short action must be repeated between two readings
// of the clock so that the clock does not decide the result.
type InnerLoop struct {
	Iterations int           `json:"iterations"`
	Resolution time.Duration `json:"resolution"` // the least step of the clock that was seen
	Overhead   time.Duration `json:"overhead"`   // of reading the clock once
	Region     time.Duration `json:"region"`     // what the iterations took when they were chosen

	// Error is the most that resolution and overhead put on the region, relatively.
	Error float64 `json:"error"`
}

// clockReadings is how often the clock is read to learn its step: enough to see
// ten thousand steps of a fine clock and to be through in well under a second.
const clockReadings = 10_000

// longestCoarse ends the learning of a clock that steps slowly, after so many steps.
const longestCoarse = 5

// mostIterations bounds the doubling, for an action that takes no time at all.
const mostIterations = 1 << 40

// ClockResolution is the least step between two readings of now that differ, and
// what a reading costs. Now is a monotonic clock since any moment.
func ClockResolution(now func() time.Duration) (resolution, overhead time.Duration, err error) {
	start := now()
	before, steps, readings := start, 0, 0
	for steps < clockReadings && (readings < clockReadings || steps < longestCoarse) {
		after := now()
		readings++
		if after < before {
			return 0, 0, fmt.Errorf("the clock went back by %v: want a monotonic clock", before-after)
		}
		if after > before {
			steps++
			if step := after - before; resolution == 0 || step < resolution {
				resolution = step
			}
		}
		before = after
		if readings > 1_000*clockReadings {
			return 0, 0, fmt.Errorf("the clock stood still for %d readings", readings)
		}
	}
	return resolution, (before - start) / time.Duration(readings), nil
}

// CalibrateLoop chooses how often to repeat an action in one timed region, so that
// the clock's step and the cost of reading it are at most the share limit of the
// region: 0.01 for one per cent. Action does so many iterations; it must wait for
// what it started (an asynchronous device) before it returns. The first call is
// thrown away, since it may compile, load and allocate.
func CalibrateLoop(now func() time.Duration, limit float64, action func(iterations int)) (InnerLoop, error) {
	if !(limit > 0 && limit < 1) {
		return InnerLoop{}, fmt.Errorf("limit %v: want a share between 0 and 1", limit)
	}
	var loop InnerLoop
	var err error
	if loop.Resolution, loop.Overhead, err = ClockResolution(now); err != nil {
		return loop, err
	}
	need := time.Duration(math.Ceil(float64(loop.Resolution+loop.Overhead) / limit))
	action(1)
	for loop.Iterations = 1; ; loop.Iterations = grow(loop.Iterations, loop.Region, need) {
		start := now()
		action(loop.Iterations)
		loop.Region = now() - start
		if loop.Region >= need {
			loop.Error = float64(loop.Resolution+loop.Overhead) / float64(loop.Region)
			return loop, nil
		}
		if loop.Iterations >= mostIterations {
			return loop, fmt.Errorf("%d iterations took %v, and %v are needed: the action does nothing that takes time", loop.Iterations, loop.Region, need)
		}
	}
}

// grow aims a fifth beyond what is needed, and at most ten times further: a region
// of a few steps of the clock says little about how long an iteration is.
func grow(iterations int, region, need time.Duration) int {
	factor := 10.0
	if region > 0 {
		factor = min(factor, 1.2*float64(need)/float64(region))
	}
	return max(iterations+1, int(math.Ceil(float64(iterations)*factor)))
}
