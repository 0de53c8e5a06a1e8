package lint

import (
	"fmt"
	"slices"

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
		"those of models, counts a sample of at least 10 answers, and as few events that show something; both in more than 5 % of these answers, and in at least 5. In prose of Latin letters, which the embedded " +
		"tokenizer cuts into 1.6 times as many tokens as models do, already below 120 %, which touches what is counted in tokens, " +
		"unless a tokenizer is named; elsewhere a caution below 95 %",
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
	// hollowShare is the share of answers that may hold less than sentShare.
	hollowShare = .05
	// finer is how many tokens of the embedded tokenizer are one of a model's in prose: those of
	// Llama 3 and 4 are 1.4 in common words, 1.6 to 1.9 in English and 1.9 to 2.6 in German. It
	// is 1.25 in Go, 1.5 in Python, 1.05 in JSON, and four to twelve where letters are not Latin
	// and a tokenizer was made for them, which older ones were not.
	finer = 1.6
	// elsewhere is the part of the server's count that code and data hold at least.
	elsewhere = .95
	// proseLetters is the share of letters in prose, and proseBytes the least number of visible
	// bytes to a token of the embedded tokenizer where they are Latin.
	proseLetters, proseBytes = .9, 1.6
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
		if one, ok := f.unsent(p); ok {
			list = append(list, one)
		}
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

// unsent holds the server's count against what the answers of a sample show.
func (f *Facts) unsent(p placeTally) (finding.Finding, bool) {
	s := p.shown()
	n := float64(max(1, s.Counted))
	message := fmt.Sprintf("%s: the server counts %.1f tokens in an answer on average; in the visible text the embedded tokenizer finds %.1f, where those of models find fewer as a rule, and it came in %.1f events",
		p.name, s.Usage/n, s.Own/n, s.Parts/n)
	one := inflatedFinding(afterFirstAt(p.point.Name, p.side), message)
	few := s.Parts < sentShare*s.Usage
	prose := s.Letters >= proseLetters*s.Visible && s.Visible >= proseBytes*s.Own
	switch {
	case s.Counted < fewestShown:
		return one, false
	case few && s.Own < sentShare*s.Usage:
	case s.Hollow >= fewestSpoiled && float64(s.Hollow) > hollowShare*n:
		one.Message = fmt.Sprintf("%s: %d of %d answers that were counted hold less than three quarters of the tokens that the server counts in them, by the embedded tokenizer and by their events", p.name, s.Hollow, s.Counted)
	case few && prose && s.Own < finer*sentShare*s.Usage && !f.recounted(p):
		one.Scope.Except, one.Scope.Metrics = nil, inTokens
	case few && !prose && s.Own < elsewhere*s.Usage:
		one.Severity = finding.Caution
	default:
		return one, false
	}
	return one, true
}

// recounted reports whether a named tokenizer counted the answers of a place.
func (f *Facts) recounted(p placeTally) bool {
	return f.Plan.Workload().Tokenizer.Named() && slices.ContainsFunc(f.Estimates.Counts, func(c metric.Count) bool {
		return c.Of == metric.OfAnswer && c.Point == p.point.Index && c.Side == p.side
	})
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
