package lint

import (
	"fmt"
	"strings"

	"assay/analysis/diff"
	"assay/finding"
)

// HiddenEnvironment fires when a difference between two systems is stated without
// what else differs between their environments.
var HiddenEnvironment = Check{
	ID: "hidden-environment", Code: "G-01", Severity: finding.Caution,
	Doc:  "A delta is stated without the differences of the environments beside it.",
	When: "the text of a stated difference does not name what differs between the environments",
	Applies: func(f *Facts) bool {
		return f.Compared() && statedWith(func(_ *Facts, s Statement) bool { return s.Delta != nil })(f)
	},
	Run: hiddenEnvironment,
}

func hiddenEnvironment(f *Facts) Answer {
	if len(f.Manifest.Environment) == 0 || f.Against != nil && len(f.Against.Manifest.Environment) == 0 {
		return missing("the environments of both sides")
	}
	var list []finding.Finding
	for _, s := range f.Statements {
		if s.Delta == nil {
			continue
		}
		var unstated []string
		for _, c := range f.Changes {
			if (c.Kind == diff.Environment || c.Kind == diff.Topology) && !mentions(s.Text, c) {
				unstated = append(unstated, c.String())
			}
		}
		if len(unstated) == 0 {
			continue
		}
		list = append(list, finding.Finding{
			Severity: finding.Caution,
			Message:  fmt.Sprintf("the change of %s is stated without %d differences of the environments: %s", said(s), len(unstated), summary(unstated)),
			Why:      "a reader takes the whole change for the work of what is named",
			Fix:      "show them beside the figure, as assay compare does",
			Evidence: unstated,
		})
	}
	return found(list...)
}

// mentions reports whether a text names a change: by its path or by both values.
func mentions(text string, c diff.Change) bool {
	return strings.Contains(text, c.Path) || strings.Contains(text, c.A) && strings.Contains(text, c.B)
}
