package gate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"assay/spec"
	"assay/stats"
)

// A Delta is a difference in quality, candidate − baseline, that somebody
// measured: one element of the list in an accuracy file.
type Delta struct {
	Metric     string         `json:"metric"`
	Value      float64        `json:"value"`
	Interval   stats.Interval `json:"interval"`
	Confidence float64        `json:"confidence"`
	N          int            `json:"n,omitempty"`
	Source     string         `json:"source,omitempty"` // where it comes from, in words
}

// An AccuracyDecision is what the gate says about one measure of quality, at one point
// where the bundles themselves were graded at several.
type AccuracyDecision struct {
	Metric    string  `json:"metric"`
	Tolerance float64 `json:"tolerance"`
	Better    string  `json:"better"`
	Verdict   Verdict `json:"verdict"`
	Reason    string  `json:"reason"`
	Delta     *Delta  `json:"delta,omitempty"`
}

// ReadAccuracy reads an accuracy file: a list of deltas as JSON. Unknown fields
// are errors, as is a delta without an interval.
func ReadAccuracy(name string, data []byte) ([]Delta, error) {
	var list []Delta
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.DisallowUnknownFields()
	if err := d.Decode(&list); err != nil {
		return nil, fmt.Errorf("%s: %w: want a list of {metric, value, interval: [lo, hi], confidence}", name, err)
	}
	for i, one := range list {
		switch {
		case one.Metric == "":
			return nil, fmt.Errorf("%s: number %d: got no metric", name, i+1)
		case one.Confidence <= 0 || one.Confidence >= 1:
			return nil, fmt.Errorf("%s: %s: got confidence %v, want one between 0 and 1", name, one.Metric, one.Confidence)
		case !(one.Interval.Lo <= one.Value && one.Value <= one.Interval.Hi):
			return nil, fmt.Errorf("%s: %s: got value %v outside of interval [%v, %v], want it inside", name, one.Metric, one.Value, one.Interval.Lo, one.Interval.Hi)
		case slices.ContainsFunc(list[:i], func(other Delta) bool { return other.Metric == one.Metric }):
			return nil, fmt.Errorf("%s: %s: got it twice, want it once", name, one.Metric)
		}
	}
	return list, nil
}

// judgeAccuracy holds the deltas to their tolerances. Their intervals are the
// file's own; one with less confidence than the gate's is not enough. What no file has is
// judged by the answers in the bundles.
func judgeAccuracy(in Input) ([]AccuracyDecision, error) {
	s := in.Policy.Spec
	rows, err := gradedRows(in)
	if err != nil {
		return nil, err
	}
	var list []AccuracyDecision
	for _, gated := range s.Accuracy {
		d := AccuracyDecision{Metric: gated.Metric, Tolerance: gated.Tolerance, Better: gated.Better}
		i := slices.IndexFunc(in.Accuracy, func(one Delta) bool { return one.Metric == gated.Metric })
		switch graded := rows[gated.Metric]; {
		case i >= 0:
			d.Delta = &in.Accuracy[i]
			d.Verdict, d.Reason = within(in.Accuracy[i], gated, s.Alpha)
			list = append(list, d)
		case len(graded) > 0:
			for _, row := range graded {
				list = append(list, d.of(row, s.Alpha))
			}
		default:
			d.Verdict, d.Reason = Missing, "no accuracy file has it, and the bundles do not hold its answers on both sides"
			list = append(list, d)
		}
	}
	return list, nil
}

func within(delta Delta, gated spec.GatedAccuracy, alpha float64) (Verdict, string) {
	value, worst, best := -delta.Value, -delta.Interval.Lo, -delta.Interval.Hi // losses
	if gated.Better == "lower" {
		value, worst, best = delta.Value, delta.Interval.Hi, delta.Interval.Lo
	}
	const rounding = 1e-9 // of the level as written: 1 − 0.95 is not quite 0.05
	switch {
	case delta.Confidence < 1-alpha-rounding:
		return Inconclusive, fmt.Sprintf("the interval has a confidence of %v, want at least %v", delta.Confidence, 1-alpha)
	case best > 0 && value > gated.Tolerance:
		return Regressed, "a loss throughout the interval, and beyond the tolerance"
	case worst <= gated.Tolerance:
		return NotWorse, "the loss is within the tolerance"
	}
	return Inconclusive, "the interval reaches beyond the tolerance"
}
