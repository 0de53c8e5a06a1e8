package claim

import (
	"slices"
	"testing"

	"assay/plan"
	"assay/spec"
)

// A number of a sweep holds for the lengths of its own point.
func TestConditionsOfASweep(t *testing.T) {
	var e Evidence
	w := &e.Plan.Run.Spec.Workload
	w.Prompt = spec.Prompt{Task: spec.TextToEmbeddings, Scenarios: []string{"E(64)", "E(128)"}}
	point := plan.Point{Name: "E(128) batch=8 concurrency=1", Scenario: "E(128)", BatchSize: 8, Concurrency: 1}
	got := conditions(e, point, spec.Side{})
	if want := (Condition{"lengths", "scenario E(128) with 8 documents a request"}); !slices.Contains(got, want) {
		t.Errorf("conditions %v lack %v", got, want)
	}
}

// A number of an evaluation holds for its questions, and not for the lengths that prompts
// have where nobody says what is asked.
func TestConditionsOfAnEvaluation(t *testing.T) {
	e := Evidence{}
	s := &e.Plan.Run.Spec
	s.Workload.SequenceLengthMix = []spec.SequenceLength{{InputTokens: 512, OutputTokens: 128, Weight: 1}}
	s.Evaluation = &spec.Evaluation{Tasks: []spec.Task{{Name: "gsm8k"}, {Name: "mmlu"}}, UnderLoad: true}
	got := conditions(e, plan.Point{Name: "concurrency=8", Concurrency: 8}, spec.Side{})
	if want := (Condition{"lengths", "the questions of gsm8k, mmlu"}); !slices.Contains(got, want) {
		t.Errorf("conditions %v lack %v", got, want)
	}
}
