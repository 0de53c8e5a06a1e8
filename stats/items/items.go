// Package items holds the statistics of evaluations: what the scores of two systems
// on the same items say about the systems. An item is a question, and it is what is
// sampled here, as a launch is in package stats: another evaluation would ask other
// questions. Items that share a context are a cluster, and several answers to one item
// are its samples.
//
// Differences are taken item by item. What both systems find hard cancels, and the
// interval is a half or a third as wide as that of two scores held beside each other.
//
// To add a method, write one file named for it, cite its source, and test it against
// published values and by its properties, as for package stats.
package items

import (
	"errors"
	"fmt"
	"math"
)

// A Pair is one item that both systems answered: the scores of their answers, one for
// each sample. The systems may have answered a different number of times.
type Pair struct {
	// Cluster names the items that share a context, such as the questions about one
	// passage: they are right or wrong together. Empty means an item of its own.
	Cluster string

	// Group names items that may be a cluster though nobody said so: their ids begin alike.
	// It counts where no item has a cluster and the answers of a group change together.
	Group string

	A, B []float64
}

// ErrNoItems says that there is nothing to compare.
var ErrNoItems = errors.New("no item was answered by both systems")

// A paired sample is a list of pairs in the form that the methods work on.
type sample struct {
	a, b, d  []float64 // the mean score of each item, and b − a
	clusters clusters
	grouped  *Grouped // nil where nobody suspects groups
}

func sampleOf(pairs []Pair) (sample, error) {
	if len(pairs) == 0 {
		return sample{}, ErrNoItems
	}
	s := sample{a: make([]float64, len(pairs)), b: make([]float64, len(pairs)), d: make([]float64, len(pairs))}
	labels := make([]string, len(pairs))
	for i, p := range pairs {
		var err error
		if s.a[i], err = meanScore(p.A); err != nil {
			return sample{}, fmt.Errorf("item %d, first system: %w", i, err)
		}
		if s.b[i], err = meanScore(p.B); err != nil {
			return sample{}, fmt.Errorf("item %d, second system: %w", i, err)
		}
		s.d[i], labels[i] = s.b[i]-s.a[i], p.Cluster
	}
	s.clusters = clustersOf(labels)
	if s.clusters.alone() {
		groups := make([]string, len(pairs))
		for i, p := range pairs {
			groups[i] = p.Group
		}
		var suspected clusters
		if suspected, s.grouped = grouping(groups, s.d); s.grouped != nil && s.grouped.Taken {
			s.clusters = suspected
		}
	}
	return s, nil
}

func meanScore(scores []float64) (float64, error) {
	if len(scores) == 0 {
		return 0, errors.New("no score: leave out items that one of the systems did not answer, and count them")
	}
	sum := 0.0
	for _, v := range scores {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, fmt.Errorf("a score is %v: want finite numbers", v)
		}
		sum += v
	}
	return sum / float64(len(scores)), nil
}

// single reports whether every item was answered once by each system, rightly or not
// at all: the case for which counts of changed items say everything.
func single(pairs []Pair) bool {
	for _, p := range pairs {
		if len(p.A) != 1 || len(p.B) != 1 || !binary(p.A[0]) || !binary(p.B[0]) {
			return false
		}
	}
	return true
}

func binary(v float64) bool { return v == 0 || v == 1 }
