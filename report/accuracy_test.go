package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"strings"
	"testing"
	"unicode/utf8"

	"assay/report"
	"assay/report/reporttest"
)

func writtenBy(t *testing.T, format report.Format, r report.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := format(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The brief of an evaluation names its tasks and questions, has a row for each task and
// load, says nothing about times, and fits a terminal.
func TestBriefOfAnEvaluation(t *testing.T) {
	text := writtenBy(t, report.Brief(report.Look{}), reporttest.Graded(t))
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) > 24 {
		t.Errorf("%d lines, want at most 24", len(lines))
	}
	for _, line := range lines {
		if utf8.RuneCountInString(line) > 100 {
			t.Errorf("longer than 100 letters: %s", line)
		}
	}
	for _, want := range []string{"gsm8k, quiz · 8 + 8 questions", "66.7 % [45.0, 83.0]", "truncated", "unparsed"} {
		if !strings.Contains(text, want) {
			t.Errorf("the brief lacks %q:\n%s", want, text)
		}
	}
	for _, bad := range []string{"TTFT", "tokens", "p99 needs", " in / "} {
		if strings.Contains(text, bad) {
			t.Errorf("the brief of an evaluation that asks once says %q:\n%s", bad, text)
		}
	}
}

// Scores are rows of the CSV, tables of the Markdown, and tests where a least score is asked
// for.
func TestScoresInOtherFormats(t *testing.T) {
	r := reporttest.Graded(t)
	rows, err := csv.NewReader(strings.NewReader(writtenBy(t, report.CSV, r))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	scores := 0
	for _, row := range rows {
		if strings.Contains(strings.Join(row, ","), "score.v1,gsm8k,gsm8k_flexible,share") {
			scores++
		}
	}
	if scores != len(r.Plan.Points) {
		t.Errorf("%d rows of gsm8k, want one for each point", scores)
	}
	if text := writtenBy(t, report.Markdown, r); !strings.Contains(text, "### task gsm8k") || !strings.Contains(text, "| algebra | 4 | 75.0 % |") {
		t.Errorf("the Markdown lacks the task or its parts:\n%s", text)
	}
	if text := writtenBy(t, report.JSON, r); !strings.Contains(text, `"grader": "gsm8k_flexible"`) {
		t.Error("the JSON lacks the scores")
	}
	var suite struct {
		Cases []struct {
			Class   string    `xml:"classname,attr"`
			Name    string    `xml:"name,attr"`
			Failure *struct{} `xml:"failure"`
		} `xml:"testcase"`
	}
	text := writtenBy(t, report.JUnit, r)
	if err := xml.Unmarshal([]byte(text), &suite); err != nil {
		t.Fatal(err)
	}
	tested := 0
	for _, c := range suite.Cases {
		if c.Class == "score" {
			tested++
			if c.Failure == nil { // [45.0, 83.0] does not show 50 %
				t.Errorf("%s passes", c.Name)
			}
		}
	}
	if tested != 2*len(r.Plan.Points) {
		t.Errorf("%d tests of scores, want one for each task and point:\n%s", tested, text)
	}
}

// What the best of several answers is worth stands below the scores, beside the mean answer
// and the best one that there was.
func TestBestOf(t *testing.T) {
	text := writtenBy(t, report.Text, reporttest.GradedUnderLoad(t))
	for _, want := range []string{"best of several answers to gsm8k", "scorer:judge/score  gsm8k_flexible  best of 4  96", "75.0 % [71.2, 78.8]", "88.0 % [84.5, 91.5]"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "answers to quiz") {
		t.Error("a task without choices has a table of them")
	}
}
