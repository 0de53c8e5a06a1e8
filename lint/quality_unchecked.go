package lint

import (
	"cmp"
	"fmt"
	"slices"

	"assay/accuracy"
	"assay/finding"
)

// QualityUnchecked fires when a run is timed whose answers were to be checked and were not.
var QualityUnchecked = Check{
	ID: "quality-unchecked", Severity: finding.Void, About: finding.Speed,
	Doc: "A run declares how its answers are to be checked, and nobody checked them: speed comes after right answers.",
	When: "a task of correctness.suite that no task of spec.evaluation has the name of, or of which no answer was graded, and " +
		"about whose quality nobody states anything; a note where correctness.allowedExceptions names it",
	Applies: func(f *Facts) bool {
		return serves(f) && !f.Plan.AsksOnce() && len(f.Plan.Workload().Correctness.Suite) > 0
	},
	Run: qualityUnchecked,
}

func qualityUnchecked(f *Facts) Answer {
	policy := f.Plan.Workload().Correctness
	var list []finding.Finding
	for _, task := range policy.Suite {
		if f.answered(task) {
			continue
		}
		if reason, ok := policy.Excepts(task); ok {
			list = append(list, finding.Finding{
				Severity: finding.Note, Message: fmt.Sprintf("%s was not evaluated: the plan excepts it (%s)", task, cmp.Or(reason, "no reason is given")),
			})
			continue
		}
		list = append(list, finding.Finding{
			Message: fmt.Sprintf("correctness.suite names %s, and the run has no graded answers to it", task),
			Why:     "a system that may answer wrong can always answer faster: speed counts once the answers were shown to be right",
			Fix: fmt.Sprintf("ask it in the same run: add %s to spec.evaluation.tasks with underLoad: true (assay eval URL --task %s=FILE --under-load --print-spec writes the lines), or name it in "+
				"correctness.allowedExceptions with the reason", task, task),
			Severity: finding.Void,
		})
	}
	return found(list...)
}

// answered reports whether answers to a task were graded, or somebody states its quality.
func (f *Facts) answered(task string) bool {
	return slices.ContainsFunc(f.Answers.Grades, func(g accuracy.Grade) bool { return g.Task == task }) ||
		slices.ContainsFunc(f.Statements, func(s Statement) bool { return s.Quality != nil && s.Quality.Task == task })
}
