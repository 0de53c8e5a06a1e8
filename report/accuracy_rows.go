package report

import (
	"fmt"
	"strings"

	"assay/accuracy"
	"assay/claim"
	"assay/metric"
	"assay/unit"
)

// scoreFigures are the scores of an evaluation as rows of the CSV: the metric score.v1, the
// task as the name and the grader as the statistic.
func scoreFigures(r Report) (rows []metric.Row) {
	if r.Accuracy == nil {
		return nil
	}
	for _, t := range r.Accuracy.Tasks {
		for _, p := range t.Points {
			for _, s := range p.Scores {
				if s.Unavailable != "" {
					continue
				}
				row := metric.Row{Metric: "score.v1", Name: t.Name, Statistic: s.Grader, Unit: s.Unit(), Better: metric.Higher, Point: int(p.Point), Side: p.Side, Estimate: s.Estimate, Void: r.voidScore(t, p, s)}
				if g, err := accuracy.Find(s.Grader); err == nil && g.Lower {
					row.Better = metric.Lower
				}
				for i, v := range s.PerLaunch {
					row.PerLaunch = append(row.PerLaunch, metric.LaunchValue{Launch: i, Value: v, N: p.Items})
				}
				row.Warnings = append(row.Warnings, fatesText(p, s))
				rows = append(append(rows, row), turnFigures(t, p, s, row.Better)...)
			}
		}
	}
	return rows
}

// voidScore is the check that forbids a score; empty where none does.
func (r Report) voidScore(t accuracy.Task, p accuracy.Point, s accuracy.Score) string {
	if r.Claims == nil {
		return ""
	}
	return forbidder(r.Claims.Against(claim.OfScore(t, p, s)))
}

// fatesText says what became of the questions.
func fatesText(p accuracy.Point, s accuracy.Score) string {
	var parts []string
	for _, state := range accuracy.States {
		parts = append(parts, fmt.Sprintf("%d %s", p.States[state], state))
	}
	return strings.Join(append(parts, fmt.Sprintf("%d unparsed", s.Unparsed)), ", ")
}

// scoreCases are the tasks with a least score as tests: one for each point. A task whose
// grader did not work was not tested, which is no pass.
func (r Report) scoreCases() (cases []junitCase) {
	if r.Accuracy == nil {
		return nil
	}
	for _, t := range r.Accuracy.Tasks {
		for _, p := range t.Points {
			if t.MinScore == 0 || len(p.Scores) == 0 {
				continue
			}
			s := p.Scores[0]
			c := junitCase{Class: "score", Name: fmt.Sprintf("%s at %s is at least %s", t.Name, tilePlace(p.Name, p.Side), unit.Format(t.MinScore, s.Unit()))}
			got := figure(&s.Estimate, s.Unit()).Full
			switch {
			case s.Unavailable != "":
				c.Failure = &junitFailure{Type: "not graded", Message: s.Unavailable}
			case s.Estimate.Value < t.MinScore:
				c.Failure = &junitFailure{Type: "score-too-low", Message: "the score is " + got}
			case s.Estimate.Interval.Lo < t.MinScore:
				c.Failure = &junitFailure{Type: "score-too-low", Message: "the score of " + got + " is not shown to reach it"}
			default:
				c.Output = "the score is " + got + ": " + fatesText(p, s)
			}
			cases = append(cases, c)
		}
	}
	return cases
}
