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
	When: "one text, or texts that share most of their words, in more than half of the answers of 80 visible bytes and more, of at least 20, where fewer than 10 % of " +
		"the prompts were sent before; at least half of the events of most answers, of 10 and more, repeat what was said before, one event or up to four in turns; outside of evaluations, one " +
		"text of 24 visible bytes and more in more than 1 % of the answers that end by themselves, and at least 5, where most others differ",
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
			one.Message = fmt.Sprintf("%s: in %d of %d answers at least half of the events repeat what was said before", p.name, s.Stutters, s.Answers)
			return one, true
		}
		looked := p.sum(func(t PointTally) int { return t.Prompts.Looked })
		again := p.sum(func(t PointTally) int { return t.Prompts.Known })
		if float64(again) >= askedAgain*float64(looked) {
			return one, false
		}
		if most := mostOf(s.Gists); s.Long >= fewestTexts && 2*most > s.Long {
			one.Message = fmt.Sprintf("%s: %d of %d answers to different prompts are one and the same text, or nearly", p.name, most, s.Long)
			return one, true
		}
		most := mostOf(s.Texts)
		others := s.Ended - most
		one.Message = fmt.Sprintf("%s: the same sentence is the answer to %d of %d different prompts", p.name, most, s.Answers)
		one.Why, one.Fix = "an error or a refusal that is written as an answer is short and fast, and counts as a success", "look at it with load.keepAnswers, and count refusals as what they are"
		// Where many answers agree, a few sentences are what was asked for, as of a classifier.
		differ := 2*(len(s.Texts)-1) > min(others, mostTexts)
		return one, f.Plan.Evaluation() == nil && most >= fewestSpoiled && float64(most) > spoiledShare*float64(s.Answers) && others >= fewestTexts && differ
	})
}

// mostOf is the largest of some counts.
func mostOf(counts map[int64]int) (most int) {
	for _, n := range counts {
		most = max(most, n)
	}
	return most
}
