package lint

import (
	"fmt"

	"assay/finding"
	"assay/metric"
)

// UsageMismatch fires when the server counts tokens that it did not send.
var UsageMismatch = Check{
	ID: "usage-mismatch", Severity: finding.Void,
	Doc: "The server reports more output tokens than its answers hold, and every rate per token is too high.",
	When: "more than 1 % of answers with more tokens, by the server's count, than the request allows " +
		"(one more is the token that ends it); the same surplus of 2 tokens or more over the output " +
		"events in every answer, while lengths vary by 4 tokens or more (of the first 65,536 events " +
		"of a launch); a named tokenizer that counts 10 % less, or less by one constant, in the same " +
		"text; fewer than 75 % of the server's count in the visible text as the embedded tokenizer, which cuts finer than " +
		"those of models, counts a sample of at least 10 answers, and as few events that show something: " +
		"a caution already below 105 %, which is 75 % as models cut English",
	Applies: answersText,
	Run:     usageMismatch,
}

const (
	// ending is how many tokens of an answer need not show in it: the one that ends
	// it, which some servers count.
	ending = 1
	// varied is by how many tokens answers must differ before a constant surplus
	// over their events says anything: where all are equally long, several tokens to
	// an event look the same.
	varied = 4
	// sentShare is the part of the server's count that must be found in the text.
	sentShare = .75
	// finer is how many tokens of the embedded tokenizer are one of a model's, in English: it
	// has 3.2 bytes to a token, those have 4.5.
	finer = 1.4
	// beyondShare is the share of answers that may be longer than allowed.
	beyondAllowed = .01
)

func usageMismatch(f *Facts) Answer {
	var list []finding.Finding
	looked := 0
	for _, p := range f.places() {
		s := p.surplus()
		looked += s.Answers + s.Bounded
		if message := inflated(s); message != "" {
			list = append(list, inflatedFinding(afterFirstAt(p.point.Name, p.side), p.name+": "+message))
		}
	}
	for _, p := range f.places() {
		s := p.shown()
		if s.Counted < fewestShown || s.Parts >= sentShare*s.Usage || s.Own >= finer*sentShare*s.Usage {
			continue
		}
		n := float64(s.Counted)
		one := inflatedFinding(afterFirstAt(p.point.Name, p.side), fmt.Sprintf("%s: the server counts %.1f tokens in an answer on average; in the visible text the embedded tokenizer finds %.1f, where those of models find fewer as a rule, and it came in %.1f events",
			p.name, s.Usage/n, s.Own/n, s.Parts/n))
		if s.Own >= sentShare*s.Usage {
			one.Severity = finding.Caution
		}
		list = append(list, one)
	}
	for _, c := range f.Estimates.Counts {
		if c.Of != metric.OfAnswer || !f.Plan.Workload().Tokenizer.Named() {
			continue
		}
		looked += c.Requests
		if constant := c.Most-c.Least <= ending && c.Least > ending; constant || c.Server-c.Ours > max(ending, lengthShare*c.Ours) {
			list = append(list, inflatedFinding(afterFirstAt(pointName(f, c.Point), c.Side), fmt.Sprintf("%s: the server counts %.1f tokens in an answer on average, and the named tokenizer counts %.1f in the same text",
				placeName(pointName(f, c.Point), c.Side), c.Server, c.Ours)))
		}
	}
	if looked == 0 {
		return missing("the number of output tokens of the answers (usage)")
	}
	return found(list...)
}

// inflated says how a count of tokens contradicts the answers; empty where it does
// not.
func inflated(s Surplus) string {
	switch {
	case float64(s.Beyond) > beyondAllowed*float64(s.Bounded):
		return fmt.Sprintf("%d of %d answers hold more tokens, by the server's count, than their requests allow", s.Beyond, s.Bounded)
	case s.Answers > 1 && s.Longest-s.Fewest >= varied && s.Least > ending && s.Most-s.Least <= ending:
		return fmt.Sprintf("the server counts %d tokens more in every answer than it sends pieces, whether the answer holds %d tokens or %d", s.Least, s.Fewest, s.Longest)
	}
	return ""
}

func inflatedFinding(scope finding.Scope, message string) finding.Finding {
	return finding.Finding{
		Severity: finding.Void, Message: message, Scope: scope,
		Why: "throughput and time per token divide by the server's count: tokens that were never sent make it look faster",
		Fix: "name the model's tokenizer in spec.workload.tokenizer, keep answers (load.keepAnswers), and have the server's usage mended",
	}
}

// surplus adds those of the launches of a place.
func (p placeTally) surplus() Surplus {
	var all Surplus
	for _, t := range p.launches {
		s := t.Surplus
		all.Beyond, all.Bounded = all.Beyond+s.Beyond, all.Bounded+s.Bounded
		if s.Answers == 0 {
			continue
		}
		if all.Answers == 0 {
			all.Least, all.Most, all.Fewest, all.Longest = s.Least, s.Most, s.Fewest, s.Longest
		}
		all.Answers += s.Answers
		all.Least, all.Most = min(all.Least, s.Least), max(all.Most, s.Most)
		all.Fewest, all.Longest = min(all.Fewest, s.Fewest), max(all.Longest, s.Longest)
	}
	return all
}
