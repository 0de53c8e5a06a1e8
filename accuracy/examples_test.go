package accuracy

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"assay/record"
)

// answered makes an answer to a question of four choices, with its grade by letter.
func answered(t *testing.T, item, text string, target int, state State) (Answer, Grade) {
	t.Helper()
	a := Answer{
		Task: "quiz", Item: item, State: state, Text: text, Prompt: "which of four?",
		Key: &record.AnswerKey{Choices: []string{"w", "x", "y", "z"}, Target: &target},
	}
	g, err := Find("letter")
	if err != nil {
		t.Fatal(err)
	}
	row, err := one(g, &a)
	if err != nil {
		t.Fatal(err)
	}
	return a, row
}

func quiz(t *testing.T) (r Report, answers []Answer, grades []Grade) {
	t.Helper()
	r = Report{Tasks: []Task{{Name: "quiz", Points: []Point{{Scores: []Score{{Grader: "letter"}}}}}}}
	add := func(item, text string, target int, state State) {
		a, g := answered(t, item, text, target, state)
		answers, grades = append(answers, a), append(grades, g)
	}
	add("right", "A", 0, Answered)
	for i := range 5 {
		add(fmt.Sprint("wrong-", i), "B", 0, Answered)
	}
	add("lost", "", 0, Failed)
	add("silent", "", 2, Empty)
	add("cut", "C, because", 3, Truncated)
	add("odd", "I cannot say", 1, Answered)
	return r, answers, grades
}

// A few examples show every kind there is; what is right, or still under way, is none.
func TestExamples(t *testing.T) {
	r, answers, grades := quiz(t)
	list, all := Examples(r, answers, grades, 6)
	var kinds []Kind
	for _, e := range list {
		kinds = append(kinds, e.Kind)
	}
	want := []Kind{KindWrong, KindWrong, KindUnparsed, KindTruncated, KindEmpty, KindFailed}
	if all != 9 || !reflect.DeepEqual(kinds, want) {
		t.Errorf("%d in all, shown %v; want 9 and %v", all, kinds, want)
	}
	if e := list[0]; e.Item != "wrong-0" || e.Expected != "A: w" || e.Extracted != "B" || e.Answer != "B" {
		t.Errorf("the first example is %+v", e)
	}
}

func TestConfusions(t *testing.T) {
	r, answers, grades := quiz(t)
	list := Confusions(r, answers, grades)
	if len(list) != 1 {
		t.Fatalf("%d tables, want 1", len(list))
	}
	want := [][]int{{1, 5, 0, 0, 0}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 1}, {0, 0, 1, 0, 0}}
	if !reflect.DeepEqual(list[0].Counts, want) || strings.Join(list[0].Given, "") != "ABCDneither" {
		t.Errorf("got %v %v, want %v", list[0].Given, list[0].Counts, want)
	}
}

func TestClip(t *testing.T) {
	for text, want := range map[string]string{
		"short":                 "short",
		strings.Repeat("é", 12): strings.Repeat("é", 12),
		"abc" + strings.Repeat("x", 20) + "the result": "abc\n… 21 characters left out …\n" + "he result",
	} {
		if got := Clip(text, 12); got != want {
			t.Errorf("Clip(%q) = %q, want %q", text, got, want)
		}
	}
}
