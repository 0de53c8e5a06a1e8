package lint

import (
	"fmt"
	"time"

	"assay/bundle"
	"assay/finding"
)

// StaleBaseline fires when the two sides of a comparison were measured long
// after each other.
var StaleBaseline = Check{
	ID: "stale-baseline", Code: "L-26", Severity: finding.Caution, Pair: true,
	Doc:  "A baseline of long ago was measured with other software on another day's hardware.",
	When: "the baseline is more than 30 days older or newer than the candidate",
	Run:  staleBaseline,
}

// staleAfter is how far apart two sides may be: engines of this field release
// every few weeks.
const staleAfter = 30 * 24 * time.Hour

func staleBaseline(f *Facts) Answer {
	now, ok := begun(f.Manifest.Launches)
	then, had := begun(f.Against.Manifest.Launches)
	if !ok || !had {
		return missing("when the launches of both sides began")
	}
	if apart := now.Sub(then); apart.Abs() > staleAfter {
		which := "before"
		if apart < 0 {
			which = "after"
		}
		return found(finding.Finding{
			Severity: finding.Caution,
			Message:  fmt.Sprintf("the baseline was measured %.0f days %s the candidate, on %s", apart.Abs().Hours()/24, which, then.Format(time.DateOnly)),
			Why:      "engines, drivers and machines change in that time besides what is compared",
			Fix:      "measure the baseline anew beside the candidate (spec.candidates does so in turn)",
		})
	}
	return found()
}

// begun is when the first launch began.
func begun(launches []bundle.LaunchInfo) (first time.Time, ok bool) {
	for _, l := range launches {
		if !l.Started.IsZero() && (first.IsZero() || l.Started.Before(first)) {
			first = l.Started
		}
	}
	return first, !first.IsZero()
}
