// Package shift says where a change of speed comes from: which part of an answer
// or of a training step grew or shrank between two runs.
package shift

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"assay/analysis/breakdown"
	"assay/stats"
)

// A Part is what one part of the time did.
type Part struct {
	Name   string          `json:"name"`
	Class  breakdown.Class `json:"class"`
	Before float64         `json:"before"` // seconds, mean over launches
	After  float64         `json:"after"`
	Change stats.Estimate  `json:"change"` // seconds
	Share  float64         `json:"share"`  // of the whole change
	Clear  bool            `json:"clear"`  // the interval of the change excludes zero
}

// A Shift is the change of a time and of its parts. Changes of the parts sum to
// the change of the whole.
type Shift struct {
	Of     string                      `json:"of"`
	Whole  Part                        `json:"whole"`
	Parts  []Part                      `json:"parts"`
	Groups map[breakdown.Class]float64 `json:"groups"` // seconds by class

	// Kinds are what the change is put down to: compute, communication, storage and
	// orchestration, then the client and what nobody can explain. Their changes, too, sum to
	// that of the whole; a kind that no part belongs to is not there.
	Kinds []Part `json:"kinds"`

	// Largest names the part that changed most, empty when no part's change is
	// clear of zero; LargestKind is the same of the kinds.
	Largest     string   `json:"largest,omitempty"`
	LargestKind string   `json:"largestKind,omitempty"`
	Missing     []string `json:"missing,omitempty"`
}

// ErrOtherParts says that two runs cannot be distinguished part by part.
var ErrOtherParts = errors.New("the two runs were not split alike: read the same counters on both sides")

// Between decomposes the change from before to after.
func Between(before, after breakdown.Breakdown, confidence float64) (Shift, error) {
	out := Shift{Of: after.Of, Groups: map[breakdown.Class]float64{}, Missing: after.Missing}
	if before.Of != after.Of || len(before.Parts) != len(after.Parts) {
		return out, ErrOtherParts
	}
	var err error
	if out.Whole, err = change(after.Of, "", before.Whole, after.Whole, confidence); err != nil {
		return out, err
	}
	for i, p := range after.Parts {
		if before.Parts[i].Name != p.Name {
			return out, ErrOtherParts
		}
		part, err := change(p.Name, p.Class, before.Parts[i].Values, p.Values, confidence)
		if err != nil {
			return out, fmt.Errorf("%s: %w", p.Name, err)
		}
		out.Parts = append(out.Parts, out.shared(part))
		out.Groups[p.Class] += part.Change.Value
	}
	if out.Kinds, err = out.kinds(before, after, confidence); err != nil {
		return out, err
	}
	out.Largest, out.LargestKind = largest(out.Parts), largest(out.Kinds)
	return out, nil
}

// shared is p with its share of the whole change.
func (s Shift) shared(p Part) Part {
	if s.Whole.Change.Value != 0 {
		p.Share = p.Change.Value / s.Whole.Change.Value
	}
	return p
}

// kinds adds the parts of each kind up, launch by launch, so that the interval is that of
// their sum.
func (s Shift) kinds(before, after breakdown.Breakdown, confidence float64) ([]Part, error) {
	var list []Part
	for _, kind := range breakdown.Kinds {
		was, is := sumOf(before, after, kind, len(before.Whole)), sumOf(after, after, kind, len(after.Whole))
		if is == nil {
			continue
		}
		part, err := change(string(kind), "", was, is, confidence)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
		list = append(list, s.shared(part))
	}
	return list, nil
}

// sumOf is what the parts of one kind take in each launch of b; nil where there are none.
// The kinds are those that classes has: a part has one kind on both sides.
func sumOf(b, classes breakdown.Breakdown, kind breakdown.Kind, launches int) []float64 {
	var sum []float64
	for i, p := range classes.Parts {
		if p.Class.Kind() != kind {
			continue
		}
		if sum == nil {
			sum = make([]float64, launches)
		}
		for launch, v := range b.Parts[i].Values {
			sum[launch] += v
		}
	}
	return sum
}

// largest names the part whose change is clear of zero and larger than all others.
func largest(parts []Part) (name string) {
	most := 0.0
	for _, p := range parts {
		if size := math.Abs(p.Change.Value); p.Clear && size > most {
			most, name = size, p.Name
		}
	}
	return name
}

func change(name string, class breakdown.Class, before, after []float64, confidence float64) (Part, error) {
	p := Part{Name: name, Class: class, Before: stat.Mean(before, nil), After: stat.Mean(after, nil)}
	if len(before) < 2 || len(after) < 2 {
		p.Change = stats.Estimate{
			Value: p.After - p.Before, Interval: stats.Unbounded, N: min(len(before), len(after)), Method: "difference of single launches",
			Warnings: []string{"one launch: no uncertainty can be stated"},
		}
		return p, nil
	}
	var err error
	p.Change, err = stats.DifferenceOfMeans(before, after, confidence)
	p.Clear = p.Change.Interval.Bounded() && !p.Change.Interval.Contains(0)
	return p, err
}
