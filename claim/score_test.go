package claim

import (
	"strings"
	"testing"

	"assay/accuracy"
	"assay/spec"
	"assay/stats"
)

// graded is the evidence of an evaluation: 1319 questions at one load, 29 without an
// answer.
func graded() Evidence {
	e := sound()
	e.Plan.Run.Spec.Evaluation = &spec.Evaluation{Tasks: []spec.Task{{Name: "gsm8k"}}}
	e.Accuracy = &accuracy.Report{Tasks: []accuracy.Task{{
		Name: "gsm8k", Identity: "gsm8k lm-eval, 5 examples, test of gsm8k@sha256:3730d312f6e3440559ace48831e51066acaca737f6eabec99bccb9e4b3c39d14",
		Points: []accuracy.Point{{
			Name: "concurrency=8", Items: 1319, Asked: 1319, Launches: 1,
			States: map[accuracy.State]int{accuracy.Answered: 1280, accuracy.Truncated: 10, accuracy.Failed: 29},
			Scores: []accuracy.Score{{
				Grader: "gsm8k_flexible", Graded: 1290, Unparsed: 4, PerLaunch: []float64{.701}, Bounds: stats.Interval{Lo: .686, Hi: .708},
				Estimate: stats.Estimate{Value: .701, Interval: stats.Interval{Lo: .675, Hi: .725}, Confidence: .95, N: 1290},
			}},
		}},
	}}}
	return e
}

// A score carries what it means, its interval and what became of the questions; the speed
// of an evaluation that asks everything once is no measurement.
func TestScoreSentence(t *testing.T) {
	c := Make(graded(), "test")
	if len(c.Claims) != 1 {
		t.Fatalf("%d claims, want the score alone: %+v", len(c.Claims), c.Claims)
	}
	want := "gsm8k (gsm8k lm-eval, 5 examples, test of gsm8k@3730d312…, graded by gsm8k_flexible): 70.1 % [67.5, 72.5] of 1290 questions, " +
		"29 failed (68.6 % to 70.8 % had they been wrong or right), 10 truncated, 4 unparsed, at concurrency=8, model m, precision bf16, " +
		"openai-chat of vllm 0.11, 1 × H200, 1 launch (own noise not measured), 95 %, publication grade."
	if got := c.Claims[0].Sentence; got != want {
		t.Errorf("sentence\n got %s\nwant %s", got, want)
	}
	if len(c.Refused) != 1 || c.Refused[0].What != "any speed" {
		t.Errorf("refused %+v, want the speed", c.Refused)
	}
}

// A quick look shows a score with its interval over questions, at exploratory grade.
func TestQuickScore(t *testing.T) {
	e := graded()
	e.Plan.Run.Spec.Trials.Quick, e.Client.Bounds = true, nil
	c := Make(e, "test")
	if c.Grade != Exploratory || len(c.Downgrades) != 1 || len(c.Claims) != 1 || !strings.Contains(c.Claims[0].Sentence, "exploratory grade") {
		t.Errorf("grade %s for %v, claims %+v; want one exploratory claim, for one reason", c.Grade, c.Downgrades, c.Claims)
	}
	e.Accuracy.Tasks[0].Points[0].Scores[0].Estimate.Interval.Lo = -.1
	if c := Make(e, "test"); len(c.Claims) != 0 || !strings.Contains(c.Refused[0].Reason, "too few") {
		t.Errorf("an impossible interval is quoted: %+v", c)
	}
	score := &e.Accuracy.Tasks[0].Points[0].Scores[0]
	unparsed := score.Unparsed
	score.Unparsed = score.Graded
	e.Audit.Findings = e.Accuracy.Findings()
	if c := Make(e, "test"); len(c.Claims) != 0 || !strings.Contains(c.Refused[0].Reason, "answers-unparsed") || c.Refused[0].What != "score of gsm8k at concurrency=8" {
		t.Errorf("a score of answers in which nothing was found is quoted: %+v", c)
	}
	e.Audit.Findings, score.Unparsed = nil, unparsed
	e.Accuracy.Tasks[0].Points[0].Scores[0].Unavailable = "no sandbox here"
	if c := Make(e, "test"); len(c.Claims) != 0 || c.Refused[0].Reason != "no sandbox here" {
		t.Errorf("an ungraded task is quoted: %+v", c)
	}
}
