package report

import (
	"fmt"
	"slices"
	"strings"

	"assay/analysis/compare"
	"assay/finding"
)

// verdictBlock answers the question of a comparison: a sentence for each candidate and
// the primary metrics.
func verdictBlock(r compare.Report) Block {
	b := Block{Title: "verdict", Head: []string{"candidate", "point", "metric", "baseline", "candidate", "ratio", "verdict", "smallest detectable change"}}
	for _, c := range r.Comparisons {
		if of, void := voids(c.Findings); len(void) > 0 {
			b.Lines = append(b.Lines, fmt.Sprintf("%s: %s. %s was measured, and nothing may be concluded from it.", of.head, strings.Join(void, ", "), of.what))
		}
		for _, why := range forbidden(c) {
			b.Lines = append(b.Lines, "VOID in part: "+why)
		}
		b.Lines = append(b.Lines, verdictSentence(c, r.Baseline.Label))
		if text := qualitySentence(c.Quality); text != "" {
			b.Lines = append(b.Lines, text)
		}
		for _, row := range c.Rows {
			if row.Primary {
				cells := comparedRow(row)
				b.Rows = append(b.Rows, append([]string{c.Candidate.Label, row.Point}, cells[0], cells[1], cells[2], cells[3], cells[4], cells[6]))
			}
		}
	}
	return b
}

// forbidden lists why nothing may be concluded from some primary rows, each reason once,
// where the pair as a whole is not void.
func forbidden(c compare.Comparison) (list []string) {
	for _, row := range c.Rows {
		for _, why := range row.Void {
			if row.Primary && !slices.Contains(list, why) {
				list = append(list, why)
			}
		}
	}
	if _, void := voids(c.Findings); len(void) > 0 {
		return nil
	}
	return list
}

// A voided is what may not be concluded from.
type voided struct{ head, what string }

// voids names the checks that void a pair as a whole, or its speed, and which of them.
func voids(findings []finding.Finding) (of voided, names []string) {
	of = voided{"VOID for every speed", "The speed below"}
	for _, f := range findings {
		if f.Severity != finding.Void || !f.Scope.Broad() || f.Scope.Subject == finding.Accuracy {
			continue
		}
		if f.Scope.Subject == "" {
			of = voided{"VOID", "What follows"}
		}
		if !slices.Contains(names, f.Check) {
			names = append(names, f.Check)
		}
	}
	return of, names
}

// verdictSentence sums the primary metrics of a candidate up.
func verdictSentence(c compare.Comparison, baseline string) string {
	by := map[compare.Verdict][]string{}
	for _, row := range c.Rows {
		if row.Primary && row.Verdict == compare.Void {
			by[row.Verdict] = append(by[row.Verdict], comparedRow(row)[0]+" at "+row.Point)
		} else if row.Primary {
			by[row.Verdict] = append(by[row.Verdict], comparedRow(row)[0]+" at "+row.Point+changeText(row))
		}
	}
	var parts []string
	for _, verdict := range []compare.Verdict{compare.Worse, compare.Better, compare.Equivalent, compare.Inconclusive, compare.Void} {
		if list := by[verdict]; len(list) > 0 {
			parts = append(parts, fmt.Sprintf("%s: %s", verdict, strings.Join(list, ", ")))
		}
	}
	if len(parts) == 0 {
		return fmt.Sprintf("%s beside %s: no primary metric could be compared.", c.Candidate.Label, baseline)
	}
	return fmt.Sprintf("%s beside %s is %s.", c.Candidate.Label, baseline, strings.Join(parts, "; "))
}

// changeText is how much a metric changed, where that is known.
func changeText(row compare.Row) string {
	if row.Ratio == nil || !bounded(row.Ratio) {
		return ""
	}
	percent := func(ratio float64) float64 { return 100 * (ratio - 1) }
	return fmt.Sprintf(" (%+.3g %% [%+.3g, %+.3g])", percent(row.Ratio.Value), percent(row.Ratio.Interval.Lo), percent(row.Ratio.Interval.Hi))
}
