package lint

import (
	"fmt"
	"slices"

	"assay/bundle"
	"assay/finding"
)

// UnbalancedSides fires when two sides were not measured equally often, or one
// after the other.
var UnbalancedSides = Check{
	ID: "unbalanced-sides", Code: "G-03", Severity: finding.Caution,
	Doc:     "Sides of different numbers of launches, or in a fixed order, share their luck unequally.",
	When:    "different numbers of launches; in one run, all launches of one side before the other",
	Applies: (*Facts).Compared,
	Run:     unbalancedSides,
}

func unbalancedSides(f *Facts) Answer {
	groups := map[string][]bundle.LaunchInfo{}
	for _, l := range f.completed() {
		groups[l.Side] = append(groups[l.Side], l)
	}
	names := f.sides()
	if f.Against != nil {
		groups = map[string][]bundle.LaunchInfo{"the baseline": f.Against.completed(), "the candidate": f.completed()}
		names = []string{"the baseline", "the candidate"}
	}
	for _, name := range names {
		if len(groups[name]) == 0 {
			return missing("completed launches of " + name)
		}
	}
	var list []finding.Finding
	for _, name := range names[1:] {
		a, b := len(groups[names[0]]), len(groups[name])
		if a != b {
			list = append(list, finding.Finding{
				Severity: finding.Caution,
				Message:  fmt.Sprintf("%s has %d launches and %s %d", names[0], a, name, b),
				Why:      "the side with fewer launches decides what can be seen, and its luck weighs more",
				Fix:      "measure both equally often, in blocks",
			})
		}
	}
	if !publication(f) && f.Against == nil { // friday-afternoon and unpaired-drift say so there
		list = append(list, inOrder(groups, names)...)
	}
	return found(list...)
}

// inOrder finds sides of which one came all before the other.
func inOrder(groups map[string][]bundle.LaunchInfo, names []string) []finding.Finding {
	begun := func(a, b bundle.LaunchInfo) int { return a.Started.Compare(b.Started) }
	for _, name := range names[1:] {
		a, b := groups[names[0]], groups[name]
		if len(a)+len(b) < 3 {
			continue
		}
		first, second := names[0], name
		if slices.MinFunc(b, begun).Started.Before(slices.MinFunc(a, begun).Started) {
			first, second, a, b = second, first, b, a
		}
		if slices.MaxFunc(a, begun).Started.Before(slices.MinFunc(b, begun).Started) {
			return []finding.Finding{{
				Severity: finding.Caution,
				Message:  fmt.Sprintf("all launches of %s came before those of %s", first, second),
				Why:      "whatever changed on the machine meanwhile looks like a difference between them",
				Fix:      "measure them in turn: spec.candidates makes blocks in an order that is drawn",
			}}
		}
	}
	return nil
}
