package metric

import "assay/unit"

// TPOTCounted is TPOT with the tokens of a tokenizer that the author named.
var TPOTCounted = Metric{
	ID:     "tpot_tokenizer.v1",
	Name:   "TPOT (tokenizer)",
	Unit:   unit.Second,
	Better: Lower,
	Doc:    "(time of the last output event − time of the first) / (output tokens − 1), with the tokens that the named tokenizer counts in the answer, whatever the server reports. Requests of fewer than two tokens have none.",
	Scope:  Scope{Workload: countedOut},
	Of:     Each(func(t *Timeline) []float64 { return t.pace(t.TokenizerOutput) }),
}

// OutputThroughputCounted is output throughput with the tokens of a tokenizer
// that the author named.
var OutputThroughputCounted = Metric{
	ID:     "output_throughput_tokenizer.v1",
	Name:   "output throughput (tokenizer)",
	Unit:   unit.TokenPerSecond,
	Better: Higher,
	Doc:    "As output_throughput.v1, with the tokens that the named tokenizer counts in each answer, whatever the server reports.",
	Scope:  Scope{Workload: countedOut},
	Of: Whole(func(p *Point) (float64, bool) {
		return p.outputRate(func(t *Timeline) *int32 { return t.TokenizerOutput })
	}),
}
