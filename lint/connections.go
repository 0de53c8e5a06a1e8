package lint

import (
	"fmt"

	"assay/finding"
)

// NewConnections fires when requests had to open connections while they were
// timed.
var NewConnections = Check{
	ID: "new-connections", Code: "L-15", Severity: finding.Caution, About: finding.Speed,
	Doc: "Look-ups and handshakes are in the first token of requests that open a connection.",
	When: "more than 1 % of requests opened a connection; a note where that took less than 1 % of the " +
		"median first byte, or where requests are cancelled on purpose",
	Applies: serves,
	Run:     newConnections,
}

const (
	// connectionShare is the share of requests with a new connection that changes
	// none of the percentiles that are reported.
	connectionShare = .01
	// setUpShare is the time that a connection takes, as a share of the middle
	// request's time to its first byte, below which it is worth a note alone.
	setUpShare = .01
)

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
		setUp := 0.0
		for _, t := range p.launches {
			setUp += t.SetUp / float64(opened)
		}
		one := finding.Finding{
			Severity: finding.Caution,
			Message: fmt.Sprintf("%s: %d of %d measured requests (%.3g %%) opened a connection, %d of them with a TLS handshake, which took %s on average",
				p.name, opened, measured, 100*share, p.sum(func(t PointTally) int { return t.Handshakes }), duration(setUp)),
			Why: "the time for that is in their time to first token",
			Fix: "see that the server and proxies keep connections open, and warm up with as many as are needed",
		}
		if middle := p.quantile(.5, func(t PointTally) quantiler { return t.Opening.All }); setUp <= setUpShare*middle {
			one.Severity = finding.Note
		}
		if c := p.point.Cancel; c != nil && share <= 2*c.Share {
			one.Severity = finding.Note
			one.Message += "; giving up requests on purpose costs their connections"
		}
		list = append(list, one)
	}
	return found(list...)
}
