package report

import (
	"fmt"
	"strings"

	"assay/analysis/fleet"
	"assay/analysis/objective"
)

// Knees says of each sweep which load is the highest that keeps the objectives. A
// search answers that itself.
func (r Report) Knees() (lines []string) {
	if r.Search != nil {
		return nil
	}
	for _, s := range r.Sweeps {
		lines = append(lines, kneeLine(s))
	}
	return lines
}

func kneeLine(s fleet.Sweep) string {
	kept := strings.Join(s.Objectives, " and ")
	of := strings.TrimSpace(s.Side + " " + s.Shape)
	if of != "" {
		of = " of " + of
	}
	switch {
	case s.Knee == "" && s.NextState == objective.Uncertain:
		return fmt.Sprintf("knee%s: unknown: even at %s it is uncertain whether %s holds; measure longer, or offer less", of, s.Next, kept)
	case s.Knee == "":
		return fmt.Sprintf("knee%s: below %s, which breaks %s", of, s.Next, kept)
	case s.Next == "":
		return fmt.Sprintf("knee%s: above %s, the highest load measured, which keeps %s", of, s.Knee, kept)
	case s.NextState == objective.Uncertain:
		return fmt.Sprintf("knee%s: %s is the highest load shown to keep %s; at %s it is uncertain", of, s.Knee, kept, s.Next)
	}
	return fmt.Sprintf("knee%s: %s is the highest load that keeps %s; %s breaks it", of, s.Knee, kept, s.Next)
}
