package main

import (
	"bytes"
	"fmt"
	"strings"

	"assay/plan"
)

// writePlanSearch says how a launch will look for its load.
func writePlanSearch(b *bytes.Buffer, p plan.Plan) {
	s := p.Search
	first := p.Points[s.PointOf(s.Start, 0)]
	var names []string
	for _, o := range s.Objectives {
		names = append(names, o.Name)
	}
	fmt.Fprintf(b, "  a search for the highest load that keeps %s\n", strings.Join(names, " and "))
	fmt.Fprintf(b, "  from %s, in %d levels between %s and %s\n", first.Name, len(s.Levels), p.Points[0].Name, p.Points[s.PointOf(len(s.Levels)-1, 0)].Name)
	fmt.Fprintf(b, "  each verdict at %g %% confidence takes at least %d requests; a probe measures %s, at most %d probes of a level and %d of a launch", 100*s.Confidence, s.Need, first.Duration, s.Rounds, s.Probes)
	if s.Time > 0 {
		fmt.Fprintf(b, ", none begun after %s", s.Time)
	}
	fmt.Fprintln(b)
}
