package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Severity says whether a fault forbids the document.
type Severity string

// The severities of a fault.
const (
	SeverityError   Severity = "error"   // the document is not valid
	SeverityWarning Severity = "warning" // the document is valid, and this should be looked at
)

// A Fault is one thing wrong with a document: where it is, what was got, what
// is wanted.
type Fault struct {
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line"`   // 1 for the first
	Column   int      `json:"column"` // 1 for the first
	Path     string   `json:"path"`   // such as spec.layers[0].name
	Got      string   `json:"got,omitempty"`
	Want     string   `json:"want"`
	Rule     string   `json:"rule"` // the id of the rule in Rules
	Message  string   `json:"message"`
	Severity Severity `json:"severity"`
}

// Error is the line form: run.yaml:12:7: spec.trials.minReplicates: got 2,
// must be an integer >= 3.
func (f Fault) Error() string {
	var b strings.Builder
	if f.File != "" {
		fmt.Fprintf(&b, "%s:", f.File)
	}
	fmt.Fprintf(&b, "%d:%d: ", f.Line, f.Column)
	b.WriteString(f.Words())
	return b.String()
}

// Words are the line form without the place, for documents that are no file.
func (f Fault) Words() string {
	var b strings.Builder
	if f.Severity == SeverityWarning {
		b.WriteString("warning: ")
	}
	if f.Path != "" {
		fmt.Fprintf(&b, "%s: ", f.Path)
	}
	if f.Got != "" {
		fmt.Fprintf(&b, "got %s, ", f.Got)
	}
	b.WriteString(f.Message)
	return b.String()
}

// Valid reports whether no fault is an error.
func Valid(faults []Fault) bool {
	return !slices.ContainsFunc(faults, func(f Fault) bool { return f.Severity != SeverityWarning })
}

// SortFaults puts faults in reading order, so that two runs print the same.
func SortFaults(faults []Fault) {
	slices.SortStableFunc(faults, func(a, b Fault) int {
		return cmp.Or(
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Path, b.Path),
			cmp.Compare(ruleOrder(a.Rule), ruleOrder(b.Rule)),
		)
	})
}

// ruleOrder is the place of a rule in Rules.
func ruleOrder(id string) int {
	return slices.IndexFunc(Rules, func(r Rule) bool { return r.ID == id })
}
