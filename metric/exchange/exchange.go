// Package exchange says what the stamps of one training step tell about the
// exchange of gradients: how much of it was in the open, how much hid behind the
// computation, and how much was waiting for a peer.
//
// It is arithmetic on the stamps of one step, in nanoseconds of one clock. It knows
// no bundle, draws no conclusion and accuses nobody: packages metric and
// analysis/overlap do. docs/reference/method-ranks.md states the definitions in words.
package exchange

import (
	"cmp"
	"slices"
)

// A Bucket is one gradient bucket on its way: its gradients were final on this rank
// at Ready, and its exchange was over at End.
type Bucket struct{ Ready, End int64 }

// A Side is what one rank stamped in one step.
type Side struct {
	Forward int64 // begin of the forward pass
	Begin   int64 // of the backward pass
	End     int64 // of the backward pass, the exchange included
	Buckets []Bucket
}

// Figures are what one rank's stamps tell, in nanoseconds.
type Figures struct {
	Compute int64 // from the begin of the backward pass to its last gradient
	Exposed int64 // from the last gradient to the end of the backward pass
	Comm    int64 // union of the buckets' intervals: they queue, so that their sum counts time twice
	Sum     int64 // of the buckets' intervals
}

// Overlap is the share of the exchange that hid behind the computation; false
// without an exchange.
func (f Figures) Overlap() (float64, bool) {
	return 1 - float64(f.Exposed)/float64(f.Comm), f.Comm > 0
}

// Alone is what a rank's own stamps tell, whatever its clock shows; false for a
// step without an exchange.
func Alone(s Side) (Figures, bool) {
	if len(s.Buckets) == 0 {
		return Figures{}, false
	}
	last := s.Buckets[0].Ready
	f := Figures{}
	for _, b := range s.Buckets {
		last = max(last, b.Ready)
		f.Sum += b.End - b.Ready
	}
	f.Compute, f.Exposed, f.Comm = last-s.Begin, max(0, s.End-last), union(s.Buckets)
	return f, true
}

// union is how long at least one of the buckets was on its way.
func union(list []Bucket) (length int64) {
	sorted := slices.SortedFunc(slices.Values(list), func(a, b Bucket) int { return cmp.Compare(a.Ready, b.Ready) })
	end := sorted[0].Ready
	for _, b := range sorted {
		length += max(0, b.End-max(b.Ready, end))
		end = max(end, b.End)
	}
	return length
}
