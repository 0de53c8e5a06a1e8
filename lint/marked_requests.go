package lint

import (
	"fmt"
	"slices"
	"strings"

	"assay/finding"
	"assay/record"
	"assay/spec"
	"assay/stats"
)

// MarkedRequests fires when a target answers the requests of a benchmark faster than others.
var MarkedRequests = Check{
	ID: "marked-requests", Severity: finding.Void, About: finding.Speed,
	Doc: "Requests that can be known as a benchmark's get other answers' times than those that cannot.",
	When: "the median time to the end, or to the first byte, of the requests that carry a traceparent lies 10 % or more below that of " +
		"the one in 16 that went out without, of at least 10, and ranks tell them apart (Mann–Whitney, p ≤ 0.01 %): void where the marked " +
		"are faster, a caution where they are slower, as where the server exports each trace",
	Applies: func(f *Facts) bool {
		return serves(f) && slices.ContainsFunc(f.sides(), func(side string) bool { return traces(f.target(side)) })
	},
	Run: markedRequests,
}

const (
	// marksLevel is how often a target that treats all alike may be accused.
	marksLevel = 1e-4
	// marksMatter is the difference of medians from which on a mark is worth a word.
	marksMatter = .1
	// fewestUnmarked is how many controls there must be: with ten, and many marked ones, ranks
	// reach the level.
	fewestUnmarked = 10
	// mostMarked bounds what is kept of a launch, of each kind.
	mostMarked = 1024
)

// Marks are seconds of successful measured requests that carried a trace, and of those that
// went out without as a control.
type Marks struct{ marked, unmarked markTimes }

type markTimes struct{ first, done []float64 }

// traces says whether the requests to a target carry traces that are ours.
func traces(t spec.Target) bool {
	for name := range t.Headers {
		if strings.EqualFold(name, "traceparent") {
			return false
		}
	}
	return t.Traceparent != nil && *t.Traceparent && t.API != spec.APICommand
}

func (m *Marks) add(r *record.Request) {
	times := &m.marked
	if slices.Contains(strings.Fields(r.Flags), record.Unmarked) {
		times = &m.unmarked
	}
	if len(times.done) == mostMarked {
		return
	}
	times.done = append(times.done, float64(r.Done-r.Sent)/1e9)
	if r.First != nil {
		times.first = append(times.first, float64(*r.First-r.Sent)/1e9)
	}
}

func markedRequests(f *Facts) Answer {
	var list []finding.Finding
	for _, p := range f.places() {
		marked, unmarked := p.marks()
		if len(unmarked.done) < fewestUnmarked {
			continue // too short a point to tell: that is no fault of the run
		}
		for _, of := range []struct {
			name             string
			marked, unmarked []float64
		}{{"the end", marked.done, unmarked.done}, {"the first byte", marked.first, unmarked.first}} {
			if one, differ := marksDiffer(p.name, of.name, of.marked, of.unmarked); differ {
				list = append(list, one)
				break
			}
		}
	}
	return found(list...)
}

// marks are those of all launches of a place.
func (p placeTally) marks() (marked, unmarked markTimes) {
	for _, t := range p.launches {
		marked.first, marked.done = append(marked.first, t.Marks.marked.first...), append(marked.done, t.Marks.marked.done...)
		unmarked.first, unmarked.done = append(unmarked.first, t.Marks.unmarked.first...), append(unmarked.done, t.Marks.unmarked.done...)
	}
	return marked, unmarked
}

func marksDiffer(place, to string, marked, unmarked []float64) (finding.Finding, bool) {
	if len(unmarked) < fewestUnmarked || len(marked) < fewestUnmarked {
		return finding.Finding{}, false
	}
	with, without := middle(marked), middle(unmarked)
	test, err := stats.MannWhitney(unmarked, marked)
	if err != nil || test.P > marksLevel || max(with, without) < (1+marksMatter)*min(with, without) {
		return finding.Finding{}, false
	}
	one := finding.Finding{
		Severity: finding.Void,
		Message: fmt.Sprintf("%s: requests that carry a trace take %s to %s in the middle, and the %d that carry none %s (p = %.1g)",
			place, duration(with), to, len(unmarked), duration(without), test.P),
		Why: "the target knows a benchmark by its marks, and treats it better than anybody else",
		Fix: "set target.traceparent to false and measure again: those are the times that others get",
	}
	if with > without {
		one.Severity = finding.Caution
		one.Why = "requests with a trace are slower: the server spends that time on tracing, or treats them otherwise"
		one.Fix = "set target.traceparent to false, or let the server sample its traces"
	}
	return one, true
}

// middle is the median of values, of which there is one at least.
func middle(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)/2]
}
