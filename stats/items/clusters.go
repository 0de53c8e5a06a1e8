package items

import "math"

// clusters says which items belong together.
type clusters struct {
	of    []int // the cluster of each item
	sizes []float64
}

func clustersOf(labels []string) clusters {
	c := clusters{of: make([]int, len(labels))}
	known := map[string]int{}
	for i, label := range labels {
		at, seen := known[label]
		if label == "" || !seen {
			at = len(c.sizes)
			c.sizes = append(c.sizes, 0)
			known[label] = at
		}
		c.of[i] = at
		c.sizes[at]++
	}
	return c
}

func (c clusters) count() int { return len(c.sizes) }

// alone reports whether every item is a cluster of its own.
func (c clusters) alone() bool { return len(c.sizes) == len(c.of) }

// squares is the sum over clusters of the square of the sum of v − mean: what the
// variance of a mean is made of when items of a cluster vary together (Liang and
// Zeger: Biometrika 73, 1986; Miller: arXiv 2411.00640).
func (c clusters) squares(values []float64, mean float64) float64 {
	total := 0.0
	for _, s := range c.sums(values, mean) {
		total += s * s
	}
	return total
}

// sums is the sum of v − mean of each cluster.
func (c clusters) sums(values []float64, mean float64) []float64 {
	sums := make([]float64, len(c.sizes))
	for i, v := range values {
		sums[c.of[i]] += v - mean
	}
	return sums
}

// freedom is the degrees of freedom of a standard error over these clusters:
// Satterthwaite's for sums whose spread grows with the size of the cluster. Clusters
// of one size give their number less one, unequal ones fewer, since a few large ones
// decide.
func (c clusters) freedom() float64 {
	squares, fourths := 0.0, 0.0
	for _, n := range c.sizes {
		squares += n * n
		fourths += n * n * n * n
	}
	return squares*squares/fourths - 1
}

// effect is by how much more the mean of values varies than if the items were
// independent, one at least.
func (c clusters) effect(values []float64) float64 {
	if c.alone() {
		return 1
	}
	mean, independent := 0.0, 0.0
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		independent += (v - mean) * (v - mean)
	}
	if independent == 0 {
		return 1
	}
	return math.Max(1, c.squares(values, mean)/independent)
}
