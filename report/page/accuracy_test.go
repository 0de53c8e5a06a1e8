package page

import (
	"strings"
	"testing"

	"assay/accuracy"
	"assay/report/reporttest"
)

// The page of an evaluation has scores, what became of the questions, groups, the confusion
// of choices and the answers that did not count, and nothing about speed on its first
// screen.
func TestAccuracyPart(t *testing.T) {
	page := htmlOf(t, reporttest.Graded(t))
	for _, want := range []string{
		`<section id="accuracy"`, "66.7 %", `<svg class="bar"`, "17 answered", "1 unparsed", "3 failed", "algebra",
		"Confusion matrix at", `<details class="example" data-kind="wrong">`, `data-kind="unparsed"`, `data-kind="failed"`, "Question: six and six?",
		"the least accepted score is 50.0 %",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	summary := page[strings.Index(page, `id="summary"`):strings.Index(page, `id="findings"`)]
	if strings.Contains(summary, "TTFT") {
		t.Error("the summary of an evaluation that asks once speaks of TTFT")
	}
}

// Paper leaves out sections that are folded as a whole, and keeps those that merely hold
// something folded, such as findings with their notes.
func TestPaperKeepsFindings(t *testing.T) {
	style, _, err := assetsOf()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(style, "section:has(> details:not([open]))") || !strings.Contains(style, "section:has(> details.section:not([open]))") {
		t.Error("a section with one folded line in it is not printed")
	}
}

// The page keeps a bounded number of answers, cuts long ones, and says so.
func TestExamplesAreBounded(t *testing.T) {
	r := reporttest.Graded(t)
	var answers []accuracy.Answer
	var grades []accuracy.Grade
	wrong := 0.
	for i := range 3 * mostExamples {
		a := accuracy.Answer{Task: "gsm8k", Item: strings.Repeat("i", i+1), State: accuracy.Answered, Text: strings.Repeat("long ", 5000)}
		answers = append(answers, a)
		grades = append(grades, accuracy.Grade{Task: a.Task, Item: a.Item, State: a.State, Grader: "gsm8k_flexible", Score: &wrong})
	}
	r.Grades, r.Answers = grades, func() ([]accuracy.Answer, error) { return answers, nil }
	page := htmlOf(t, r)
	if n := strings.Count(page, `<details class="example"`); n != mostExamples {
		t.Errorf("%d examples, want %d", n, mostExamples)
	}
	if !strings.Contains(page, "200 of 600") || !strings.Contains(page, "characters left out") || len(page) > 4<<20 {
		t.Errorf("a page of %d bytes does not say what it leaves out", len(page))
	}
}

// The frontier is drawn with the intervals of both axes; what is beaten is a series of its
// own, and latency, throughput and price can be chosen along x. What the best of several
// answers is worth stands with its task.
func TestFrontierChart(t *testing.T) {
	r := reporttest.GradedUnderLoad(t)
	c := newExhibit(r).frontierChart()
	if len(c.X) != 3 || c.X[0].text() != "E2E p50 (ms)" || c.X[2].Label != "price of a request" {
		t.Errorf("axes %+v", c.X)
	}
	if len(c.Series) != 2 || c.Series[0].Name != "gsm8k, on the frontier" || len(c.Series[0].Y) != 3 || c.Series[1].Name != "gsm8k, beaten" || c.Series[1].Notes[0] != "100 questions, beaten by concurrency=4" {
		t.Errorf("series %+v", c.Series)
	}
	if s := c.Series[0]; s.XLo[0][0] != 194 || s.XHi[1][0] != 20.8 || s.Hi[0] <= s.Y[0] {
		t.Errorf("intervals %+v", s)
	}
	page := htmlOf(t, r)
	for _, want := range []string{"Quality beside speed: which loads no other beats", `class="point-name"`, "best of several answers to gsm8k"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	r.Frontier = nil
	if c := newExhibit(r).frontierChart(); len(c.Series) > 0 {
		t.Errorf("a frontier of nothing: %+v", c)
	}
}
