package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// EnergyDistance is the statistic of the E-divisive method between two samples,
// with exponent 1: mn/(m+n) times twice the mean distance between them less the
// mean distances inside each.
func EnergyDistance(xs, ys []float64) float64 {
	if len(xs) < 2 || len(ys) < 2 {
		return 0
	}
	between := 0.0
	for _, x := range xs {
		for _, y := range ys {
			between += math.Abs(x - y)
		}
	}
	return energy(between, within(xs), within(ys), len(xs), len(ys))
}

// within is the sum of the distances of all pairs.
func within(xs []float64) (sum float64) {
	for i := range xs {
		for j := range i {
			sum += math.Abs(xs[i] - xs[j])
		}
	}
	return sum
}

func energy(between, left, right float64, n, m int) float64 {
	a, b := float64(n), float64(m)
	return a * b / (a + b) * (2*between/(a*b) - 2*left/(a*(a-1)) - 2*right/(b*(b-1)))
}

// ChangeOptions tunes ChangePoints. The zero value is ready to use.
type ChangeOptions struct {
	// Alpha is the chance to find anything where nothing changed. Zero means .05.
	Alpha float64

	// Shortest is the fewest values of a segment, so that a single spike is no
	// change. Zero means 5.
	Shortest int

	// Permutations is how many orders a change is compared with. Zero means 199.
	Permutations int

	// Seed decides those orders.
	Seed uint64
}

// A ChangePoint is a place at which the distribution of a series changes.
type ChangePoint struct {
	At     int     `json:"at"`     // the first value after it
	Energy float64 `json:"energy"` // the statistic when it was found
	P      float64 `json:"p"`      // of the whole search that found it
	Before float64 `json:"before"` // median of the segment before it
	After  float64 `json:"after"`  // median of the segment after it
}

// ChangePoints finds the places at which xs changes its distribution by the
// E-divisive method (Matteson and James 2014): the split with the largest energy
// over all segments, both its place and the end of what it is compared with
// being free, again and again until one is no longer significant.
//
// The p of a split is that of the search for it: the values of every segment are
// put into random order and the same search is made. It thus allows for having
// chosen the largest of all places in all segments, which a test of the two sides
// after the choice does not. Since each test is made only after those before it
// have rejected, the chance of any change too many stays at Alpha.
func ChangePoints(xs []float64, opts ChangeOptions) ([]ChangePoint, error) {
	if opts.Alpha == 0 {
		opts.Alpha = .05
	}
	if opts.Shortest == 0 {
		opts.Shortest = 5
	}
	if opts.Permutations == 0 {
		opts.Permutations = 199
	}
	if opts.Shortest < 2 || opts.Alpha < 0 || opts.Alpha >= 1 || opts.Permutations < 1 {
		return nil, fmt.Errorf("%+v: want segments of at least 2, alpha below 1 and at least one permutation", opts)
	}
	rng := rand.New(rand.NewPCG(opts.Seed, 0xed1))
	ends := []int{0, len(xs)}
	var found []ChangePoint
	for {
		at, value := bestSplit(xs, ends, opts.Shortest)
		if at < 0 || value <= 0 {
			break
		}
		p := splitP(xs, ends, value, rng, opts)
		if p > opts.Alpha {
			break
		}
		found = append(found, ChangePoint{At: at, Energy: value, P: p})
		ends = append(ends, at)
		slices.Sort(ends)
	}
	slices.SortFunc(found, func(a, b ChangePoint) int { return a.At - b.At })
	for i := range found {
		found[i].Before = medianOf(xs[ends[i]:ends[i+1]])
		found[i].After = medianOf(xs[ends[i+1]:ends[i+2]])
	}
	return found, nil
}

// splitP is how often the best split of reordered segments is at least value.
func splitP(xs []float64, ends []int, value float64, rng *rand.Rand, opts ChangeOptions) float64 {
	mixed := slices.Clone(xs)
	atLeast := 1
	for range opts.Permutations {
		for i := 1; i < len(ends); i++ {
			segment := mixed[ends[i-1]:ends[i]]
			rng.Shuffle(len(segment), func(a, b int) { segment[a], segment[b] = segment[b], segment[a] })
		}
		if _, v := bestSplit(mixed, ends, opts.Shortest); v >= value {
			atLeast++
		}
	}
	return float64(atLeast) / float64(opts.Permutations+1)
}

// bestSplit is the place of the largest energy over all segments, or −1.
func bestSplit(xs []float64, ends []int, shortest int) (at int, value float64) {
	at = -1
	for i := 1; i < len(ends); i++ {
		if t, v := splitSegment(xs[ends[i-1]:ends[i]], shortest); t >= 0 && (at < 0 || v > value) {
			at, value = ends[i-1]+t, v
		}
	}
	return at, value
}

// splitSegment looks at every place t and every end k of the right side, in time
// and memory of the square of the length: distance sums grow by one row a step.
func splitSegment(xs []float64, shortest int) (at int, value float64) {
	at = -1
	n := len(xs)
	if n < 2*shortest {
		return at, 0
	}
	// from[i] is the sum of the distances of value k to the values i…k.
	left := make([]float64, n+1) // within the first t values
	for t := 1; t < n; t++ {
		sum := 0.0
		for i := range t {
			sum += math.Abs(xs[t] - xs[i])
		}
		left[t+1] = left[t] + sum
	}
	right := make([]float64, n) // within t…k, for every t, as k grows
	from := make([]float64, n+1)
	for k := range n {
		from[k] = 0
		for i := k - 1; i >= 0; i-- {
			from[i] = from[i+1] + math.Abs(xs[k]-xs[i])
			right[i] += from[i]
		}
		for t := shortest; t+shortest <= k+1; t++ {
			between := left[k+1] - left[t] - right[t]
			if v := energy(between, left[t], right[t], t, k+1-t); at < 0 || v > value {
				at, value = t, v
			}
		}
	}
	return at, value
}
