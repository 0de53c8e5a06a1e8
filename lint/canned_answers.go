package lint

import (
	"fmt"

	"assay/finding"
)

// CannedAnswers fires when questions that differ get one answer, or an answer says each thing
// twice.
var CannedAnswers = Check{
	ID: "canned-answers", Severity: finding.Caution,
	Doc: "Different prompts get the same answer, or answers say everything twice: no model was asked, or it is broken.",
	When: "one text in more than half of the answers of 80 visible bytes and more, of at least 20, where fewer than 10 % of " +
		"the prompts were sent before; at least half of the events of most answers, of 10 and more, repeat the one before",
	Applies: answersText,
	Run:     cannedAnswers,
}

const (
	// fewestTexts is how many answers of some length must be known.
	fewestTexts = 20
	// askedAgain is the share of prompts sent before from which on the same answer is expected.
	askedAgain = .1
)

func cannedAnswers(f *Facts) Answer {
	return eachShown(f, func(p placeTally, s Shown) (finding.Finding, bool) {
		one := finding.Finding{
			Severity: finding.Caution,
			Why:      "an answer that is not generated costs nothing, and one that repeats itself is cheap to guess: the figures are those of another work",
			Fix:      "look at the answers with load.keepAnswers, and grade them",
		}
		if s.Answers >= fewestShown && 2*s.Stutters > s.Answers {
			one.Message = fmt.Sprintf("%s: in %d of %d answers at least half of the events repeat the one before", p.name, s.Stutters, s.Answers)
			return one, true
		}
		looked := p.sum(func(t PointTally) int { return t.Prompts.Looked })
		again := p.sum(func(t PointTally) int { return t.Prompts.Known })
		most := 0
		for _, n := range s.Texts {
			most = max(most, n)
		}
		one.Message = fmt.Sprintf("%s: %d of %d answers to different prompts are one and the same text", p.name, most, s.Long)
		return one, s.Long >= fewestTexts && 2*most > s.Long && float64(again) < askedAgain*float64(looked)
	})
}
