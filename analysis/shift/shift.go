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

	// Largest names the part that changed most, empty when no part's change is
	// clear of zero.
	Largest string   `json:"largest,omitempty"`
	Missing []string `json:"missing,omitempty"`
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
	largest := 0.0
	for i, p := range after.Parts {
		if before.Parts[i].Name != p.Name {
			return out, ErrOtherParts
		}
		part, err := change(p.Name, p.Class, before.Parts[i].Values, p.Values, confidence)
		if err != nil {
			return out, fmt.Errorf("%s: %w", p.Name, err)
		}
		if out.Whole.Change.Value != 0 {
			part.Share = part.Change.Value / out.Whole.Change.Value
		}
		out.Groups[p.Class] += part.Change.Value
		if size := math.Abs(part.Change.Value); part.Clear && size > largest {
			largest, out.Largest = size, p.Name
		}
		out.Parts = append(out.Parts, part)
	}
	return out, nil
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
