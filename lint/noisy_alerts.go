package lint

import (
	"fmt"
	"slices"

	"assay/analysis/gate"
	"assay/finding"
)

// NoisyAlerts fires when a gate alarms about something else each time.
var NoisyAlerts = Check{
	ID: "noisy-alerts", Code: "G-08", Severity: finding.Caution,
	Doc: "Alerts that never come twice are noise.",
	When: "a mean Jaccard overlap below 0.1 between the alerts of neighbours among the last five " +
		"verdicts",
	Applies: gated,
	Run:     noisyAlerts,
}

const (
	// alertWindow is how many verdicts are looked at, the latest ones.
	alertWindow = 5
	// alertFewest is how many pairs of neighbours with an alert there must be.
	alertFewest = 2
	// alertOverlap is the share of alerts that neighbours have in common below
	// which they have nothing to do with each other: real regressions stay until
	// somebody repairs them.
	alertOverlap = .1
)

func noisyAlerts(f *Facts) Answer {
	if len(f.History) == 0 {
		return missing("the history of the gate's verdicts")
	}
	entries := slices.DeleteFunc(slices.Clone(f.History), func(e gate.Entry) bool { return e.Same })
	entries = entries[max(0, len(entries)-alertWindow):]
	sum, pairs := 0.0, 0
	for i := 1; i < len(entries); i++ {
		a, b := entries[i-1].Alerts, entries[i].Alerts
		both := 0
		for _, alert := range a {
			if slices.Contains(b, alert) {
				both++
			}
		}
		if any := len(a) + len(b) - both; any > 0 {
			sum, pairs = sum+float64(both)/float64(any), pairs+1
		}
	}
	if pairs < alertFewest || sum/float64(pairs) >= alertOverlap {
		return found()
	}
	return found(finding.Finding{
		Severity: finding.Caution,
		Message:  fmt.Sprintf("the alerts of the last %d verdicts overlap by %.2g on average: the gate alarms about something else each time", len(entries), sum/float64(pairs)),
		Why:      "a regression stays until it is repaired, noise does not",
		Fix:      "look at the spread between launches and at the margins; see gate-self-check",
	})
}
