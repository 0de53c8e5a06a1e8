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
		"for publication, otherwise a caution); one setting of the server's environment or its start script " +
		"differs instead of it (a caution)",
	Applies: (*Facts).Compared,
	Run:     applesToOranges,
}

func applesToOranges(f *Facts) Answer {
	if len(f.Manifest.Environment) == 0 || f.Against != nil && len(f.Against.Manifest.Environment) == 0 {
		return missing("the environments of both sides")
	}
	declared := f.Plan.Comparison().VariableUnderTest
	variable, rest, ok := diff.Controlled(f.Changes, declared)
	switch {
	case ok && (variable == "" || variable == declared):
		return found()
	case ok:
		return found(anotherVariable(f.Changes, variable, declared))
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

// anotherVariable names the one setting or script that moved where another variable was
// declared: the pair is sound, and its result is that of the setting.
func anotherVariable(changes []diff.Change, variable, declared string) finding.Finding {
	var text []string
	for _, c := range changes {
		if c.Variable == variable {
			text = append(text, c.String())
		}
	}
	return finding.Finding{
		Severity: finding.Caution,
		Message:  fmt.Sprintf("%s differs, not %s: %s", variable, declared, summary(text)),
		Why:      "the result is that of the setting and says nothing about " + declared,
		Fix:      "name the setting beside the result, or give both sides the same one",
		Evidence: text,
	}
}
