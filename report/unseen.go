package report

import (
	"fmt"

	"assay/bundle"
	"assay/stats"
)

// seenMode is the share of launches from which on a slow mode is worth launching for.
const seenMode = .1

// Unseen says what the launches of each side cannot exclude, whatever their intervals
// say; empty where none completed.
func Unseen(r Report) string {
	n := len(r.Estimates.Launches) / max(1, len(r.Plan.Sides()))
	if n == 0 {
		return ""
	}
	confidence := r.Estimates.Confidence
	text := fmt.Sprintf("%d %s cannot exclude a slow mode of up to %.0f %% of launches", n, numbered(n, "launch", "launches"), 100*stats.UnseenShare(n, confidence))
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
	if r.Source != nil || !bundle.OneSitting(r.Manifest.Launches...) {
		return ""
	}
	return " They are of one sitting, and so are the intervals: other days may differ by more."
}

// BesideTails says it of the launches of each side of a report.
func (r Report) BesideTails() string {
	return BesideTails(len(r.Estimates.Launches)/max(1, len(r.Plan.Sides())), r.Estimates.Confidence)
}

// BesideTails says next to percentiles of so many launches what share of all launches may
// be slower than any of them; empty of so many that it does not matter.
func BesideTails(launches int, confidence float64) string {
	if launches == 0 || launches >= stats.LaunchesToSee(seenMode, confidence) {
		return ""
	}
	return fmt.Sprintf("p99 of %d %s: up to %.0f %% of launches may be slower.", launches, numbered(launches, "launch", "launches"), 100*stats.UnseenShare(launches, confidence))
}
