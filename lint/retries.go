package lint

import (
	"fmt"

	"assay/finding"
	"assay/metric"
	"assay/spec"
)

// Retries fires when somebody between client and server sent requests again.
// assay itself never does: each attempt is a record.
var Retries = Check{
	ID: "hidden-retries", Code: "L-17", Severity: finding.Caution,
	Doc:     "A proxy that tries again hides failures, and their time looks like the target's.",
	When:    "an answer's x-envoy-attempt-count is above one",
	Applies: serves,
	Run:     retries,
}

func retries(f *Facts) Answer {
	var answer Answer
	if len(f.Tally.Points) == 0 {
		return missing("requests of a measured window")
	}
	for _, p := range f.places() {
		again := p.sum(func(t PointTally) int { return t.Again })
		if again > 0 {
			answer.Findings = append(answer.Findings, finding.Finding{
				Severity: finding.Caution,
				Message:  fmt.Sprintf("%s: a proxy tried %d of %d measured requests more than once", p.name, again, p.sum(measuredOf)),
				Why:      "failures that were tried again count as successes, and the wait for them as the target's speed",
				Fix:      "switch the proxy's retries off while measuring, or report its attempts",
			})
			continue
		}
		if p.sum(func(t PointTally) int { return t.Attempted }) == 0 && !direct(f.target(p.side)) {
			answer.Missing = "a proxy's count of attempts (x-envoy-attempt-count): the target is not on this host, and something between may try again"
		}
	}
	return answer
}

// direct reports whether nothing stands between client and server: assay started
// the server, or it listens on this host and no proxy is named.
func direct(t spec.Target) bool { return t.Server != nil || metric.Here(&t) && t.Proxy == "" }
