package report

import (
	"fmt"
	"io"
	"strings"

	"assay/accuracy/parity"
	"assay/analysis/compare"
	"assay/finding"
	"assay/stats/items"
)

// CompareJUnit writes a comparison as JUnit XML: a test for each statistic, which
// fails where the candidate is worse and is skipped where the launches cannot say,
// one for whether the pair is controlled and one for each finding that is void.
func CompareJUnit(w io.Writer, r compare.Report, all bool) error {
	suite := junitSuite{Name: "assay compare " + CompareTitle(r)}
	for _, c := range r.Comparisons {
		label := c.Candidate.Label
		controlled := junitCase{Class: label, Name: "controlled"}
		if text := standing(c.Controlled, c.Declared, c.Variable, c.Others); c.Controlled {
			controlled.Output = text
		} else {
			controlled.Failure = &junitFailure{Type: "controlled", Message: text}
		}
		suite.count(controlled)
		for _, f := range c.Findings {
			one := junitCase{Class: label, Name: f.Check, Output: fmt.Sprintf("%s: %s", f.Severity, f.Message)}
			if f.Severity == finding.Void {
				one.Failure = &junitFailure{Type: string(f.Severity), Message: f.Message}
			}
			suite.count(one)
		}
		for _, row := range c.Rows {
			if row.Primary || all || ComparedStatistics[row.Statistic] {
				suite.count(comparedCase(label, row))
			}
		}
		for _, one := range qualityCases(label, c.Quality) {
			suite.count(one)
		}
		for _, m := range c.Missing {
			suite.count(junitCase{Class: label, Name: m.What, Failure: &junitFailure{Type: "missing", Message: strings.TrimSuffix("not in "+m.Side+": "+m.Why, ": ")}})
		}
	}
	return suite.write(w)
}

func comparedCase(label string, row compare.Row) junitCase {
	text := fmt.Sprintf("%s: %s", row.Verdict, ratioText(row))
	one := junitCase{Class: label, Name: compare.Key(row.Metric, row.Statistic, row.Point), Output: text}
	switch row.Verdict {
	case compare.Worse:
		one.Failure = &junitFailure{Type: string(row.Verdict), Message: text}
	case compare.Void:
		one.Skipped = &junitSkipped{Message: "void: " + strings.Join(row.Void, "; ")}
	case compare.Inconclusive:
		one.Skipped = &junitSkipped{Message: strings.TrimSuffix(text+"; "+row.Settle, "; ")}
	}
	return one
}

// qualityCases are a test for each task, which fails where the answers are worse and is
// skipped where the items cannot say.
func qualityCases(label string, q *parity.Report) []junitCase {
	if q == nil {
		return nil
	}
	var list []junitCase
	for _, row := range q.Rows {
		text := fmt.Sprintf("%s: %s", row.Verdict, row.Why())
		one := junitCase{Class: label, Name: "quality " + row.Name(), Output: text}
		switch row.Verdict {
		case items.Worse:
			one.Failure = &junitFailure{Type: string(row.Verdict), Message: text}
		case items.Undecided, parity.Void:
			one.Skipped = &junitSkipped{Message: text}
		}
		list = append(list, one)
	}
	for _, m := range q.Missing {
		list = append(list, junitCase{Class: label, Name: "quality " + m.Task, Failure: &junitFailure{Type: "missing", Message: m.Why}})
	}
	return list
}
