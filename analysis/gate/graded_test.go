package gate

import (
	"fmt"
	"strings"
	"testing"

	"assay/accuracy"
	"assay/accuracy/parity"
)

// answered is a side that got every item right but the first lost, and those up to wrong,
// which are wrong on every side.
func answered(label string, wrong, lost, gained int) parity.Side {
	s := parity.Side{Label: label, Tasks: []accuracy.Task{{
		Name: "gsm8k", Identity: "gsm8k, 0 examples, sha256:1", Margin: .01,
		Points: []accuracy.Point{{Name: "concurrency=1", Scores: []accuracy.Score{{Grader: "exact_match"}, {Grader: "number"}}}},
	}}}
	for i := range 1319 {
		score := 1.0
		if i < wrong && i >= gained || i >= wrong && i < wrong+lost {
			score = 0
		}
		for _, grader := range []string{"exact_match", "number"} {
			s.Grades = append(s.Grades, accuracy.Grade{
				Task: "gsm8k", Item: fmt.Sprint(i), Grader: grader, State: accuracy.Answered, Score: &score,
			})
		}
	}
	return s
}

// A candidate that is faster and answers worse fails by the name of the task, and one
// that is faster and answers as well passes.
func TestSpeedAndQuality(t *testing.T) {
	base := side(t, "base", noise(5, 1, .01, 1))
	base.Quality = answered("base", 200, 0, 0)
	asked := func(tolerance string) Input {
		return Input{
			Baseline: base, Candidate: side(t, "fast", noise(5, .9, .01, 2), `"1"`, `"2"`), Grade: realism,
			Policy: policy(t, "  metrics:", "  accuracy: [{metric: gsm8k, tolerance: "+tolerance+"}, {metric: gsm8k.number, tolerance: 0.05}]\n  metrics:"),
		}
	}
	for _, tt := range []struct {
		name         string
		tolerance    string
		lost, gained int
		verdict      Verdict
	}{
		{"faster and equivalent", "0.01", 4, 4, NotWorse},
		{"faster and one point worse", "0.005", 14, 1, Regressed},
		{"faster and one point worse, of which one is allowed", "0.01", 14, 1, Inconclusive},
		{"faster and better", "0", 2, 20, NotWorse},
		{"faster, and nothing may be lost", "0", 4, 4, Inconclusive},
	} {
		in := asked(tt.tolerance)
		in.Candidate.Quality = answered("fast", 200, tt.lost, tt.gained)
		r, err := Judge(in)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Accuracy) != 2 || r.Accuracy[0].Verdict != tt.verdict || r.Accuracy[0].Metric != "gsm8k at concurrency=1" || r.Accuracy[0].Delta == nil {
			t.Errorf("%s: %+v, want %s", tt.name, r.Accuracy, tt.verdict)
			continue
		}
		for _, d := range r.Metrics {
			if d.Verdict != NotWorse {
				t.Errorf("%s: %s is %s (%s), want it faster", tt.name, d.Key, d.Verdict, d.Reason)
			}
		}
		if r.Passed != (tt.verdict == NotWorse) {
			t.Errorf("%s: passed %v", tt.name, r.Passed)
		}
		if !r.Passed && (len(r.Reasons) != 1 || !strings.HasPrefix(r.Reasons[0].String(), "gsm8k at concurrency=1: "+string(tt.verdict))) {
			t.Errorf("%s: %v, want the task by name", tt.name, r.Reasons)
		}
	}
}

// A file of differences goes before the bundles' own answers, and a policy with the
// wrong direction is an error that says so.
func TestWhatIsGraded(t *testing.T) {
	in := Input{Policy: policy(t, "  metrics:", "  accuracy: [{metric: gsm8k, tolerance: 0.01}]\n  metrics:")}
	in.Baseline.Quality, in.Candidate.Quality = answered("a", 200, 0, 0), answered("b", 200, 100, 0)
	in.Accuracy = []Delta{{Metric: "gsm8k", Confidence: .95}}
	if list, err := judgeAccuracy(in); err != nil || len(list) != 1 || list[0].Verdict != NotWorse {
		t.Errorf("%+v, %v; want what the file says", list, err)
	}
	in.Accuracy = nil
	in.Policy.Spec.Accuracy[0].Better = "lower"
	if list, err := judgeAccuracy(in); err != nil || list[0].Verdict != Missing || !strings.Contains(list[0].Reason, "otherwise") {
		t.Errorf("%+v, %v; want it refused", list, err)
	}
}
