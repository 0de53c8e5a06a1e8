package metric

import "assay/record"

// single makes Each of what has at most one value for a request.
func single(value func(*Timeline) (float64, bool)) func(*Timeline) []float64 {
	return func(t *Timeline) []float64 {
		v, ok := value(t)
		if !ok {
			return nil
		}
		return append(t.room(1), v)
	}
}

// A count is one of the two counts of the tokens of an answer: nil where the
// server reported none, or where no tokenizer was named.
type count func(t *Timeline) *int32

func byUsage(t *Timeline) *int32     { return t.UsageOutput }
func byTokenizer(t *Timeline) *int32 { return t.TokenizerOutput }

// of is the number of tokens, and false where it is not known or below least.
func (c count) of(t *Timeline, least int32) (float64, bool) {
	n := c(t)
	if n == nil || *n < least {
		return 0, false
	}
	return float64(*n), true
}

// firstOf is when the first event that keep takes arrived.
func (t *Timeline) firstOf(keep func(record.ChunkKind) bool) (int64, bool) {
	for i := range t.Events {
		if keep(t.Events[i].Kind) {
			return t.Events[i].At, true
		}
	}
	return 0, false
}
