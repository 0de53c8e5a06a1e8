package lint

import (
	"fmt"
	"slices"

	"assay/finding"
)

// QualityReached fires when the faster system gives worse answers.
var QualityReached = Check{
	ID: "quality-reached", Code: "P-23", Severity: finding.Void,
	Doc: "The compared systems do not reach the same quality.",
	When: "answers, graded item by item, that are worse beyond chance, or of which a task of correctness.suite does not " +
		"show that they lose less than maxAccuracyDeltaPct points; a stated accuracy whose lower bound falls by more; a " +
		"stated target that was not reached; an evaluation of another run. A caution where no policy names the task and nothing is shown",
	Applies: func(f *Facts) bool {
		return f.Compared() && (len(f.Plan.Workload().Correctness.Suite) > 0 || f.Answers.Graded()) || statedWith(statesQuality)(f)
	},
	Run: qualityReached,
}

func statesQuality(_ *Facts, s Statement) bool { return s.Quality != nil }

func qualityReached(f *Facts) Answer {
	policy := f.Plan.Workload().Correctness
	tolerance := policy.MaxAccuracyDeltaPct
	list, judged, err := gradedQuality(f)
	if err != nil {
		return missing("answers that can be compared: " + err.Error())
	}
	for _, s := range f.Statements {
		q := s.Quality
		if q == nil {
			continue
		}
		judged = append(judged, q.Task)
		worst, interval := q.Delta, ""
		if q.Interval != nil {
			worst, interval = q.Interval.Lo, fmt.Sprintf(" [%.3g, %.3g]", q.Interval.Lo, q.Interval.Hi)
		}
		switch {
		case q.Run != "" && q.Run != f.Manifest.RunID:
			list = append(list, finding.Finding{
				Severity: finding.Void, Scope: ofSpeed,
				Message: fmt.Sprintf("the quality of %s was evaluated in run %s, the speed in run %s", q.Task, q.Run, f.Manifest.RunID),
				Fix:     "evaluate the system that was measured, in the same run",
			})
		case q.Target != nil && q.Score != nil && *q.Score < *q.Target:
			list = append(list, finding.Finding{
				Severity: finding.Void, Scope: ofSpeed,
				Message: fmt.Sprintf("%s reached %.3g, the target is %.3g: speed below the target quality does not count", q.Task, *q.Score, *q.Target),
				Fix:     "reach the target first",
			})
		case worst < -tolerance:
			list = append(list, finding.Finding{
				Severity: finding.Void, Scope: ofSpeed,
				Message: fmt.Sprintf("candidate %+.3g points%s in %s, tolerated are −%.3g: the speeds are not comparable",
					q.Delta, interval, q.Task, tolerance),
				Why: "a model that may answer worse can always answer faster",
				Fix: "restore the quality, evaluate more questions, or compare at equal quality",
			})
		}
	}
	if !f.Compared() {
		return found(list...)
	}
	lacked := ""
	for _, task := range policy.Suite {
		if _, excepted := policy.Excepts(task); !excepted && !slices.Contains(judged, task) {
			lacked = "the evaluation of " + task + " on both sides"
		}
	}
	return Answer{Findings: list, Missing: lacked}
}

// ofSpeed is the scope of what quality forbids: the answers may be compared, and how fast
// they came does not count.
var ofSpeed = finding.Scope{Subject: finding.Speed}
