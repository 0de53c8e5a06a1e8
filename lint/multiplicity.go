package lint

import (
	"fmt"
	"math"
	"regexp"

	"assay/analysis/gate"
	"assay/finding"
)

// Multiplicity fires when several differences were tested as if each were the
// only one.
var Multiplicity = Check{
	ID: "uncorrected-multiplicity", Code: "G-04", Severity: finding.Void,
	Doc: "Of many tests at five per cent one alarms by chance.",
	When: "several stated differences without a correction; the history of a gate with another rule and " +
		"several metrics",
	Applies: func(f *Facts) bool {
		return f.Policy != nil || len(f.History) > 0 || len(tested(f)) > 1
	},
	Run: multiplicity,
}

// corrections matches the names of what makes up for several tests.
var corrections = regexp.MustCompile(`(?i)holm|bonferroni|hochberg|šidák|sidak|tukey|dunnett|correct|adjust|fdr|family`)

// tested lists the stated differences that rest on a test or an interval.
func tested(f *Facts) []Statement {
	var list []Statement
	for _, s := range f.Statements {
		if s.Delta != nil && (s.Delta.Test != "" || s.Delta.Interval != nil) {
			list = append(list, s)
		}
	}
	return list
}

func multiplicity(f *Facts) Answer {
	var list []finding.Finding
	alpha := 1 - f.Estimates.Confidence
	if alpha <= 0 || alpha >= 1 {
		alpha = .05
	}
	uncorrected := 0
	for _, s := range tested(f) {
		if !corrections.MatchString(s.Delta.Test + " " + s.Method) {
			uncorrected++
		}
	}
	if uncorrected > 1 {
		list = append(list, alarms(fmt.Sprintf("%d differences are stated", uncorrected), uncorrected, alpha))
	}
	// A gate of assay shares its error budget among its metrics by Holm's method,
	// whatever the policy. A history may hold another's.
	if n := len(f.History); n > 0 {
		if last := f.History[n-1]; last.Rule != gate.Rule && len(last.Verdicts) > 1 {
			list = append(list, alarms(fmt.Sprintf("%d metrics are gated by the rule %q, which is not known to correct for that,", len(last.Verdicts), last.Rule), len(last.Verdicts), last.Alpha))
		}
	}
	return found(list...)
}

func alarms(what string, tests int, alpha float64) finding.Finding {
	return finding.Finding{
		Severity: finding.Void,
		Message:  fmt.Sprintf("%s at a level of %.3g each: the chance of a false alarm is %.0f %%", what, alpha, 100*(1-math.Pow(1-alpha, float64(tests)))),
		Why:      "with enough metrics something always differs",
		Fix:      "correct by Holm's method, as assay compare and assay gate do, or name one metric beforehand",
	}
}
