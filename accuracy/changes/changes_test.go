package changes

import (
	"reflect"
	"testing"

	"assay/accuracy"
	"assay/record"
)

// side makes answers of a side from item to text; an empty text is a failed request.
func side(point int32, order []string, texts map[string]string) Side {
	s := Side{Place: Place{Bundle: "b", Point: "p"}, Point: point, Report: accuracy.Report{Tasks: []accuracy.Task{{
		Name: "t", Points: []accuracy.Point{{Scores: []accuracy.Score{{Grader: "exact_match"}}}},
	}}}}
	for launch := range 2 { // the second launch says something else and does not count
		for _, item := range order {
			text, asked := texts[item]
			if !asked {
				continue
			}
			if launch == 1 {
				text = "another launch"
			}
			a := accuracy.Answer{Task: "t", Item: item, Point: point, Launch: launch, Text: text, State: accuracy.Answered, Prompt: "say x", Key: &record.AnswerKey{References: []string{"x"}}}
			g := accuracy.Grade{Task: "t", Item: item, Point: point, Launch: launch, Grader: "exact_match", Extracted: text}
			score := 0.
			if text == "x" {
				score = 1
			}
			if g.Score = &score; text == "" {
				a.State, a.Error, g.Score = accuracy.Failed, "http_error", nil
			}
			s.Answers, s.Grades = append(s.Answers, a), append(s.Grades, g)
		}
	}
	return s
}

var order = []string{"same", "changed", "lost", "gained", "fails-a", "fails-b", "fails", "only-a", "only-b"}

func sides() (a, b Side) {
	return side(0, order, map[string]string{"same": "x", "changed": "y", "lost": "x", "gained": "y", "fails-a": "", "fails-b": "x", "fails": "", "only-a": "x"}),
		side(3, order, map[string]string{"same": "x", "changed": "z", "lost": "y", "gained": "x", "fails-a": "x", "fails-b": "", "fails": "", "only-b": "x"})
}

func TestBetween(t *testing.T) {
	a, b := sides()
	r := Between(a, b, Filter{})
	want := Task{Name: "t", Grader: "exact_match", Asked: 7, OnlyA: 1, OnlyB: 1,
		Counts: map[Kind]int{Same: 1, Changed: 1, Lost: 1, Gained: 1, FailedA: 1, FailedB: 1, Neither: 1}}
	if !reflect.DeepEqual(r.Tasks, []Task{want}) {
		t.Errorf("got %+v\nwant %+v", r.Tasks, want)
	}
	if len(r.Items) != 6 || r.Items[1].Item != "lost" || r.Items[1].A.Text != "x" || r.Items[1].B.Text != "y" || r.Items[1].Expected != "x" {
		t.Errorf("items %+v", r.Items)
	}
}

func TestFilter(t *testing.T) {
	a, b := sides()
	f := func(filter Filter, listed, matched int) {
		t.Helper()
		if r := Between(a, b, filter); len(r.Items) != listed || r.Matched != matched {
			t.Errorf("%+v lists %d of %d, want %d of %d", filter, len(r.Items), r.Matched, listed, matched)
		}
	}
	f(Filter{Only: Flips}, 2, 2)
	f(Filter{Only: Texts}, 3, 3)
	f(Filter{Only: Texts, Most: 1}, 1, 3)
	f(Filter{Task: "another"}, 0, 0)
}
