package report

import (
	"fmt"
	"strings"

	"assay/judge"
)

// Alarm is what every face says before anything else about a bundle that is not what
// was sealed; empty for one that verifies.
func (r Report) Alarm() string {
	if len(r.NotVerified) == 0 {
		return ""
	}
	text := fmt.Sprintf("%s: %s", judge.NotVerified, r.NotVerified[0])
	if more := len(r.NotVerified) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more: assay verify lists them)", more)
	}
	return text
}

// heading is the alarm as a paragraph of plain text, between the given marks.
func (r Report) heading(before, after string) string {
	if text := r.Alarm(); text != "" {
		return before + text + after
	}
	return ""
}

// Unvouched reports whether nobody whose signature was checked stands behind r.
func Unvouched(r Report) bool {
	return strings.HasPrefix(r.Signature, judge.Unsigned) || strings.HasPrefix(r.Signature, judge.NotVerified)
}
