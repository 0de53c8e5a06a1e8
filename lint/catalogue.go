package lint

import (
	"fmt"

	"assay/finding"
)

// An Entry is one check as the catalogue lists it.
type Entry struct {
	ID       string           `json:"check"`
	Code     string           `json:"code,omitempty"`
	Severity finding.Severity `json:"severity"` // the worst it can find
	Doc      string           `json:"doc"`
	Pair     bool             `json:"pair,omitempty"` // about two bundles only
}

// Catalogue lists every check.
func Catalogue() []Entry {
	list := make([]Entry, 0, len(All))
	for _, c := range All {
		list = append(list, Entry{c.ID, c.Code, c.Severity, c.Doc, c.Pair})
	}
	return list
}

// Counts says how many checks came to what.
type Counts struct {
	Passed        int `json:"passed"`
	Found         int `json:"found"`
	NotChecked    int `json:"notChecked"`
	NotApplicable int `json:"notApplicable"`
}

// Counts counts the results.
func (a Audit) Counts() Counts {
	var c Counts
	for _, r := range a.Results {
		*map[State]*int{Passed: &c.Passed, Found: &c.Found, NotChecked: &c.NotChecked, NotApplicable: &c.NotApplicable}[r.State]++
	}
	return c
}

// String is the counts in a sentence.
func (c Counts) String() string {
	return fmt.Sprintf("%d checks: %d passed, %d found, %d not checked, %d not applicable",
		c.Passed+c.Found+c.NotChecked+c.NotApplicable, c.Passed, c.Found, c.NotChecked, c.NotApplicable)
}

// PassedChecks are the ids of the checks that passed: what an attestation may say.
func (a Audit) PassedChecks() []string {
	var list []string
	for _, r := range a.Results {
		if r.State == Passed {
			list = append(list, r.Check)
		}
	}
	return list
}
