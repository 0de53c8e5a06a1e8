package metric

import "assay/unit"

// TPOT is the pace of generation after the first token.
var TPOT = Metric{
	ID:     "tpot.v1",
	Name:   "TPOT",
	Unit:   unit.Second,
	Better: Lower,
	Scope:  Scope{Workload: textOut},
	Doc:    "(time of the last output event − time of the first) / (output tokens − 1), with the tokens that the server reports as usage. Requests of fewer than two tokens, or without usage, have none.",
	Of:     Each(func(t *Timeline) []float64 { return t.pace(t.UsageOutput) }),
}

// pace is the time between two of so many tokens.
func (t *Timeline) pace(tokens *int32) []float64 {
	if tokens == nil || *tokens < 2 {
		return nil
	}
	first, ok := t.firstOutput()
	if !ok {
		return nil
	}
	last, _ := t.lastOutput()
	return append(t.room(1), seconds(last-first)/float64(*tokens-1))
}
