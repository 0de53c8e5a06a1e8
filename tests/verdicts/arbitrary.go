// Package verdicts holds that a verdict is made once. Its test makes thousands of
// judgements, each of two sealed runs and of findings that nobody expects, and looks for a
// face that says something else than the claims do.
package verdicts

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"assay/accuracy"
	"assay/bundle"
	"assay/claim"
	"assay/finding"
	"assay/judge"
	"assay/lint"
	"assay/metric"
	"assay/stats"
)

// Found makes the claims of a judgement anew, as if checks had found these.
func Found(j *judge.Judgement, list []finding.Finding, graded bool) {
	var scores *accuracy.Report
	if graded {
		scores = graduate(j.Plan.Points[0].Name)
	}
	j.Audit = lint.Audit{Results: j.Audit.Results, Findings: list}
	j.Claims = claim.Make(claim.Evidence{
		Manifest: j.Bundle.Manifest, Status: bundle.Completed, Signed: true, Plan: j.Plan,
		Estimates: j.Estimates, Client: j.Client, Audit: j.Audit, Accuracy: scores,
	}, "test")
}

// graduate is a report of one task that was graded.
func graduate(point string) *accuracy.Report {
	score := accuracy.Score{Grader: "exact", Graded: 200, Estimate: stats.Estimate{Value: .8, Interval: stats.Interval{Lo: .75, Hi: .85}, Confidence: .95, N: 200}}
	score.Bounds = stats.Interval{Lo: .8, Hi: .8}
	return &accuracy.Report{Tasks: []accuracy.Task{{Name: "arithmetic", Points: []accuracy.Point{{Name: point, Launches: 3, Asked: 200, Scores: []accuracy.Score{score}}}}}}
}

// some are a few of a list, in no order; none as often as any other number up to three.
func some[T any](r *rand.Rand, list []T) []T {
	list = slices.Clone(list)
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:r.IntN(min(3, len(list))+1)]
}

// Findings are up to three, of any severity and scope.
func Findings(r *rand.Rand, point string) (list []finding.Finding) {
	metrics := []string{metric.TTFT.ID, metric.TPOT.ID, metric.E2E.ID, metric.OutputThroughput.ID, metric.RequestThroughput.ID}
	for i := range r.IntN(4) {
		f := finding.Finding{
			Check: fmt.Sprintf("check-%d", i), Severity: finding.All[r.IntN(len(finding.All))], Message: fmt.Sprintf("see here %d", r.Uint32()),
			Scope: finding.Scope{
				Subject: []finding.Subject{"", finding.Speed, finding.Accuracy}[r.IntN(3)], Points: some(r, []string{point, "elsewhere"}), Metrics: some(r, metrics),
				Statistics: some(r, []string{"p50", "p90", "p95", "p99", "value"}),
			},
		}
		list = append(list, f)
	}
	return list
}

// Forbidden says whether findings forbid a result, written down a second time: by what a
// scope leaves out rather than by what it takes in.
func Forbidden(list []finding.Finding, r finding.Result) bool {
	for _, f := range list {
		s := f.Scope
		other := f.Severity != finding.Void ||
			s.Subject == finding.Speed && r.Subject == finding.Accuracy || s.Subject == finding.Accuracy && r.Subject == finding.Speed ||
			len(s.Points) > 0 && r.Point != "" && !strings.Contains(strings.Join(s.Points, "\n")+"\n", r.Point+"\n") ||
			len(s.Metrics) > 0 && !strings.Contains(strings.Join(s.Metrics, "\n")+"\n", r.Metric+"\n") ||
			len(s.Statistics) > 0 && !strings.Contains(strings.Join(s.Statistics, "\n")+"\n", r.Statistic+"\n")
		if !other {
			return true
		}
	}
	return false
}
