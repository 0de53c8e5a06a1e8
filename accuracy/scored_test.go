package accuracy

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"assay/plan"
	"assay/record"
	"assay/spec"
)

// drawn are two questions with three samples each and one that failed.
func drawn() []Answer {
	var list []Answer
	for _, item := range []string{"a", "b"} {
		for sample := range int32(3) {
			list = append(list, Answer{Task: "t", Item: item, Sample: sample, State: Answered, Text: "right", Key: &record.AnswerKey{References: []string{"right"}}})
		}
	}
	list[0].Text, list[4].Text = "wrong", "wrong"
	return append(list, Answer{Task: "t", Item: "c", State: Failed, Error: "refused"})
}

// liked gives the samples of each item these scores, in turn.
func liked(values ...float64) Scores {
	s := Scores{Scorer: "s"}
	for i, a := range drawn()[:len(values)] {
		row := ScoredAnswer{Task: a.Task, Item: a.Item, Sample: a.Sample, Signature: "model 1"}
		if math.IsNaN(values[i]) {
			row.Why = "too long"
		} else {
			row.Scores = map[string]float64{"like": values[i]}
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// graded is the only point of the task, by exact_match and the score of a scorer.
func graded(t *testing.T, scores map[string]Scores, grader string) (Task, []Grade) {
	t.Helper()
	e := &spec.Evaluation{Tasks: []spec.Task{{Name: "t", Family: spec.FamilyOwn, Graders: []string{"exact_match", grader}}}}
	p := plan.Plan{Run: spec.Run{Spec: spec.RunSpec{Trials: spec.Trials{ConfidenceLevel: 0.95}}}}
	r, grades, err := GradeAll(drawn(), p, e, scores)
	if err != nil {
		t.Fatal(err)
	}
	return r.Tasks[0], grades
}

// The scores of a scorer are grades like others, and what it did not score is neither good
// nor bad.
func TestScoredGrades(t *testing.T) {
	task, grades := graded(t, map[string]Scores{"s": liked(1, 0.5, math.NaN(), 0, 0, 0.5)}, "scorer:s/like")
	s := task.Points[0].Scores[1]
	if s.Estimate.Value != (0.75+0.5/3)/2 || s.Graded != 5 || s.Unscored != 1 || s.Signature != "model 1" {
		t.Errorf("score %+v", s)
	}
	if !strings.HasSuffix(task.Identity, ", scored by s (model 1)") {
		t.Errorf("identity %q", task.Identity)
	}
	row := grades[len(drawn())+2]
	if row.Score != nil || row.State != Answered || row.Why != "not scored: too long" {
		t.Errorf("row %+v", row)
	}
	if failed := grades[len(grades)-1]; failed.Score != nil || failed.Why != "refused" {
		t.Errorf("row %+v", failed)
	}
	var found bool
	for _, f := range (Report{Tasks: []Task{task}}).Findings() {
		found = found || f.Check == "answers-unscored" && strings.Contains(f.Message, "no score for 1 of 6 answers")
	}
	if !found {
		t.Error("no finding speaks of the answer without a score")
	}
}

// A scorer that was not asked, or failed altogether, leaves its reason and no score; the
// other graders are not touched.
func TestScorerUnavailable(t *testing.T) {
	failed := Scores{Scorer: "s", Ended: "scorer s: it ended"}
	for _, a := range drawn()[:6] {
		failed.Rows = append(failed.Rows, ScoredAnswer{Task: a.Task, Item: a.Item, Sample: a.Sample, Why: "it ended"})
	}
	for want, scores := range map[string]map[string]Scores{"was not asked": {}, "it ended": {"s": failed}} {
		task, _ := graded(t, scores, "scorer:s/like")
		got := task.Points[0].Scores
		if !strings.Contains(got[1].Unavailable, want) || got[1].Graded != 0 || got[0].Unavailable != "" || got[0].Graded != 6 {
			t.Errorf("%s: %+v", want, got)
		}
	}
}

// The best of several answers by a scorer is worth what the chosen ones score.
func TestBestOf(t *testing.T) {
	f := func(name, grader string, scores Scores, chosen float64, choices int) {
		t.Helper()
		task, _ := graded(t, map[string]Scores{"s": scores}, grader)
		list := task.Points[0].BestOf
		if len(list) != 1 {
			t.Fatalf("%s: %+v", name, list)
		}
		b := list[0]
		if b.By != grader || b.Grader != "exact_match" || b.Samples != 3 || b.Choices != choices || b.Chosen.Value != chosen {
			t.Errorf("%s: %+v", name, b)
		}
		if math.Abs(b.Mean.Value-2./3) > 1e-12 && choices == 2 || b.Oracle.Value != 1 {
			t.Errorf("%s: mean %v, oracle %v", name, b.Mean.Value, b.Oracle.Value)
		}
	}
	f("likes what is right", "scorer:s/like", liked(0, 1, 0, 0, 0, 1), 1, 2)
	f("likes what is wrong", "scorer:s/like", liked(1, 0, 0, 0, 1, 0), 0, 2)
	f("less is better", "scorer:s/like:lower", liked(1, 0, 1, 0, 1, 1), 1, 2)
	f("the first of equals", "scorer:s/like", liked(1, 1, 1, 1, 1, 1), 0.5, 2)
	nan := math.NaN()
	f("no choice of one", "scorer:s/like", liked(0, 1, 0.5, nan, nan, 1), 1, 1)
	task, _ := graded(t, map[string]Scores{"s": liked(nan, 1, nan, nan, nan, 1)}, "scorer:s/like")
	if list := task.Points[0].BestOf; list != nil {
		t.Errorf("chose where nothing was to be chosen: %+v", list)
	}
}

// What is written of scores reads back.
func TestScoresFile(t *testing.T) {
	data, err := json.Marshal(liked(1, math.NaN()))
	if err != nil {
		t.Fatal(err)
	}
	var back Scores
	if err := json.Unmarshal(data, &back); err != nil || back.Rows[0].Scores["like"] != 1 || back.Rows[1].Why != "too long" {
		t.Errorf("read back %+v, %v", back, err)
	}
}
