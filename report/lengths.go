package report

import (
	"fmt"
	"strings"

	"assay/spec"
)

// lengths says how long requests are, and where that is known only on average
// or for answers alone, says so.
func lengths(w spec.Workload) []string {
	if len(w.Prompt.Scenarios) > 0 {
		return sweepLengths(w)
	}
	if p := w.Prompt; p.Task != "" && p.Task != spec.TextToText {
		return []string{p.Task + shape(w)}
	}
	var list []string
	for _, l := range w.SequenceLengthMix {
		text := fmt.Sprintf("%d tokens in, %d out, weight %g", l.InputTokens, l.OutputTokens, l.Weight)
		switch {
		case w.Prompt.Dataset != nil:
			text = fmt.Sprintf("%d tokens out where a row of %s names none, weight %g", l.OutputTokens, w.DatasetRef, l.Weight)
		case w.Prompt.Scenario != "":
			text = fmt.Sprintf("%s: about %d tokens in and %d out on average", w.Prompt.Scenario, l.InputTokens, l.OutputTokens)
		case w.Prompt.Spread > 0:
			text += fmt.Sprintf("; %s with spread %g", w.Prompt.Distribution, w.Prompt.Spread)
		}
		list = append(list, text)
	}
	return list
}

// sweepLengths says how long the requests of each scenario of a sweep are.
func sweepLengths(w spec.Workload) []string {
	var list []string
	for _, scenario := range w.Prompt.Scenarios {
		list = append(list, lengths(w.At(scenario, 0))...)
	}
	return list
}

// batches lists the batch sizes of a sweep; nothing without one.
func batches(l *spec.Load) string {
	if l == nil || len(l.BatchSizes) == 0 {
		return ""
	}
	var list []string
	for _, size := range l.BatchSizes {
		list = append(list, fmt.Sprint(size))
	}
	return strings.Join(list, ", ") + " documents a request, in turn"
}

// shape says what the requests of a task other than text to text hold.
func shape(w spec.Workload) string {
	p := w.Prompt
	var text string
	switch {
	case p.Dataset != nil:
		text = ": rows of " + w.DatasetRef
	case p.Scenario != "":
		text = ": " + p.Scenario
	default:
		text = fmt.Sprintf(": recordings of %v", p.Details.Sound)
	}
	if p.Details.Documents > 0 {
		text += fmt.Sprintf(", %d documents a request", p.Details.Documents)
	}
	return text
}
