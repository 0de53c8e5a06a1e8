package claim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/bundle"
	"assay/finding"
	"assay/lint"
	"assay/plan"
	"assay/spec"
)

// A Grade says what the claims of a bundle are good for.
type Grade string

// The grades, best first.
const (
	Publication Grade = "publication" // controlled, complete, signed, every forbidding check passed
	Realism     Grade = "realism"     // sound, on a system that others shared or that was not fully controlled
	Exploratory Grade = "exploratory" // for whoever looks further, not for quoting outside
)

// GradeOf is the grade of one statistic of so many launches, of a run of grade g; lowered
// says why it is not the run's own. A statistic that stands beside a p99 is named with it.
func GradeOf(g Grade, statistic string, launches int) (grade Grade, lowered string) {
	if g == Publication && strings.Contains(statistic, "p99") && launches < spec.LaunchesForTail {
		return Realism, fmt.Sprintf("a p99 is published of %d launches or more", spec.LaunchesForTail)
	}
	return g, ""
}

// gradeOf is the grade that the evidence supports, and why it is not the one that
// the spec asks for.
func gradeOf(e Evidence) (Grade, []string) {
	sound := unsound(e)
	if e.Plan.Class() != spec.PublicationGrade {
		if len(sound) > 0 {
			return Exploratory, sound
		}
		return Realism, nil
	}
	controlled := uncontrolled(e)
	switch {
	case len(sound) > 0:
		return Exploratory, append(sound, controlled...)
	case len(controlled) > 0:
		return Realism, controlled
	}
	return Publication, nil
}

// unsound lists what keeps a run from any grade that may be quoted.
func unsound(e Evidence) []string {
	var why []string
	if from := e.Manifest.Source; from != nil {
		why = append(why, fmt.Sprintf("the figures are those of %s: assay measured none of them", from.Tool))
	}
	if e.Status != bundle.Completed {
		why = append(why, fmt.Sprintf("the run is %s", e.Status))
	}
	// A verdict about the result lowers no grade: a candidate whose answers are worse was
	// measured as soundly as any other, and its gate must count. Nor does one that forbids
	// some results of a run: they are refused, and the others are as good as they were.
	void := idsOf(slices.DeleteFunc(slices.Clone(e.Audit.Findings), func(f finding.Finding) bool {
		return f.Check == lint.QualityReached.ID || !f.Scope.Broad()
	}), finding.Void)
	if len(void) > 0 {
		why = append(why, "void findings: "+strings.Join(void, ", "))
	}
	if e.Plan.Trials().Quick {
		why = append(why, quickReason(e))
	} else if wanted := e.Plan.Trials().MinReplicates; e.launches() < wanted {
		why = append(why, fmt.Sprintf("%d completed launches, %d declared as the fewest", e.launches(), wanted))
	}
	if e.Client.Bounds == nil && e.Plan.Has(plan.KindServing) && !e.Plan.AsksOnce() { // without load there is no client
		why = append(why, "the client's own error was not measured")
	}
	return why
}

// quickReason says what one launch cannot show.
func quickReason(e Evidence) string {
	if e.Plan.AsksOnce() {
		return "a quick look: one launch does not show how much the system differs from itself"
	}
	return "a quick look: one launch has no interval"
}

// uncontrolled lists what keeps a sound run from being published.
func uncontrolled(e Evidence) []string {
	var why []string
	if !e.Signed {
		why = append(why, "nobody signed the bundle")
	}
	if e.Plan.Has(plan.KindServing) && !e.Plan.AsksOnce() && e.Plan.Intent().Headline == "" {
		why = append(why, "the spec did not choose what to lead with before the run (intent.headline)")
	}
	// The replicates of a publication are starts of the system, not visits to one.
	if shared := sharing(e); len(shared) > 0 {
		why = append(why, "launches share one server process: "+strings.Join(shared, ", "))
	}
	for _, f := range e.Audit.Findings {
		if slices.Contains(lint.Isolation, f.Check) && f.Severity == finding.Caution {
			first, _, _ := strings.Cut(f.Message, "; ") // the finding itself lists every launch
			why = append(why, f.Check+": "+first)
		}
	}
	var open []string
	for _, r := range e.Audit.Results {
		if r.State == lint.NotChecked && (r.Severity == finding.Void || slices.Contains(lint.Isolation, r.Check)) {
			open = append(open, fmt.Sprintf("%s (%s is missing)", r.Check, r.Missing))
		}
	}
	if len(open) > 0 {
		why = append(why, "not checked: "+strings.Join(open, ", "))
	}
	return why
}

// sharing names the targets whose launches share a server process.
func sharing(e Evidence) []string {
	var names []string
	for _, side := range e.Plan.Sides() {
		if side.Target != nil && lint.SharesServer(*side.Target) {
			names = append(names, cmp.Or(side.Name, "the target"))
		}
	}
	return names
}

// idsOf lists the checks that found something of a severity, each once.
func idsOf(findings []finding.Finding, severity finding.Severity) []string {
	var list []string
	for _, f := range findings {
		if f.Severity == severity && !slices.Contains(list, f.Check) {
			list = append(list, f.Check)
		}
	}
	return list
}

// launches is how many launches of each side the estimates rest on.
func (e Evidence) launches() int {
	return len(e.Estimates.Launches) / max(1, len(e.Plan.Sides()))
}
