package lint

import (
	"fmt"
	"slices"
	"strings"

	"assay/finding"
)

// FinishReasons fires when answers ended for another reason than they say, or were cut off by
// a filter.
var FinishReasons = Check{
	ID: "finish-reasons", Severity: finding.Caution, About: finding.Speed,
	Doc: "Answers say that they reached their limit and are well short of it, or a filter ended them: they count as successes.",
	When: "more than 1 % of answers, and at least 5, end with length (max_tokens, limit) below nine tenths of the tokens asked for; " +
		"or end with content_filter, refusal, safety or another word for it",
	Applies: func(f *Facts) bool { return answersText(f) && f.Plan.Evaluation() == nil },
	Run: func(f *Facts) Answer {
		if len(f.places()) == 0 {
			return missing("answers of a measured window")
		}
		var list []finding.Finding
		for _, p := range f.places() {
			list = append(list, endings(p, p.lengths())...)
		}
		return found(list...)
	},
}

// filterReasons are the servers' words for an answer that was not given, in small letters.
var filterReasons = []string{
	"content_filter", "content_filtered", "refusal", "safety", "recitation", "blocklist", "prohibited_content", "spii",
	"guardrail_intervened", "image_safety",
}

func endings(p placeTally, l Lengths) (list []finding.Finding) {
	all := l.Answers + l.Silent
	many := func(n int) bool { return n >= fewestSpoiled && float64(n) > spoiledShare*float64(all) }
	if many(l.Unreached) {
		list = append(list, finding.Finding{
			Severity: finding.Caution,
			Message: fmt.Sprintf("%s: %d of %d answers end with %s and hold less than nine tenths of the tokens asked for",
				p.name, l.Unreached, all, reasons(l.Finish, limited)),
			Why: "something else ended them: a context that is full, a time limit, or a server that stops early; they are shorter and faster than the declared ones",
			Fix: "compare max_model_len with the lengths asked for, look at the server's own limits, and declare the lengths that it gives",
		})
	}
	filtered := func(reason string) bool { return slices.Contains(filterReasons, strings.ToLower(reason)) }
	cut := 0
	for reason, n := range l.Finish {
		if filtered(reason) {
			cut += n
		}
	}
	if many(cut) {
		list = append(list, finding.Finding{
			Severity: finding.Caution,
			Message:  fmt.Sprintf("%s: a filter or a refusal ended %d of %d answers (%s), and they count as successes", p.name, cut, all, reasons(l.Finish, filtered)),
			Why:      "an answer that is cut off or refused is shorter and faster than one that is given",
			Fix:      "ask what the target answers, or say how many answers were filtered",
		})
	}
	return list
}

// limitReasons are the servers' words for an answer that reached its limit, in small letters.
var limitReasons = []string{"length", "max_tokens", "max_output_tokens", "limit"}

func limited(reason string) bool { return slices.Contains(limitReasons, strings.ToLower(reason)) }

// reasons names the finish reasons that hold, the first by name first.
func reasons(finish map[string]int, hold func(string) bool) string {
	var list []string
	for reason := range finish {
		if hold(reason) {
			list = append(list, reason)
		}
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}
