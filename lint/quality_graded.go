package lint

import (
	"cmp"
	"fmt"
	"slices"

	"assay/accuracy/parity"
	"assay/finding"
	"assay/spec"
	"assay/stats/items"
)

// gradedQuality holds the answers of the compared sides to the correctness policy. judged
// names the tasks that it could compare. The least scores that a plan asks for are held by
// score-too-low.
func gradedQuality(f *Facts) (list []finding.Finding, judged []string, err error) {
	reports, err := qualityReports(f)
	if err != nil {
		return nil, nil, err
	}
	suite := f.Plan.Workload().Correctness.Suite
	for _, r := range reports {
		for _, row := range r.Rows {
			if !row.Primary {
				continue
			}
			judged = append(judged, row.Task)
			if f.gates(row) {
				continue
			}
			if one, found := qualityFinding(row, slices.Contains(suite, row.Task)); found {
				list = append(list, one)
			}
		}
	}
	return list, judged, nil
}

// gates reports whether a policy has a tolerance of its own for what the row measures.
func (f *Facts) gates(row parity.Row) bool {
	return slices.ContainsFunc(f.Gated, func(g spec.GatedAccuracy) bool { return g.Metric == row.Task || g.Metric == row.Task+"."+row.Grader })
}

// qualityReports compare what is held against each other: two bundles of one side each,
// or the sides of one.
func qualityReports(f *Facts) ([]parity.Report, error) {
	if !f.Answers.Graded() || !f.Compared() {
		return nil, nil
	}
	o := parity.Options{Margin: cmp.Or(f.QualityMargin, f.Plan.Workload().Correctness.MaxAccuracyDeltaPct/100)}
	if f.Against != nil {
		if !f.Against.Answers.Graded() || len(f.Plan.Candidates())+len(f.Against.Plan.Candidates()) > 0 {
			return nil, nil
		}
		baseline, candidate := f.Against, f
		r, err := parity.Judge(baseline.Answers.Of(baseline.Manifest, baseline.Plan, ""), candidate.Answers.Of(candidate.Manifest, candidate.Plan, ""), o)
		return []parity.Report{r}, err
	}
	baseline := f.Answers.Of(f.Manifest, f.Plan, spec.BaselineSide)
	var reports []parity.Report
	for _, c := range f.Plan.Candidates() {
		r, err := parity.Judge(baseline, f.Answers.Of(f.Manifest, f.Plan, c.Name), o)
		if err != nil {
			return nil, err
		}
		reports = append(reports, r)
	}
	return reports, nil
}

// qualityFinding is what a task says against the candidate. A policy that names the task
// wants it shown to hold; without one only a loss beyond chance counts as such.
func qualityFinding(row parity.Row, wanted bool) (finding.Finding, bool) {
	one := finding.Finding{
		Severity: finding.Void, Scope: ofSpeed, Message: fmt.Sprintf("the answers are worse: %s: %s", row.Name(), row.Why()),
		Why: "a model that may answer worse can always answer faster",
		Fix: "restore the quality, or compare at equal quality",
	}
	switch {
	case row.Holds():
		return one, false
	case row.Verdict == items.Worse:
		return one, true
	case !wanted:
		one.Severity = finding.Caution
	}
	one.Message = fmt.Sprintf("the answers are not shown to be as good: %s: %s", row.Name(), row.Why())
	one.Fix = "evaluate more questions, or the same ones more often"
	return one, true
}
