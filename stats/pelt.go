package stats

import (
	"fmt"
	"math"
	"slices"
)

// PELTOptions tunes PELT. The zero value is ready to use.
type PELTOptions struct {
	// Penalty is what one more change must save in twice the log-likelihood. Zero
	// means 15·ln n, which finds changes that matter and leaves small ones alone;
	// the criterion of Schwarz for a change of mean and variance is 3·ln n.
	Penalty float64

	// Shortest is the fewest values of a segment. Zero means 3. It does not guard
	// against spikes: one among two others is a short segment of great variance.
	Shortest int

	// Floor is the smallest standard deviation of a segment, so that equal values
	// are not infinitely likely. Zero means a millionth of that of the series.
	Floor float64
}

// PELT finds the places at which mean and variance of xs change, such that twice
// the negative log-likelihood of the normal segments plus the penalty for each
// change is smallest (Killick, Fearnhead and Eckley 2012). It returns the first
// index of every segment but the first. The answer is the exact optimum: a
// candidate is forgotten only when it can no longer win, which with a shortest
// segment is that many values after it has lost.
func PELT(xs []float64, opts PELTOptions) ([]int, error) {
	n := len(xs)
	if opts.Shortest == 0 {
		opts.Shortest = 3
	}
	if opts.Penalty == 0 {
		opts.Penalty = 15 * math.Log(float64(max(2, n)))
	}
	if opts.Shortest < 1 || opts.Penalty < 0 {
		return nil, fmt.Errorf("shortest segment %d and penalty %g: want at least 1 and 0", opts.Shortest, opts.Penalty)
	}
	if n < 2*opts.Shortest {
		return nil, nil
	}
	cost := newSegmentCost(xs, opts.Floor)
	best := make([]float64, n+1) // of the first t values
	from := make([]int, n+1)     // where the last segment of that begins
	best[0] = -opts.Penalty
	type candidate struct{ at, until int } // usable for ends before until
	const always = math.MaxInt
	candidates := []candidate{{0, always}}
	for t := opts.Shortest; t <= n; t++ {
		if last := t - opts.Shortest; last >= opts.Shortest {
			candidates = append(candidates, candidate{last, always})
		}
		best[t] = math.Inf(1)
		for _, c := range candidates {
			if v := best[c.at] + cost.of(c.at, t) + opts.Penalty; v < best[t] {
				best[t], from[t] = v, c.at
			}
		}
		// A candidate that loses to a change at t itself loses to it for ever, but a
		// segment that begins at t must first be long enough to exist.
		for i, c := range candidates {
			if c.until == always && best[c.at]+cost.of(c.at, t) >= best[t] {
				candidates[i].until = t + opts.Shortest
			}
		}
		candidates = slices.DeleteFunc(candidates, func(c candidate) bool { return c.until <= t+1 })
	}
	var changes []int
	for t := from[n]; t > 0; t = from[t] {
		changes = append(changes, t)
	}
	slices.Reverse(changes)
	return changes, nil
}

// A segmentCost gives twice the negative log-likelihood of a normal segment at
// its most likely mean and variance, the variance not below a floor.
type segmentCost struct {
	sums, squares []float64 // of the first values, less the mean of all
	floor         float64   // of the variance
}

func newSegmentCost(xs []float64, floor float64) segmentCost {
	mean := 0.0
	for _, x := range xs {
		mean += x / float64(len(xs))
	}
	c := segmentCost{sums: make([]float64, len(xs)+1), squares: make([]float64, len(xs)+1)}
	for i, x := range xs {
		c.sums[i+1] = c.sums[i] + x - mean
		c.squares[i+1] = c.squares[i] + (x-mean)*(x-mean)
	}
	if c.floor = floor * floor; floor == 0 {
		c.floor = max(1e-300, 1e-12*c.squares[len(xs)]/float64(len(xs)))
	}
	return c
}

func (c segmentCost) of(from, to int) float64 {
	n := float64(to - from)
	sum := c.sums[to] - c.sums[from]
	spread := max(0, (c.squares[to]-c.squares[from]-sum*sum/n)/n)
	variance := max(spread, c.floor)
	return n * (math.Log(2*math.Pi*variance) + spread/variance)
}
