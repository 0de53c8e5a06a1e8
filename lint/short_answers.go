package lint

import (
	"fmt"

	"assay/finding"
)

// ShortAnswers fires when a part of the answers ends at once, which their mean length hides.
var ShortAnswers = Check{
	ID: "short-answers", Severity: finding.Caution, About: finding.Speed,
	Doc: "A part of the answers is cut to a fraction of what was asked for, and their mean length hides it.",
	When: "at least 3 % of answers, and at least 5, have a quarter of the tokens asked for or fewer, where four in five of the " +
		"others have nine tenths or more",
	Applies: func(f *Facts) bool { return answersText(f) && f.Plan.Evaluation() == nil },
	Run: func(f *Facts) Answer {
		return eachShown(f, func(p placeTally, s Shown) (finding.Finding, bool) {
			return finding.Finding{
				Severity: finding.Caution,
				Message:  fmt.Sprintf("%s: %d of %d answers have a quarter of the tokens asked for or fewer, and %d nearly all", p.name, s.Brief, s.Answers, s.Full),
				Why:      "a refusal or an error that is written as an answer is short and fast; latencies to the end and requests per second gain by it",
				Fix:      "look at the short answers with load.keepAnswers, and count refusals as what they are",
			}, s.Brief >= fewestSpoiled && float64(s.Brief) >= briefShare*float64(s.Answers) && float64(s.Full) >= fullShare*float64(s.Answers-s.Brief)
		})
	},
}

const (
	// briefShare is the share of short answers that is worth a word.
	briefShare = .03
	// fullShare is the share of the others that must be full: where lengths vary freely, short
	// answers are a part of the work.
	fullShare = .8
)
