package lint

import (
	"fmt"
	"slices"
	"strings"

	"assay/finding"
	"assay/metric"
	"assay/record"
	"assay/spec"
)

// Survivors fires when latencies are those of the requests that succeeded, and
// too many did not.
var Survivors = Check{
	ID: "survivor-bias", Code: "L-04", Severity: finding.Void, About: finding.Speed,
	Doc: "Failed requests are left out of the latency figures.",
	When: "failed requests: void above the declared error_rate, or above 1 % where none is declared; " +
		"below that a note or a caution. It forbids the speed of that point, and leaves what counts failed requests",
	Applies: func(f *Facts) bool { return serves(f) && f.Plan.Search == nil },
	Run:     survivors,
}

// failedShare is the share of failed requests from which on the p99 of all
// requests, to which a failed one is an endless wait, does not exist. It holds
// where the plan declares no objective on errors.
const failedShare = .01

func survivors(f *Facts) Answer {
	if len(f.Tally.Points) == 0 {
		return missing("requests of a measured window")
	}
	allowed, declared := allowedErrors(f)
	var list []finding.Finding
	for _, p := range f.places() {
		counts := p.outcomes()
		failed, all := 0, 0
		var kinds []string
		for _, outcome := range record.Outcomes {
			n := counts[outcome]
			if outcome == record.Dropped && capped(f) {
				continue // see in-flight-cap
			}
			if outcome != record.Cut && outcome != record.Cancelled {
				all += n
			}
			if outcome.Failure() && n > 0 {
				failed += n
				kinds = append(kinds, fmt.Sprintf("%s %d", outcome, n))
			}
		}
		if failed == 0 {
			continue
		}
		share := float64(failed) / float64(all)
		severity, limit := finding.Caution, ""
		if declared {
			severity, limit = finding.Note, fmt.Sprintf("; the objective allows %.3g %%", 100*allowed)
		}
		if share > allowed {
			severity = finding.Void
		}
		scope := p.scope()
		scope.Except = countingFailures
		list = append(list, finding.Finding{
			Severity: severity, Scope: scope,
			Message: fmt.Sprintf("%s: %d of %d measured requests (%.3g %%) did not succeed (%s)%s; the latency figures are of the others",
				p.name, failed, all, 100*share, strings.Join(kinds, ", "), limit),
			Why: "those that fail are often those that would have taken longest",
			Fix: "repair what fails or lower the load, and report goodput.v2, in which a failed request is a miss",
		})
	}
	return found(list...)
}

// countingFailures are the metrics to which a failed request counts.
var countingFailures = []string{
	metric.ErrorRate.ID, metric.OverloadRate.ID, metric.HTTPErrorRate.ID, metric.ConnectionErrorRate.ID,
	metric.StreamErrorRate.ID, metric.ProtocolErrorRate.ID, metric.Goodput.ID, metric.TokenGoodput.ID, metric.Attainment.ID,
}

// allowedErrors is the share of failed requests that the plan's objectives
// accept.
func allowedErrors(f *Facts) (share float64, declared bool) {
	i := slices.IndexFunc(f.Plan.Objectives(), func(o spec.Objective) bool { return o.Metric == "error_rate" && o.MaxRatio > 0 })
	if i < 0 {
		return failedShare, false
	}
	return f.Plan.Objectives()[i].MaxRatio, true
}
