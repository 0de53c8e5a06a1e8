package lint

import (
	"fmt"
	"slices"
	"time"

	"assay/bundle"
	"assay/finding"
)

// ImpossibleTimes fires when the times of a run contradict each other.
var ImpossibleTimes = Check{
	ID: "impossible-times", Severity: finding.Void,
	Doc: "Launches overlap, records are longer than their launch, or answers come before their requests: the times were edited, or two clocks were mixed.",
	When: "launches that overlap by more than 1 s, records that go on for more than 1 s after their " +
		"launch, answers before their requests",
	Applies: func(f *Facts) bool { return f.Manifest.Source == nil },
	Run:     impossibleTimes,
}

// ledgerSlack is how far the ledger's wall times may be from the stamps of the
// records: the clock may be slewed meanwhile, and clock says when it stepped.
const ledgerSlack = time.Second

func impossibleTimes(f *Facts) Answer {
	if len(f.Manifest.Launches) == 0 {
		return missing("the ledger of launches")
	}
	var problems []string
	for _, p := range f.places() {
		if n := p.sum(func(t PointTally) int { return t.Backwards }); n > 0 {
			problems = append(problems, fmt.Sprintf("%s: %d requests ended, or were answered, before they were sent", p.name, n))
		}
	}
	problems = append(problems, overlaps(f.Manifest.Launches)...)
	for _, l := range f.Manifest.Launches {
		last := time.Duration(f.lastDone(l.Index))
		if took := l.Ended.Sub(l.Started); !l.Ended.IsZero() && last > took+ledgerSlack {
			problems = append(problems, fmt.Sprintf("launch %d lasted %s by the ledger, and its records go on for %s", l.Index+1, took.Round(time.Millisecond), last.Round(time.Millisecond)))
		}
	}
	if len(problems) == 0 {
		return found()
	}
	return found(finding.Finding{
		Severity: finding.Void, Message: "the times cannot be true: " + summary(problems),
		Why: "a latency is a difference of two stamps, and these were not made by one clock that runs",
		Fix: "measure again; if nobody edited the records, look at the host's clock", Evidence: problems,
	})
}

// overlaps lists launches that began before the one before them had ended: a run
// makes them one after the other.
func overlaps(launches []bundle.LaunchInfo) []string {
	ordered := slices.Clone(launches)
	slices.SortStableFunc(ordered, func(a, b bundle.LaunchInfo) int { return a.Started.Compare(b.Started) })
	var list []string
	for i, l := range ordered {
		if l.Ended.IsZero() {
			continue
		}
		if l.Ended.Before(l.Started) {
			list = append(list, fmt.Sprintf("launch %d ended before it began", l.Index+1))
		}
		if i+1 < len(ordered) && ordered[i+1].Started.Add(ledgerSlack).Before(l.Ended) {
			list = append(list, fmt.Sprintf("launch %d began %s before launch %d had ended", ordered[i+1].Index+1, l.Ended.Sub(ordered[i+1].Started).Round(time.Millisecond), l.Index+1))
		}
	}
	return list
}

// lastDone is the last stamp of the requests of a launch.
func (f *Facts) lastDone(launch int) (last int64) {
	for _, t := range f.Tally.Points {
		if t.Launch == launch {
			last = max(last, t.LastDone)
		}
	}
	return last
}
