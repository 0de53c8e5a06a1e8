package lint

import (
	"fmt"

	"assay/finding"
)

// NewConnections fires when requests had to open connections while they were
// timed.
var NewConnections = Check{
	ID: "new-connections", Code: "L-15", Severity: finding.Caution,
	Doc:     "Look-ups and handshakes are in the first token of requests that open a connection.",
	Applies: serves,
	Run:     newConnections,
}

// connectionShare is the share of requests with a new connection that changes
// none of the percentiles that are reported.
const connectionShare = .01

func newConnections(f *Facts) Answer {
	if len(f.Tally.Points) == 0 {
		return missing("requests of a measured window")
	}
	var list []finding.Finding
	for _, p := range f.places() {
		opened, measured := p.sum(func(t PointTally) int { return t.NewConnections }), p.sum(measuredOf)
		share := float64(opened) / float64(measured)
		if share <= connectionShare {
			continue
		}
		one := finding.Finding{
			Severity: finding.Caution,
			Message: fmt.Sprintf("%s: %d of %d measured requests (%.2g %%) opened a connection, %d of them with a TLS handshake",
				p.name, opened, measured, 100*share, p.sum(func(t PointTally) int { return t.Handshakes })),
			Why: "the time for that is in their time to first token",
			Fix: "see that the server and proxies keep connections open, and warm up with as many as are needed",
		}
		if c := p.point.Cancel; c != nil && share <= 2*c.Share {
			one.Severity = finding.Note
			one.Message += "; giving up requests on purpose costs their connections"
		}
		list = append(list, one)
	}
	return found(list...)
}
