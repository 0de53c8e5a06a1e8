package metric

import (
	"assay/record"
	"assay/unit"
)

// What a model thinks before it answers.
var (
	ReasoningTokens = Metric{
		ID: "reasoning_tokens.v1", Name: "reasoning tokens", Unit: unit.Token, Better: Lower, Scope: Scope{Workload: textOut}, Detail: true,
		Doc: "Output tokens of a request that usage calls reasoning.",
		Of: Each(single(func(t *Timeline) (float64, bool) {
			if t.UsageReasoning == nil {
				return 0, false
			}
			return float64(*t.UsageReasoning), true
		})),
	}
	ReasoningShare = Metric{
		ID: "reasoning_share.v1", Name: "reasoning share", Unit: unit.Share, Better: Lower, Scope: Scope{Workload: textOut}, Detail: true,
		Doc: "Tokens that usage calls reasoning / all output tokens of a request.",
		Of: Each(single(func(t *Timeline) (float64, bool) {
			n, known := count(byUsage).of(t, 1)
			if !known || t.UsageReasoning == nil {
				return 0, false
			}
			return float64(*t.UsageReasoning) / n, true
		})),
	}
	ReasoningTime = Metric{
		ID: "reasoning_time.v1", Name: "reasoning time", Unit: unit.Second, Better: Lower, Scope: Scope{Workload: textOut}, Detail: true,
		Doc: "Time from the first event with reasoning to the first other output after it, or to the last reasoning where no other output came.",
		Of:  Each(single(reasoningTime)),
	}
)

func reasoningTime(t *Timeline) (float64, bool) {
	begin, end := int64(-1), int64(-1)
	for c := range t.Output {
		switch {
		case c.Kind == record.Reasoning && begin < 0:
			begin, end = c.At, c.At
		case c.Kind == record.Reasoning:
			end = c.At
		case begin >= 0:
			return seconds(c.At - begin), true
		}
	}
	return seconds(end - begin), begin >= 0
}
