// Package finding holds the one way assay says "look here".
//
// A finding is not an error (we could not do it) and not a warning (this number
// is weak): the work was done, and something about it needs eyes. Checks that
// produce findings live elsewhere; this package only fixes what one looks like.
package finding

import "slices"

// Severity says what a finding does to a result.
type Severity string

// The severities, from worst to mildest.
const (
	Void    Severity = "void"    // no claim may be made while it stands
	Caution Severity = "caution" // a claim must carry it
	Note    Severity = "note"    // for the reader's information
)

// All lists the severities from worst to mildest.
var All = []Severity{Void, Caution, Note}

// A Finding is one "look here", with the figures in it and the cure beside it.
type Finding struct {
	Check    string   `json:"check"`
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	Why      string   `json:"why,omitempty"` // why it matters
	Fix      string   `json:"fix,omitempty"` // what to do
	Evidence []string `json:"evidence,omitempty"`
	Scope    Scope    `json:"scope,omitzero"` // what it touches; the zero Scope is the whole run
}

// Worst returns the worst severity among fs, or "" when there is none.
func Worst(fs []Finding) Severity {
	for _, s := range All {
		if slices.ContainsFunc(fs, func(f Finding) bool { return f.Severity == s }) {
			return s
		}
	}
	return ""
}
