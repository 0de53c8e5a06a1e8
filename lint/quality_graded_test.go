package lint

import (
	"fmt"
	"testing"

	"assay/accuracy"
	"assay/accuracy/parity"
	"assay/finding"
	"assay/spec"
)

// graded is the answers of a system that got the first lost of n items wrong.
func graded(n, lost int) parity.Side {
	s := parity.Side{Tasks: []accuracy.Task{{
		Name: "gsm8k", Identity: "gsm8k, 0 examples, sha256:1", Margin: .01,
		Points: []accuracy.Point{{Name: "concurrency=8", Scores: []accuracy.Score{{Grader: "exact_match"}}}},
	}}}
	for i := range n {
		score := 1.0
		if i < lost {
			score = 0
		}
		s.Grades = append(s.Grades, accuracy.Grade{Task: "gsm8k", Item: fmt.Sprint(i), Grader: "exact_match", State: accuracy.Answered, Score: &score})
	}
	return s
}

// answering is a pair of runs that were graded on n items, of which the candidate lost so
// many.
func answering(n, lost int) func(*scene) {
	return func(s *scene) {
		s.small()
		s.against = func(*scene) {}
		s.spoil = func(f *Facts) { f.Against.Answers, f.Answers = graded(n, 0), graded(n, lost) }
	}
}

// Answers that are shown to be as good are evidence like a statement: nothing is found,
// and nothing is missing.
func TestGradedQuality(t *testing.T) {
	t.Parallel()
	s := clean()
	answering(2000, 0)(&s)
	f := s.facts(t)
	if a := qualityReached(f); len(a.Findings) != 0 || a.Missing != "" {
		t.Errorf("%+v", a)
	}
	f.Against.Answers = parity.Side{}
	f.Plan.Run.Spec.Workload.Correctness.AllowedExceptions = nil
	if a := qualityReached(f); a.Missing == "" {
		t.Errorf("a baseline without answers: %+v, want the evaluation missed", a)
	}
	// A task that no policy names is a caution while nothing is shown.
	answering(100, 0)(&s)
	f = s.facts(t)
	f.Plan.Run.Spec.Workload.Correctness = spec.Correctness{}
	if a := qualityReached(f); len(a.Findings) != 1 || a.Findings[0].Severity != finding.Caution {
		t.Errorf("%+v", a)
	}
}

// The sides of one run are compared by their own launches.
func TestGradedSides(t *testing.T) {
	t.Parallel()
	s := clean()
	s.small()
	f := s.facts(t)
	f.Plan.Run.Spec.Candidates = []spec.Candidate{{Name: "new"}}
	f.Manifest.Launches = f.Manifest.Launches[:2]
	f.Manifest.Launches[0].Side, f.Manifest.Launches[1].Side = spec.BaselineSide, "new"
	f.Answers = graded(1319, 0)
	worse := graded(1319, 40)
	for i := range worse.Grades {
		worse.Grades[i].Launch = f.Manifest.Launches[1].Index
	}
	f.Answers.Grades = append(f.Answers.Grades, worse.Grades...)
	if a := qualityReached(f); len(a.Findings) != 1 || a.Findings[0].Severity != finding.Void {
		t.Errorf("%+v", a)
	}
}

// A tolerance that somebody declared is not overruled by the plan's: neither that of a
// comparison nor that of a policy, whose gate judges the task itself.
func TestDeclaredTolerance(t *testing.T) {
	t.Parallel()
	s := clean()
	answering(2000, 60)(&s) // three points, where the plan tolerates one
	f := s.facts(t)
	if a := qualityReached(f); len(a.Findings) != 1 || a.Findings[0].Severity != finding.Void {
		t.Errorf("by the plan: %+v, want void", a)
	}
	f.QualityMargin = .06
	if a := qualityReached(f); len(a.Findings) != 0 || a.Missing != "" {
		t.Errorf("by --quality-margin: %+v, want nothing", a)
	}
	f.QualityMargin, f.Gated = 0, []spec.GatedAccuracy{{Metric: "gsm8k.exact_match", Tolerance: .06}}
	if a := qualityReached(f); len(a.Findings) != 0 || a.Missing != "" {
		t.Errorf("by a policy: %+v, want it left to the gate", a)
	}
	f.Gated[0].Metric = "mmlu"
	if a := qualityReached(f); len(a.Findings) != 1 {
		t.Errorf("a policy about another task: %+v, want the finding", a)
	}
}
