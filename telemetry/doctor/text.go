package doctor

import (
	"fmt"
	"io"
	"strings"

	"assay/finding"
)

// WriteText writes r for people: one line for each check, and below a finding
// why it matters and what to do.
func WriteText(w io.Writer, r Report) error {
	var b strings.Builder
	for _, result := range r.Results {
		fmt.Fprintf(&b, "%-12s %-20s %s\n", result.label(), result.Check, result.line())
		if f := result.Finding; f != nil {
			for _, e := range f.Evidence {
				fmt.Fprintf(&b, "%34s%s\n", "", "see: "+e)
			}
			fmt.Fprintf(&b, "%34s%s\n%34s%s\n", "", "why: "+f.Why, "", "fix: "+f.Fix)
		}
	}
	b.WriteString("\n" + r.summary() + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (r Result) label() string {
	switch r.Status {
	case NotChecked:
		return "not checked"
	case Found:
		return strings.ToUpper(string(r.Finding.Severity))
	}
	return "ok"
}

func (r Result) line() string {
	switch r.Status {
	case NotChecked:
		return r.Reason
	case Found:
		return r.Finding.Message
	}
	return r.Asks + ": yes"
}

// summary is the verdict in one line, with what stands behind it.
func (r Report) summary() string {
	count := map[finding.Severity]int{}
	for _, f := range r.Findings() {
		count[f.Severity]++
	}
	notChecked := 0
	for _, result := range r.Results {
		if result.Status == NotChecked {
			notChecked++
		}
	}
	verdict := "fit to measure"
	switch {
	case !r.Fit:
		verdict = "not fit to measure"
	case notChecked > 0: // a gap is not a pass
		verdict = "fit to measure as far as checked"
	}
	return fmt.Sprintf("%s: %d void, %d caution, %d note, %d not checked, of %d checks", verdict,
		count[finding.Void], count[finding.Caution], count[finding.Note], notChecked, len(r.Results))
}
