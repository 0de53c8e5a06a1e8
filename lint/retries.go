package lint

import (
	"fmt"

	"assay/finding"
	"assay/metric"
	"assay/spec"
)

// Retries fires when requests were sent more than once: by somebody between client and
// server, or by assay where the server had closed the connection that it kept.
var Retries = Check{
	ID: "hidden-retries", Code: "L-17", Severity: finding.Caution,
	Doc:     "Requests were sent more than once: a proxy that tries again hides failures, and a server that closes kept connections costs time.",
	When:    "an answer's x-envoy-attempt-count is above one (caution); assay sent requests again on a new connection: more than 1 % of them (caution), fewer (note)",
	Applies: serves,
	Run:     retries,
}

func retries(f *Facts) Answer {
	var answer Answer
	if len(f.Tally.Points) == 0 {
		return missing("requests of a measured window")
	}
	for _, p := range f.places() {
		if resent := p.sum(func(t PointTally) int { return t.Resent }); resent > 0 {
			answer.Findings = append(answer.Findings, resentFinding(p.name, resent, p.sum(measuredOf)))
		}
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

// fewResent is the share of requests up to which sending again changes nothing.
const fewResent = .01

func resentFinding(place string, resent, measured int) finding.Finding {
	one := finding.Finding{
		Severity: finding.Note,
		Message:  fmt.Sprintf("%s: assay sent %d of %d measured requests again, since the server had closed the kept connection", place, resent, measured),
		Why:      "each counts once, from its first send, so the lost connection is part of its latency",
		Fix:      "let the server keep connections open, or say \"Connection: close\"",
	}
	if float64(resent) > fewResent*float64(measured) {
		one.Severity = finding.Caution
	}
	return one
}

// direct reports whether nothing stands between client and server: assay started
// the server, or it listens on this host and no proxy is named.
func direct(t spec.Target) bool { return t.Server != nil || metric.Here(&t) && t.Proxy == "" }
