package lint

import (
	"fmt"

	"assay/finding"
	"assay/record"
)

// TruncatedPrompts fires when the server read far less than it was sent.
var TruncatedPrompts = Check{
	ID: "truncated-prompts", Severity: finding.Caution, About: finding.Speed,
	Doc: "By its own count the server read half of the prompts or less: a short prompt is read sooner.",
	When: "a count of input tokens (usage) of five at least and half of what the prompt was built to have or less, and less by 16 or more, in more than 5 % of answers and " +
		"in at least 5, of prompts whose tokens a named tokenizer counted, or that assay made up; not where a shared prefix is declared, which some leave out of the count",
	Applies: func(f *Facts) bool {
		return cacheable(f) && answersText(f) && (f.Plan.Workload().Tokenizer.Named() || f.Plan.Workload().Prompt.Dataset == nil)
	},
	Run: func(f *Facts) Answer {
		return eachShown(f, func(p placeTally, _ Shown) (finding.Finding, bool) {
			r := p.read()
			shared, _ := declaredSharing(f.Plan.WorkloadOf(p.point))
			return finding.Finding{
				Severity: finding.Caution, Scope: finding.Scope{Subject: finding.Speed, Points: []string{p.point.Name}, Side: p.side},
				Message: fmt.Sprintf("%s: the server counts half of the prompt or less in %d of %d answers: %.0f tokens in all of them on average, where %.0f were sent",
					p.name, r.Cut, r.Answers, r.Tokens/float64(max(1, r.Answers)), r.Sent/float64(max(1, r.Answers))),
				Why: "what was not read costs nothing: TTFT and throughput are those of shorter prompts, unless the server counts wrongly",
				Fix: "raise the server's limit of context, look at what cuts prompts on the way, or declare the length that it reads",
			}, r.Cut >= fewestSpoiled && float64(r.Cut) > hollowShare*float64(r.Answers) && shared == 0
		})
	},
}

const (
	// readShare is the part of a prompt that must be counted. The text that assay makes up is of
	// common words, each of which is one token to Llama 3 and 4; a template adds to them.
	readShare = .5
	// fewestMissing is how many tokens must be missing.
	fewestMissing = 16
	// fewestRead is the least count that is one: servers that count nothing say 0 or 1, and the
	// template of a chat alone has more.
	fewestRead = 5
)

// Read counts what the server says that it read of the prompts.
type Read struct {
	Answers      int // of which both counts are known
	Cut          int
	Sent, Tokens float64
}

func (d *Read) add(r *record.Request) {
	if r.UsageInput == nil || r.AskedInput == 0 {
		return
	}
	sent, read := float64(r.AskedInput), float64(*r.UsageInput)
	if read < fewestRead {
		return
	}
	d.Answers, d.Sent, d.Tokens = d.Answers+1, d.Sent+sent, d.Tokens+read
	if read <= readShare*sent && sent-read >= fewestMissing {
		d.Cut++
	}
}

// read adds those of the launches of a place.
func (p placeTally) read() (all Read) {
	for _, t := range p.launches {
		all.Answers, all.Cut = all.Answers+t.Read.Answers, all.Cut+t.Read.Cut
		all.Sent, all.Tokens = all.Sent+t.Read.Sent, all.Tokens+t.Read.Tokens
	}
	return all
}
