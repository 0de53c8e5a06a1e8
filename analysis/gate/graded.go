package gate

import (
	"fmt"
	"slices"

	"assay/accuracy/parity"
	"assay/spec"
	"assay/stats/items"
)

// gradedRows judges the gated tasks by the answers in both bundles, under the names that
// the policy has for them: the task, or the task and one of its graders.
func gradedRows(in Input) (map[string][]parity.Row, error) {
	gated := in.Policy.Spec.Accuracy
	rows := map[string][]parity.Row{}
	if len(gated) == 0 || !in.Baseline.Quality.Graded() || !in.Candidate.Quality.Graded() {
		return rows, nil
	}
	report, err := parity.Judge(in.Baseline.Quality, in.Candidate.Quality, parity.Options{
		Alpha: in.Policy.Spec.Alpha, Power: in.Policy.Spec.Power,
		Margins: func(task, grader string) (float64, bool) {
			for _, name := range []string{task + "." + grader, task} {
				i := slices.IndexFunc(gated, func(g spec.GatedAccuracy) bool { return g.Metric == name })
				if i >= 0 {
					return gated[i].Tolerance, true
				}
			}
			return 0, false
		},
	})
	if err != nil {
		return nil, err
	}
	for _, row := range report.Rows {
		for _, g := range gated {
			if g.Metric == row.Task && row.Primary || g.Metric == row.Task+"."+row.Grader {
				rows[g.Metric] = append(rows[g.Metric], row)
			}
		}
	}
	return rows, nil
}

// of is the decision about one row: regressed when the answers are worse beyond chance
// and by more than the tolerance, not worse when that is shown.
func (d AccuracyDecision) of(row parity.Row, alpha float64) AccuracyDecision {
	d.Metric, d.Reason = atPoint(d.Metric, row.Point), row.Why()
	d.Delta = &Delta{
		Metric: d.Metric, Value: row.Difference.Value, Interval: row.Bounds, Confidence: 1 - 2*alpha, N: row.Items,
		Source: fmt.Sprintf("the answers in the bundles, item by item (%s)", parity.Rule),
	}
	switch {
	case row.Lower != (d.Better == "lower"):
		d.Verdict, d.Reason = Missing, fmt.Sprintf("the policy says that %s is better, and the grader %s says otherwise", d.Better, row.Grader)
	case row.Holds():
		d.Verdict = NotWorse
	case row.Verdict == items.Worse && row.Loss() > d.Tolerance:
		d.Verdict, d.Reason = Regressed, "the answers are worse beyond chance: "+d.Reason
	default:
		d.Verdict = Inconclusive
	}
	return d
}

// atPoint adds the point.
func atPoint(metric, point string) string {
	if point == "" {
		return metric
	}
	return metric + " at " + point
}
