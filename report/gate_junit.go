package report

import (
	"encoding/xml"
	"fmt"
	"io"

	"assay/analysis/gate"
)

// The elements of JUnit's XML that every CI reads.
type (
	junitSuite struct {
		XMLName  xml.Name    `xml:"testsuite"`
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Skipped  int         `xml:"skipped,attr,omitempty"`
		Cases    []junitCase `xml:"testcase"`
		Output   string      `xml:"system-out,omitempty"`
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

// GateJUnit writes what a gate says as JUnit XML: a test for each metric and each
// measure of quality, and one for everything else that keeps the candidate from
// passing.
func GateJUnit(w io.Writer, r gate.Result) error {
	suite := junitSuite{Name: "assay gate " + r.Policy}
	for _, d := range r.Metrics {
		suite.add(r, "metric", d.Key, fmt.Sprintf("%s, margin %s: %s: %s", measuredText(d), marginText(d), d.Verdict, d.Reason))
	}
	for _, d := range r.Accuracy {
		suite.add(r, "accuracy", d.Metric, fmt.Sprintf("%s: %s", d.Verdict, d.Reason))
	}
	suite.add(r, "controlled", r.Candidate.Label, "")
	for _, g := range r.Grades {
		suite.add(r, "grade", g.Label, g.Grade)
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
