package metric

import (
	"fmt"
	"math"

	"assay/finding"
	"assay/record"
	"assay/spec"
)

// A Count lays two counts of the same tokens side by side: those assay counted
// and those the server reported, over the successful measured requests of a
// point that have both.
type Count struct {
	Point    int     `json:"point"`
	Side     string  `json:"side,omitempty"`
	Of       string  `json:"of"`       // prompt or answer
	Requests int     `json:"requests"` // that have both counts
	Ours     float64 `json:"ours"`     // mean
	Server   float64 `json:"server"`   // mean
	Least    int     `json:"least"`    // smallest difference, server less ours
	Most     int     `json:"most"`     // largest
}

// What is counted.
const (
	OfPrompt = "prompt"
	OfAnswer = "answer"
)

// tokenCounts sums the counts of prompts and of answers.
func (p *Point) tokenCounts() []Count {
	return []Count{
		p.sumTokens(OfPrompt, func(t *Timeline) (ours, server *int32) {
			if t.AskedInput == 0 {
				return nil, nil // nobody counted the prompt
			}
			return &t.AskedInput, t.UsageInput
		}),
		p.sumTokens(OfAnswer, func(t *Timeline) (ours, server *int32) { return t.TokenizerOutput, t.UsageOutput }),
	}
}

func (p *Point) sumTokens(of string, both func(*Timeline) (ours, server *int32)) Count {
	c := Count{Of: of, Least: math.MaxInt, Most: math.MinInt}
	for t := range p.Measured {
		ours, server := both(t)
		if t.Result != record.OK || ours == nil || server == nil {
			continue
		}
		c.Requests++
		c.Ours += float64(*ours)
		c.Server += float64(*server)
		more := int(*server - *ours)
		c.Least, c.Most = min(c.Least, more), max(c.Most, more)
	}
	return c
}

// sumCounts compares the counts of all launches, where there are any. Sums of
// whole numbers do not depend on their order.
func sumCounts(samples []judgedPoint) []Count {
	var known []Count
	for i := range samples[0].counts {
		all := samples[0].counts[i]
		for _, s := range samples[1:] {
			c := s.counts[i]
			all.Requests, all.Ours, all.Server = all.Requests+c.Requests, all.Ours+c.Ours, all.Server+c.Server
			all.Least, all.Most = min(all.Least, c.Least), max(all.Most, c.Most)
		}
		if all.Requests > 0 {
			all.Ours /= float64(all.Requests)
			all.Server /= float64(all.Requests)
			known = append(known, all)
		}
	}
	return known
}

// countTolerance is the difference beyond which counts are those of two
// vocabularies, not of one that somebody rounds.
const countTolerance = 0.01

// Findings says what in the counts needs eyes. The embedded tokenizer is no
// model's, so that a difference from it is to be expected and no finding.
func (c Count) Findings(w spec.Workload, point string) []finding.Finding {
	if !w.Tokenizer.Named() || c.Most <= 0 && c.Least >= 0 {
		return nil
	}
	f := finding.Finding{
		Check: "token-count", Severity: finding.Note,
		Message: fmt.Sprintf("%s: the server counts %d tokens more in every %s than the %.1f, on average, that the tokenizer counts", point, c.Least, c.Of, c.Ours),
		Why:     "a chat template adds tokens to each prompt, and a server may count the one that ends an answer",
		Fix:     "read lengths as those of the text; the server's own count stands beside them in the table requests",
	}
	if c.Least == c.Most && c.Least > 0 {
		return []finding.Finding{f}
	}
	f.Message = fmt.Sprintf("%s: %s tokens are %.1f on average by the server's count, %.1f by the tokenizer's; the difference runs from %d to %d over %d requests", point, c.Of, c.Server, c.Ours, c.Least, c.Most, c.Requests)
	f.Why = "the two count with different vocabularies, or the server does something to the text"
	f.Fix = "name the model's own tokenizer in spec.workload.tokenizer"
	if math.Abs(c.Server-c.Ours) > countTolerance*c.Ours {
		f.Severity = finding.Caution
	}
	return []finding.Finding{f}
}
