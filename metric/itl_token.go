package metric

import (
	"math"

	"assay/unit"
)

// The gaps between tokens, where events hold several.
var (
	ITLToken = Metric{
		ID: "itl_token.v2", Name: "ITL (token)", Unit: unit.Second, Better: Lower, Scope: Scope{Workload: textOut}, Detail: true,
		Doc: "Time between two successive tokens of one stream: the gap before an event, divided evenly over the tokens of the event, one value per token. Events hold as large a part of the output tokens, by usage, as of the output's bytes, rounded so that the parts sum to the whole; time before an event of none goes to the next that has some, and events that shared a read count as one. Tokens of the first event have no gap.",
		Of:  Values(func(t *Timeline) []float64 { return t.tokenGaps(t.UsageOutput) }),
	}
	ITLTokenCounted = Metric{
		ID: "itl_token_tokenizer.v2", Name: "ITL (token, tokenizer)", Unit: unit.Second, Better: Lower, Scope: Scope{Workload: countedOut}, Detail: true,
		Doc: "As itl_token.v2, with the tokens that the named tokenizer counts.",
		Of:  Values(func(t *Timeline) []float64 { return t.tokenGaps(t.TokenizerOutput) }),
	}
)

// tokenGaps spreads the gaps of a stream over so many tokens.
func (t *Timeline) tokenGaps(tokens *int32) []float64 {
	total := 0.0
	for i := range t.Events {
		if t.Events[i].Kind.Output() {
			total += float64(t.Events[i].TextBytes)
		}
	}
	if tokens == nil || *tokens < 2 || total == 0 {
		return nil
	}
	gaps := t.room(int(*tokens - 1))
	each := float64(*tokens) / total
	last, passed, bytes := int64(-1), 0.0, 0.0
	for i := range t.Events {
		c := &t.Events[i]
		if !c.Kind.Output() {
			continue
		}
		bytes += float64(c.TextBytes)
		upTo := math.Round(bytes * each)
		own := upTo - passed
		if own == 0 || t.stampedLate(i) {
			continue
		}
		if last >= 0 {
			gap := seconds(c.At-last) / own
			for range int(own) {
				gaps = append(gaps, gap)
			}
		}
		last, passed = c.At, upTo
	}
	return gaps
}
