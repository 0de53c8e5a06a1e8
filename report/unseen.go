package report

import (
	"fmt"

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
	launches := "launches"
	if n == 1 {
		launches = "launch"
	}
	text := fmt.Sprintf("%d %s cannot exclude a slow mode of up to %.0f %% of launches", n, launches, 100*stats.UnseenShare(n, confidence))
	if need := stats.LaunchesToSee(seenMode, confidence); n < need {
		text += fmt.Sprintf("; it takes %d to exclude one of %.0f %%", need, 100*seenMode)
	}
	return text + "."
}
