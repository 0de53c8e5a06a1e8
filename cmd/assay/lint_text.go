package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"assay/finding"
	"assay/judge"
	"assay/lint"
	"assay/visible"
)

// printAudit writes the audit of one bundle for people, the worst first.
func printAudit(w io.Writer, a bundleAudit, all bool) error {
	var b bytes.Buffer
	for _, fault := range a.NotVerified {
		fmt.Fprintf(&b, "%s: %s\n", judge.NotVerified, fault)
	}
	fmt.Fprintf(&b, "run %s (%s)", a.RunID, a.Class)
	if a.Baseline != "" {
		fmt.Fprintf(&b, " against the baseline %s", a.Baseline)
	}
	fmt.Fprintln(&b)
	codes := map[string]string{}
	for _, r := range a.Results {
		codes[r.Check] = r.Code
	}
	for _, f := range a.Findings {
		fmt.Fprintf(&b, "%-8s %s%s: %s\n", strings.ToUpper(string(f.Severity)), f.Check, inBrackets(codes[f.Check]), visible.Line(f.Message))
		if f.Why != "" {
			fmt.Fprintf(&b, "         why: %s\n", visible.Line(f.Why))
		}
		if f.Fix != "" {
			fmt.Fprintf(&b, "         to do: %s\n", visible.Line(f.Fix))
		}
	}
	for _, r := range a.Results {
		if shown(r, all) {
			fmt.Fprintf(&b, "%-8s %s%s%s\n", stateWord(r.State), r.Check, inBrackets(r.Code), lacking(r))
		}
	}
	fmt.Fprintln(&b, a.Counts)
	_, err := w.Write(b.Bytes())
	return err
}

// shown says whether a check without a finding is worth a line: one that could
// forbid a claim and was not made is, the others on demand.
func shown(r lint.Result, all bool) bool {
	return r.State == lint.NotChecked && r.Severity == finding.Void || all && r.State != lint.Found
}

func stateWord(s lint.State) string {
	return map[lint.State]string{lint.Passed: "passed", lint.NotChecked: "unknown", lint.NotApplicable: "no need"}[s]
}

func lacking(r lint.Result) string {
	if r.Missing == "" {
		return ""
	}
	return ": not checked, the bundle lacks " + r.Missing
}

func inBrackets(code string) string {
	if code == "" {
		return ""
	}
	return " (" + code + ")"
}

// printCatalogue lists every check.
func printCatalogue(w io.Writer, asJSON bool) error {
	if asJSON {
		return printJSON(w, lint.Catalogue())
	}
	var b bytes.Buffer
	for _, c := range lint.Catalogue() {
		fmt.Fprintf(&b, "%-8s %-5s %-26s %s\n", c.Severity, c.Code, c.ID, c.Doc)
	}
	_, err := w.Write(b.Bytes())
	return err
}
