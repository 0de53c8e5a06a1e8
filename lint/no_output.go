package lint

import (
	"fmt"

	"assay/finding"
	"assay/metric"
	"assay/record"
)

// NoOutput fires when answers hold nothing.
var NoOutput = Check{
	ID: "no-output", Severity: finding.Caution, About: finding.Speed,
	Doc: "Answers without any output are the fastest of all, and no answers.",
	When: "more than 1 % of the answers of status 200, and at least 5, hold no output. Those with a finish reason succeed; " +
		"others are errors (outcome empty). Where more than 10 % succeed so, it forbids the times of whole answers and requests per second at that point",
	Applies: answersText,
	Run: func(f *Facts) Answer {
		return eachShown(f, func(p placeTally, s Shown) (finding.Finding, bool) {
			empty := p.outcomes()[record.Empty]
			nothing, all := s.Nothing+empty, s.Answers+empty
			one := finding.Finding{
				Severity: finding.Caution,
				Message:  fmt.Sprintf("%s: %d of %d answers hold no output (%d of them have a finish reason and count as successes)", p.name, nothing, all, s.Nothing),
				Why:      "a server that answers nothing is fast: throughput in requests and time to the end are better than any real answer's",
				Fix:      "look at the server's log, at stop words and at the chat template, and say how many answers were empty",
			}
			if float64(s.Nothing) > mostEmpty*float64(all) {
				one.Severity = finding.Void
				one.Scope = finding.Scope{Points: []string{p.point.Name}, Side: p.side, Metrics: ofWholeAnswers}
			}
			return one, nothing >= fewestSpoiled && float64(nothing) > spoiledShare*float64(all)
		})
	},
}

// mostEmpty is the share of empty answers from which on they make what is said of all
// answers: a median moves by five places in a hundred.
const mostEmpty = .1

// ofWholeAnswers are the metrics that an empty answer is good for.
var ofWholeAnswers = []string{
	metric.E2E.ID, metric.E2EDue.ID, metric.ServiceTime.ID, metric.LastOutput.ID, metric.OutputLatency.ID,
	metric.RequestThroughput.ID, metric.RequestsEnded.ID, metric.InputThroughput.ID, metric.TotalThroughput.ID, metric.Goodput.ID, metric.Attainment.ID,
}
