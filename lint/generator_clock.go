package lint

import (
	"fmt"

	"assay/finding"
)

// GeneratorClock fires when the clock of a load generator is not known well enough.
var GeneratorClock = Check{
	ID: "generator-clock", Severity: finding.Caution,
	Doc: "The clock of a load generator is not known well enough to put its stamps beside those of the others.",
	When: "the bound of its offset against the leader, drift included, is above 1 ms and above 0.1 % of the shortest measured window, " +
		"or no exchange of stamps came through",
	Applies: sentByOthers,
	Run:     generatorClock,
}

const (
	looseBound = 1e6  // ns
	looseShare = 1e-3 // of the window: below what any rate is stated to
)

func generatorClock(f *Facts) Answer {
	window := shortestWindow(f)
	var worst Sender
	loose, bound := 0, int64(-1)
	for _, s := range f.Senders {
		if s.Bound == nil {
			return found(finding.Finding{
				Severity: finding.Caution,
				Message:  s.name() + " never exchanged stamps with the leader",
				Why:      "nobody knows how its stamps stand beside those of the others",
				Fix:      "see that its host reaches the leader, and run again",
			})
		}
		if float64(*s.Bound) > max(looseBound, looseShare*float64(window)) {
			loose++
			if *s.Bound > bound {
				worst, bound = s, *s.Bound
			}
		}
	}
	if loose == 0 {
		return Answer{}
	}
	return found(finding.Finding{
		Severity: finding.Caution,
		Message:  fmt.Sprintf("%s has a clock that is known within %s%s", worst.name(), duration(float64(bound)/1e9), andMore(loose-1)),
		Why:      "rates, windows and requests in flight put stamps of several hosts side by side and are off by as much; a latency is taken on one clock and is not",
		Fix:      "synchronise the hosts by NTP or PTP, use a shorter way to the leader, or make shorter launches",
	})
}

// shortestWindow is that of any point, in nanoseconds; 0 where none was closed.
func shortestWindow(f *Facts) (shortest int64) {
	for _, t := range f.Tally.Points {
		if long := t.End - t.Begin; long > 0 && (shortest == 0 || long < shortest) {
			shortest = long
		}
	}
	return shortest
}
