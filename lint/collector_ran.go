package lint

import (
	"fmt"

	"assay/finding"
)

// CollectorRan fires when the client collected garbage while it measured.
var CollectorRan = Check{
	ID: "collector-ran", Severity: finding.Caution, About: finding.Speed,
	Doc: "The client's garbage collector ran in a measured window, in which it takes processors from reading and sending.",
	When: "it ran although it was held, because a point allocated more than its budget: a caution, a note where no pause " +
		"was longer than 1 ms (client-limit has those above 10 ms). Silent where GOGC was set",
	Applies: serves,
	Run:     collectorRan,
}

// harmlessPause is the longest pause of the collector that leaves a finding a note: as
// short as the send lag that client-limit allows.
const harmlessPause = 1e-3

func collectorRan(f *Facts) Answer {
	windows, ran, cycles, longest, budget := 0, 0, int64(0), 0.0, int64(0)
	for _, t := range f.Tally.Points {
		if t.Collector == nil || t.Collector.BudgetBytes == 0 {
			continue
		}
		windows++
		if t.Collector.Collections > 0 {
			ran++
			cycles += t.Collector.Collections
			longest, budget = max(longest, t.Collector.LongestPause), t.Collector.BudgetBytes
		}
	}
	if ran == 0 {
		return Answer{}
	}
	severity := finding.Caution
	if longest <= harmlessPause {
		severity = finding.Note
	}
	return found(finding.Finding{
		Severity: severity,
		Message: fmt.Sprintf("the client collected garbage in %d of %d measured windows: %d times, the longest pause %.3g ms at most",
			ran, windows, cycles, 1e3*longest),
		Why: fmt.Sprintf("a point allocated more than the %d MB that were set aside for it, and a collection takes processors from reading and sending", budget>>20),
		Fix: "run on a client with more free memory, or measure for a shorter time; GOGC=off turns the collector off whatever it costs",
	})
}
