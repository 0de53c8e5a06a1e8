package report

import (
	"fmt"
	"time"

	"assay/stats"
)

// seenMode is the share of launches from which on a slow mode is worth launching for.
const seenMode = .1

// oneSitting is how long launches may lie apart that share the hour, the room and the other
// tenants.
const oneSitting = 24 * time.Hour

// Unseen says what the launches of each side cannot exclude, whatever their intervals
// say; empty where none completed.
func Unseen(r Report) string {
	n := len(r.Estimates.Launches) / max(1, len(r.Plan.Sides()))
	if n == 0 {
		return ""
	}
	confidence := r.Estimates.Confidence
	launches := "launches"
	if n == 1 {
		launches = "launch"
	}
	text := fmt.Sprintf("%d %s cannot exclude a slow mode of up to %.0f %% of launches", n, launches, 100*stats.UnseenShare(n, confidence))
	if need := stats.LaunchesToSee(seenMode, confidence); n < need {
		text += fmt.Sprintf("; it takes %d to exclude one of %.0f %%", need, 100*seenMode)
	}
	if days := r.onOtherDays(); days != "" {
		return text + ". " + days
	}
	return text + "." + sitting(r)
}

// sitting says that launches of one day know nothing of others.
func sitting(r Report) string {
	if r.Source != nil || len(r.Manifest.Launches) == 0 {
		return "" // nobody knows when they were made
	}
	from, to := r.Manifest.Created, r.Manifest.Created
	for _, l := range r.Manifest.Launches {
		if l.Started.Before(from) {
			from = l.Started
		}
		if l.Started.After(to) {
			to = l.Started
		}
	}
	if to.Sub(from) > oneSitting {
		return ""
	}
	return " They are of one sitting, and so are the intervals: other days may differ by more."
}
