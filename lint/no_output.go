package lint

import (
	"fmt"

	"assay/finding"
	"assay/record"
)

// NoOutput fires when answers hold nothing.
var NoOutput = Check{
	ID: "no-output", Severity: finding.Caution,
	Doc: "Answers without any output are the fastest of all, and no answers.",
	When: "more than 1 % of the answers of status 200, and at least 5, hold no output. Those with a finish reason succeed; " +
		"others are errors (outcome empty)",
	Applies: answersText,
	Run: func(f *Facts) Answer {
		return eachShown(f, func(p placeTally, s Shown) (finding.Finding, bool) {
			empty := p.outcomes()[record.Empty]
			nothing, all := s.Nothing+empty, s.Answers+empty
			return finding.Finding{
				Severity: finding.Caution,
				Message:  fmt.Sprintf("%s: %d of %d answers hold no output (%d of them have a finish reason and count as successes)", p.name, nothing, all, s.Nothing),
				Why:      "a server that answers nothing is fast: throughput in requests and time to the end are better than any real answer's",
				Fix:      "look at the server's log, at stop words and at the chat template, and say how many answers were empty",
			}, nothing >= fewestSpoiled && float64(nothing) > spoiledShare*float64(all)
		})
	},
}
