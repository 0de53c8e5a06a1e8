package lint

import (
	"fmt"

	"assay/finding"
)

// MissingRequests fires when the records of a point are not those that its client
// counted.
var MissingRequests = Check{
	ID: "missing-requests", Severity: finding.Void,
	Doc: "The records hold other requests than the client counted while it sent them: some were dropped or added.",
	When: "the outcomes recorded at a point are not those that the client counted while sending (event " +
		"point.balance)",
	Applies: func(f *Facts) bool { return serves(f) && f.Manifest.Source == nil },
	Run:     missingRequests,
}

func missingRequests(f *Facts) Answer {
	if len(f.Tally.Points) == 0 {
		return missing("requests of a measured window")
	}
	var answer Answer
	for _, t := range f.Tally.Points {
		switch {
		case t.Balance == Calls{}:
			answer.Missing = fmt.Sprintf("the client's own count of the calls of launch %d", t.Launch+1)
		case t.Balance != t.Calls:
			answer.Findings = append(answer.Findings, finding.Finding{
				Severity: finding.Void,
				Message: fmt.Sprintf("%s, launch %d: the client began %d calls, of which %d failed, and the records hold %d, of which %d failed",
					placeName(pointName(f, t.Point), t.Side), t.Launch+1, t.Balance.Begun, t.Balance.Failed, t.Calls.Begun, t.Calls.Failed),
				Why: "requests that are left out are those that somebody did not like",
				Fix: "measure again, and keep every record",
			})
		}
	}
	return answer
}
