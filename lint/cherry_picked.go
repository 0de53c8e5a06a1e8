package lint

import (
	"fmt"
	"slices"

	"assay/finding"
	"assay/metric"
)

// CherryPicked fires when a figure rests on fewer launches than were made.
var CherryPicked = Check{
	ID: "cherry-picked-run", Code: "P-03", Severity: finding.Void,
	Doc:  "Fewer launches are cited than were made.",
	When: "a statement cites fewer launches than were made; a caution where launches failed",
	Run:  cherryPicked,
}

func cherryPicked(f *Facts) Answer {
	if len(f.Manifest.Launches) == 0 {
		return missing("the ledger of launches")
	}
	var list []finding.Finding
	for _, s := range f.Statements {
		row, ok := f.rowOf(s)
		made := launchesOf(row)
		if !ok || len(s.Launches) == 0 || len(s.Launches) >= len(made) {
			continue
		}
		list = append(list, finding.Finding{
			Severity: finding.Void,
			Message: fmt.Sprintf("%s = %s cites %d of %d launches%s; all of them together give %s (%s against what is stated)",
				said(s), figure(s, s.Value), len(s.Launches), len(made), rankOf(s, row), figure(s, row.Value), percent(row.Value/s.Value-1)),
			Why:      "whoever may choose among launches can have nearly any result",
			Fix:      "state the estimate over all launches, with its interval",
			Evidence: []string{fmt.Sprintf("cited %v of %v", s.Launches, made)},
		})
	}
	// Launches that failed are shown everywhere; a claim has to carry them too,
	// since those that survived may be the lucky ones.
	// Where none did, no-variance says so.
	if len(f.Estimates.LeftOut) > 0 && len(f.Estimates.Launches) > 0 {
		var short, reasons []string
		for _, l := range f.Estimates.LeftOut {
			short = append(short, fmt.Sprintf("launch %d: %s", l.Launch+1, cut(l.Reason)))
			reasons = append(reasons, fmt.Sprintf("launch %d: %s", l.Launch+1, l.Reason))
		}
		list = append(list, finding.Finding{
			Severity: finding.Caution,
			Message:  fmt.Sprintf("the estimates rest on %d of %d launches: %s", len(f.Estimates.Launches), len(f.Manifest.Launches), summary(short)),
			Why:      "the launches that survived may be the lucky ones",
			Fix:      "remove the cause and run again, or say with every figure how many launches failed",
			Evidence: reasons,
		})
	}
	return found(list...)
}

// cut shortens what a server said to what fits in a sentence; the evidence holds
// the whole.
func cut(text string) string {
	const most = 80
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

func launchesOf(row metric.Row) []int {
	var list []int
	for _, v := range row.PerLaunch {
		list = append(list, v.Launch)
	}
	return list
}

// rankOf says where a single cited launch stands among all, the best first.
func rankOf(s Statement, row metric.Row) string {
	if len(s.Launches) != 1 {
		return ""
	}
	cited := slices.IndexFunc(row.PerLaunch, func(v metric.LaunchValue) bool { return v.Launch == s.Launches[0] })
	if cited < 0 {
		return ""
	}
	rank := 1
	for _, v := range row.PerLaunch {
		if better(row.Better, v.Value, row.PerLaunch[cited].Value) {
			rank++
		}
	}
	return fmt.Sprintf(" (rank %d of %d)", rank, len(row.PerLaunch))
}

// better says whether a beats b.
func better(d metric.Direction, a, b float64) bool {
	if d == metric.Higher {
		return a > b
	}
	return a < b
}
