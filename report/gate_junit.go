package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"

	"assay/analysis/gate"
)

// The elements of JUnit's XML that every CI reads.
type (
	junitSuite struct {
		XMLName  xml.Name `xml:"testsuite"`
		Name     string   `xml:"name,attr"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Skipped  int      `xml:"skipped,attr,omitempty"`

		Properties *junitProperties `xml:"properties,omitempty"`

		Cases  []junitCase `xml:"testcase"`
		Output string      `xml:"system-out,omitempty"`
	}
	junitProperties struct {
		List []junitProperty `xml:"property"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitFailure `xml:"failure,omitempty"`
		Skipped *junitSkipped `xml:"skipped,omitempty"`
		Output  string        `xml:"system-out,omitempty"`
	}
	junitFailure struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
	}
	junitSkipped struct {
		Message string `xml:"message,attr"`
	}
)

// GateJUnit writes what a gate says as JUnit XML: a test for each metric, guard and
// measure of quality, and one for everything else that keeps the candidate from
// passing. An advisory verdict is called so in the name of the suite and in its
// properties.
func GateJUnit(w io.Writer, r gate.Result) error {
	suite := junitSuite{Name: "assay gate " + r.Policy, Properties: &junitProperties{List: []junitProperty{
		{"advisory", strconv.FormatBool(r.Advisory)}, {"verdict", GateVerdict(r)},
	}}}
	if r.Advisory {
		suite.Name += " (advisory)"
	}
	for _, why := range r.AdvisoryReasons {
		suite.Properties.List = append(suite.Properties.List, junitProperty{"advisory.reason", why})
	}
	for _, d := range r.Metrics {
		suite.add(r, "metric", d.Key, fmt.Sprintf("%s, margin %s: %s: %s", measuredText(d), marginText(d), d.Verdict, d.Reason))
	}
	for _, d := range r.Guards {
		suite.add(r, "guard", d.Key, fmt.Sprintf("%s: %s", d.Verdict, guardReason(d)))
	}
	for _, d := range r.Accuracy {
		suite.add(r, "accuracy", d.Metric, fmt.Sprintf("%s: %s", d.Verdict, d.Reason))
	}
	suite.add(r, "controlled", r.Candidate.Label, "")
	for _, g := range r.Grades {
		suite.add(r, "grade", g.Label, g.Grade)
	}
	var checks []string
	for _, f := range r.Findings {
		if name := f.Name(); !slices.Contains(checks, name) {
			checks = append(checks, name)
			suite.add(r, "audit", name, fmt.Sprintf("%s: %s", f.Severity, f.Message))
		}
	}
	if r.Confirmation != nil {
		suite.add(r, "confirmation", r.Confirmation.Party.Label, "")
	}
	return suite.write(w)
}

// add lists one test; it failed where the gate has a reason about it.
func (s *junitSuite) add(r gate.Result, kind, about, output string) {
	c := junitCase{Class: kind, Name: about, Output: output}
	for _, reason := range r.Reasons {
		if reason.Kind == kind && reason.About == about {
			c.Failure = &junitFailure{Type: kind, Message: reason.Why}
		}
	}
	s.count(c)
}
