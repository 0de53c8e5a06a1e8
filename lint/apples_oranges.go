package lint

import (
	"fmt"

	"assay/analysis/diff"
	"assay/finding"
)

// ApplesToOranges fires when more differs between two systems than the variable
// under test.
var ApplesToOranges = Check{
	ID: "apples-to-oranges", Code: "P-02", Severity: finding.Void,
	Doc: "More differs between baseline and candidate than the declared variable.",
	When: "plans, inputs, environments or topology differ outside of comparison.variableUnderTest (void " +
		"for publication, otherwise a caution)",
	Applies: (*Facts).Compared,
	Run:     applesToOranges,
}

func applesToOranges(f *Facts) Answer {
	if len(f.Manifest.Environment) == 0 || f.Against != nil && len(f.Against.Manifest.Environment) == 0 {
		return missing("the environments of both sides")
	}
	declared := f.Plan.Comparison().VariableUnderTest
	_, rest, ok := diff.Controlled(f.Changes, declared)
	if ok {
		return found()
	}
	var text []string
	for _, c := range rest {
		text = append(text, c.String())
	}
	return found(finding.Finding{
		Severity: f.publishing(),
		Message:  fmt.Sprintf("%d things differ besides %s, so the comparison is exploratory: %s", len(text), declared, summary(text)),
		Why:      "nobody can tell which of the differences made the difference",
		Fix:      "hold everything but the variable under test, or name the one that moved in comparison.variableUnderTest",
		Evidence: text,
	})
}
