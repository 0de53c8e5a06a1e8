package lint

import (
	"fmt"
	"strings"

	"assay/finding"
	"assay/record"
)

// Censored fires when the client gave up on requests: how long they would have
// taken is not known.
var Censored = Check{
	ID: "timeout-censoring", Code: "L-16", Severity: finding.Caution, About: finding.Speed,
	Doc:     "Latencies are cut off at the client's own time limit.",
	When:    "any request reached timeout or idleTimeout",
	Applies: serves,
	Run:     censored,
}

func censored(f *Facts) Answer {
	if len(f.Tally.Points) == 0 {
		return missing("requests of a measured window")
	}
	var list []finding.Finding
	for _, p := range f.places() {
		counts := p.outcomes()
		var parts []string
		limit := f.target(p.side)
		if n := counts[record.Timeout]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d reached target.timeout (%s)", n, limit.Timeout.Std()))
		}
		if n := counts[record.IdleTime]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d were silent for target.idleTimeout (%s)", n, limit.IdleTimeout.Std()))
		}
		if len(parts) == 0 {
			continue
		}
		list = append(list, finding.Finding{
			Severity: finding.Caution,
			Message:  fmt.Sprintf("%s: of %d measured requests %s", p.name, p.sum(measuredOf), strings.Join(parts, " and ")),
			Why:      "their latencies are longer than the limit by nobody knows how much, and the percentiles above are too low",
			Fix:      "raise the limit, or write percentiles that reach it as more than it",
		})
	}
	return found(list...)
}
