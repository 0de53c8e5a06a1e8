// Package lint looks for the pitfalls that make a benchmark's numbers mean less
// than they seem to. One pitfall, one file; each check reads what a bundle, or a
// pair of bundles, says and returns findings with the figures in them.
//
// It changes nothing and forbids nothing: a finding's severity says what may be
// claimed while it stands. Missing evidence is not a pass: a check that lacks what
// it needs says so, and publication grade wants every check that could forbid a
// claim to have passed.
//
// To add a check, write one file NAME.go with one Check, list it in the table of
// its family and give the family's test a run that trips it.
package lint

import (
	"cmp"
	"slices"

	"assay/finding"
)

// A Check looks for one pitfall.
type Check struct {
	ID       string           // as findings carry it, such as client-limit
	Code     string           // its number in the catalogue of pitfalls, such as L-02; empty for others
	Severity finding.Severity // the worst it can find
	Doc      string           // the pitfall in one sentence
	When     string           // what makes it fire, with its limits; for docs/reference/checks.md

	// About is the subject of what it finds, where a finding does not say itself; empty for
	// the whole run.
	About finding.Subject

	// Pair says that the check is about two bundles, and has a meaning only where
	// Facts.Against is known.
	Pair bool

	// Applies says from the plan, and from what somebody states about the run,
	// whether the check has a meaning; nil means that it always has.
	Applies func(f *Facts) bool

	Run func(f *Facts) Answer
}

// An Answer is what a check found. The zero Answer is a pass.
type Answer struct {
	Findings []finding.Finding

	// Missing names the evidence that the bundle lacks; nothing was checked then.
	Missing string
}

// found is the answer of a check that looked; no findings are a pass.
func found(list ...finding.Finding) Answer { return Answer{Findings: list} }

// missing is the answer of a check that could not look.
func missing(evidence string) Answer { return Answer{Missing: evidence} }

// A State says what became of a check.
type State string

// The states of a check.
const (
	Passed        State = "passed"
	Found         State = "found"
	NotChecked    State = "not_checked"    // the evidence is missing
	NotApplicable State = "not_applicable" // it has no meaning for this run
)

// A Result is what became of one check.
type Result struct {
	Check    string           `json:"check"`
	Code     string           `json:"code,omitempty"`
	Severity finding.Severity `json:"severity"` // the worst it can find
	State    State            `json:"state"`
	Missing  string           `json:"missing,omitempty"` // what it would need
}

// An Audit is what became of every check, and what they found, worst first.
type Audit struct {
	Results  []Result          `json:"results"`
	Findings []finding.Finding `json:"findings"`
}

// All lists every check, family by family.
var All = slices.Concat(instrument, foreignResults, core, rules, serving, hygiene, steadyState, integrity)

// Run makes every check. Findings carry the id of their check.
func Run(f *Facts) Audit {
	audit := Audit{Results: []Result{}, Findings: []finding.Finding{}}
	for _, c := range All {
		result := Result{Check: c.ID, Code: c.Code, Severity: c.Severity, State: Passed}
		switch {
		case c.Pair && f.Against == nil, f.untimed(c), c.Applies != nil && !c.Applies(f):
			result.State = NotApplicable
		case f.untold(c) != "":
			result.State, result.Missing = NotChecked, f.untold(c)
		default:
			answer := c.Run(f)
			for _, one := range answer.Findings {
				one.Check = c.ID
				one.Scope.Subject = cmp.Or(one.Scope.Subject, c.About)
				audit.Findings = append(audit.Findings, one)
				result.State = Found
			}
			if answer.Missing != "" {
				result.Missing = answer.Missing
				if result.State == Passed {
					result.State = NotChecked
				}
			}
		}
		audit.Results = append(audit.Results, result)
	}
	audit.Findings = append(audit.Findings, f.Others...) // with ids of their own
	audit.sort()
	return audit
}

func (a *Audit) sort() {
	slices.SortStableFunc(a.Findings, func(x, y finding.Finding) int {
		return cmp.Compare(slices.Index(finding.All, x.Severity), slices.Index(finding.All, y.Severity))
	})
}
