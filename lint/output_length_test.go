package lint

import (
	"testing"

	"assay/record"
	"assay/spec"
)

// A letter may be all that a question asks for: answers of one token are no sign of
// anything in an evaluation, as they are in any other run.
func TestShortAnswersOfEvaluations(t *testing.T) {
	t.Parallel()
	s := clean()
	each(20, func(r *record.Request, _ *[]record.Chunk) { *r.UsageOutput = 1 })(&s)
	f := s.facts(t)
	if a := outputLength(f); len(a.Findings) != 1 {
		t.Errorf("a run: %+v, want one finding", a)
	}
	f.Plan.Run.Spec.Evaluation = &spec.Evaluation{UnderLoad: true}
	if a := outputLength(f); len(a.Findings) != 0 || a.Missing != "" {
		t.Errorf("an evaluation: %+v, want none", a)
	}
}
