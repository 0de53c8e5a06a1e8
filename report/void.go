package report

import (
	"slices"
	"strings"

	"assay/claim"
	"assay/metric"
)

// voidMark stands behind a figure that a finding forbids: it was measured, and may not be
// quoted.
const voidMark = "†"

// markVoid names, in every estimate that may not be quoted, the check that forbids it.
func (r Report) markVoid() metric.Estimates {
	e := r.Estimates
	e.Rows = slices.Clone(e.Rows)
	for i, row := range e.Rows {
		e.Rows[i].Void = forbidder(r.Claims.Against(claim.OfRow(row, r.Plan)))
	}
	return e
}

// forbidder is the check of the first refusal; empty where there is none.
func forbidder(against []claim.Refusal) string {
	if len(against) == 0 {
		return ""
	}
	check, _, _ := strings.Cut(against[0].Reason, ":")
	return check
}

// VoidLine says what the mark behind figures means and names the checks; empty where none
// is marked.
func (r Report) VoidLine() string {
	var checks []string
	for _, row := range append(slices.Clone(r.Estimates.Rows), scoreFigures(r)...) {
		if row.Void != "" && !slices.Contains(checks, row.Void) {
			checks = append(checks, row.Void)
		}
	}
	if len(checks) == 0 {
		return ""
	}
	return voidMark + " void, not to be quoted: " + strings.Join(checks, ", ")
}

// Marked is a text with the mark where a check forbids what it says.
func Marked(text, void string) string {
	if void == "" {
		return text
	}
	return text + " " + voidMark
}

// marked is a figure with the mark where a check forbids it; a sheet then shows words, with
// which nobody computes.
func (f Figure) marked(void string) Figure {
	if void != "" && f.Number != nil {
		f.Text, f.Full, f.Number = Marked(f.Text, void), Marked(f.Full, void), nil
	}
	return f
}
