package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"assay/bundle"
	"assay/finding"
	"assay/judge"
	"assay/lint"
	"assay/visible"
)

// JUnit writes the checks of a run as tests, so that a CI which shows tests shows
// whether a run may be believed: a check fails where it found what forbids claims,
// and one that lacked its evidence was skipped, not passed. A launch that did not
// complete is a test that failed.
func JUnit(w io.Writer, r Report) error {
	suite := junitSuite{Name: r.heading("", "; ") + "assay " + r.RunID, Output: fmt.Sprintf("status %s, signature %s", r.Status, r.Signature)}
	if alarm := r.Alarm(); alarm != "" {
		suite.count(junitCase{Class: "seal", Name: "the bundle is what was sealed", Failure: &junitFailure{Type: judge.NotVerified, Message: alarm}})
	}
	for _, l := range r.Launches {
		c := junitCase{Class: "launch", Name: fmt.Sprintf("launch %d", l.Index+1)}
		if l.Outcome != bundle.LaunchCompleted {
			c.Failure = &junitFailure{Type: string(l.Outcome), Message: strings.TrimSuffix(string(l.Outcome)+": "+l.Reason, ": ")}
		}
		suite.count(c)
	}
	for _, c := range r.scoreCases() {
		suite.count(c)
	}
	for _, check := range r.Checks {
		suite.count(checkCase(check, r.Findings))
	}
	return suite.write(w)
}

// checkCase is one check with what it found.
func checkCase(check lint.Result, findings []finding.Finding) junitCase {
	c := junitCase{Class: "check", Name: check.Check}
	var said []string
	for _, f := range findings {
		if f.Check != check.Check {
			continue
		}
		said = append(said, fmt.Sprintf("%s: %s", f.Severity, f.Message))
		if f.Severity == finding.Void && c.Failure == nil {
			c.Failure = &junitFailure{Type: string(f.Severity), Message: f.Message}
		}
	}
	c.Output = strings.Join(said, "\n")
	switch check.State {
	case lint.NotChecked:
		c.Skipped = &junitSkipped{Message: "not checked, for want of " + check.Missing}
	case lint.NotApplicable:
		c.Skipped = &junitSkipped{Message: "does not apply to this run"}
	}
	return c
}

// count lists one test, with everything that is said in it made visible: XML
// cannot hold control characters.
func (s *junitSuite) count(c junitCase) {
	s.Tests++
	c.Name, c.Output = visible.Text(c.Name), visible.Text(c.Output)
	if c.Failure != nil {
		s.Failures++
		c.Failure.Message = visible.Text(c.Failure.Message)
	}
	if c.Skipped != nil {
		s.Skipped++
		c.Skipped.Message = visible.Text(c.Skipped.Message)
	}
	s.Cases = append(s.Cases, c)
}

func (s junitSuite) write(w io.Writer) error {
	s.Name, s.Output = visible.Text(s.Name), visible.Text(s.Output)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(s); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
