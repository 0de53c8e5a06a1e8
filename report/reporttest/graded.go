package reporttest

import (
	"fmt"
	"testing"

	"assay/accuracy"
	"assay/analysis/frontier"
	"assay/record"
	"assay/report"
	"assay/spec"
	"assay/stats"
	"assay/stats/items"
)

// Graded is the report of an evaluation of two tasks at two loads, with a group that is
// worse, answers of every kind, and what they said.
func Graded(t *testing.T) report.Report {
	t.Helper()
	r := Example(t)
	r.Plan.Run.Spec.Evaluation = &spec.Evaluation{Margin: .01, Tasks: []spec.Task{{Name: "gsm8k"}, {Name: "quiz"}}}
	r.Accuracy = &accuracy.Report{}
	for _, name := range []string{"gsm8k", "quiz"} {
		task := accuracy.Task{Name: name, Identity: name + " plain, 0 examples, test of " + name + "@sha256:3730d312", Margin: .01, MinScore: .5}
		for i, point := range r.Plan.Points {
			task.Points = append(task.Points, accuracy.Point{
				Point: int32(point.Index), Name: point.Name, Items: 8, Asked: 24, Launches: 3,
				States: map[accuracy.State]int{accuracy.Answered: 18, accuracy.Truncated: 2, accuracy.Empty: 1, accuracy.Failed: 3},
				Scores: []accuracy.Score{{
					Grader: graderOf(name), Right: 14, Graded: 21, Unparsed: 2, Bounds: stats.Interval{Lo: .583, Hi: .708}, PerLaunch: []float64{.67, .66, .68},
					Estimate: stats.Estimate{Value: .667 - .1*float64(i), Interval: stats.Interval{Lo: .45 - .1*float64(i), Hi: .83 - .1*float64(i)}, Confidence: .95, N: 7},
					Groups:   []accuracy.Group{{Name: "algebra", N: 4, Score: .75}, {Name: "history", N: 3, Score: .5}},
					Noise:    &items.Noise{Floor: .01, Unstable: .125},
				}},
			})
		}
		r.Accuracy.Tasks = append(r.Accuracy.Tasks, task)
	}
	answers := gradedAnswers(r)
	for _, a := range answers {
		g := accuracy.Grade{Task: a.Task, Item: a.Item, Point: a.Point, Grader: graderOf(a.Task), State: a.State, Extracted: a.Text, Unparsed: a.Text == "unclear"}
		if a.State != accuracy.Failed {
			score := 0.
			if a.Text == "A" || a.Text == "12" {
				score = 1
			}
			g.Score = &score
		}
		r.Grades = append(r.Grades, g)
	}
	r.Answers = func() ([]accuracy.Answer, error) { return answers, nil }
	return r
}

// GradedUnderLoad is Graded with every request timed: at the second load the answers are
// worse and not quicker, so that the first beats it. The best of four answers was chosen.
func GradedUnderLoad(t *testing.T) report.Report {
	t.Helper()
	r := Graded(t)
	r.Plan.Run.Spec.Evaluation.UnderLoad = true
	near := func(v, share float64) stats.Estimate {
		return stats.Estimate{Value: v, Interval: stats.Interval{Lo: v * (1 - share), Hi: v * (1 + share)}, Confidence: .95, N: 100}
	}
	for i, name := range []string{"concurrency=4", "concurrency=8", "concurrency=16", "concurrency=64"} {
		score, latency, rate, cost := near(.9-.02*float64(i), .005), near(.2+.05*float64(i), .03), near(20+30*float64(i), .04), near(.0012-.0002*float64(i), .02)
		row := frontier.Row{Task: "gsm8k", Point: i, Name: name, Score: score, Latency: &latency, Throughput: &rate, Cost: &cost}
		if i == 1 {
			row.BeatenBy = "concurrency=4"
		}
		r.Frontier = append(r.Frontier, row)
	}
	r.Accuracy.Tasks[0].Points[0].BestOf = []accuracy.BestOf{{
		By: "scorer:judge/score", Grader: "gsm8k_flexible", Samples: 4, Choices: 96, Chosen: near(.75, .05), Mean: near(.66, .05), Oracle: near(.88, .04),
	}}
	return r
}

func graderOf(task string) string {
	if task == "quiz" {
		return "letter"
	}
	return "gsm8k_flexible"
}

func gradedAnswers(r report.Report) (list []accuracy.Answer) {
	target := 0
	keys := map[string]*record.AnswerKey{
		"gsm8k": {References: []string{"12"}},
		"quiz":  {Choices: []string{"yes", "no"}, Target: &target},
	}
	for _, point := range r.Plan.Points {
		for _, task := range []string{"gsm8k", "quiz"} {
			for i, text := range []string{"12", "13", "A", "B", "unclear", ""} {
				a := accuracy.Answer{Task: task, Item: fmt.Sprint("q", i), Point: int32(point.Index), State: accuracy.Answered, Prompt: "Question: six and six?", Text: text, Key: keys[task]}
				if text == "" {
					a.State, a.Error = accuracy.Failed, "http_error status 500"
				}
				list = append(list, a)
			}
		}
	}
	return list
}
