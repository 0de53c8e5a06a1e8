package page

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"assay/accuracy"
	"assay/report"
	"assay/unit"
)

// What the page holds of single answers.
const (
	mostExamples = 200
	longestText  = 3000 // characters of a prompt or an answer
	longestQuote = 60
	plentyGroups = 8 // above which groups are folded
)

// accuracy shows what the answers of an evaluation were worth, task by task, and those
// that did not count as right.
func (x exhibit) accuracy() part {
	if x.Accuracy == nil {
		return part{}
	}
	p := part{ID: "accuracy", Title: "Accuracy", Lines: []string{
		"A score is the mean over the questions that were answered. A request that failed is no wrong answer: bounds say what the score would be had everything that failed been wrong, or right.",
	}}
	var answers []accuracy.Answer
	if x.Answers != nil {
		var err error
		if answers, err = x.Answers(); err != nil {
			p.Lines = append(p.Lines, "The answers cannot be shown: "+err.Error())
		}
	}
	tables := accuracy.Confusions(*x.Accuracy, answers, x.Grades)
	for _, t := range x.Accuracy.Tasks {
		if len(t.Points) > 0 {
			p.add(x.taskPart(t, tables))
		}
	}
	p.add(blockParts(x.LoadBlocks())...)
	p.add(x.frontierPart())
	if c := x.scoreChart(); len(c.Series) > 0 {
		p.Charts = []chart{c}
	}
	p.add(examplePart(accuracy.Examples(*x.Accuracy, answers, x.Grades, mostExamples)))
	return p
}

// taskPart is one task: its scores, what became of its questions and its groups.
func (x exhibit) taskPart(t accuracy.Task, tables []accuracy.Confusion) part {
	scores := x.ScoreBlock(t)
	p := part{Title: t.Name, Lines: scores.Lines, Head: scores.Head}
	others := part{Fold: "The same answers by other graders", Head: scores.Head}
	for _, row := range scores.Rows {
		if slices.Contains(row, t.Points[0].Scores[0].Grader) {
			p.Rows = append(p.Rows, row)
		} else {
			others.Rows = append(others.Rows, row)
		}
	}
	states := part{Title: "What became of the questions"}
	for _, point := range t.Points {
		states.Bars = append(states.Bars, statesBar(point))
	}
	turns := blockPart(x.TurnBlock(t))
	if c := x.turnChart(t); len(c.Series) > 0 {
		turns.Charts = []chart{c}
	}
	p.add(others, blockPart(x.MarksBlock(t)), states, blockPart(x.BestOfBlock(t)), turns)
	groups := blockPart(x.GroupBlock(t))
	if len(groups.Rows) > plentyGroups {
		groups.Title, groups.Fold = "", fmt.Sprintf("Scores of %d groups", len(groups.Rows))
	}
	p.add(groups)
	for _, c := range tables {
		if c.Task == t.Name {
			p.add(confusionPart(x, c))
		}
	}
	return p
}

// scoreChart is the score of each task over the load, where there are several loads.
func (x exhibit) scoreChart() chart {
	turned := turnedUp(x.ServingPoints())
	c := chart{Kind: curveChart, Title: "Score by load", X: []axis{turned.axis}, Y: axis{Label: "score", Unit: "%"}, Static: true}
	for _, t := range x.Accuracy.Tasks {
		bySide := map[string]int{}
		for _, p := range t.Points {
			if len(p.Scores) == 0 || p.Scores[0].Unavailable != "" || p.Scores[0].Unit() != unit.Share {
				continue
			}
			i, known := bySide[p.Side]
			if !known {
				i = len(c.Series)
				bySide[p.Side] = i
				c.Series = append(c.Series, line{Name: beside(t.Name, p.Side), X: []nums{{}}, Style: i})
			}
			e, s := p.Scores[0].Estimate, &c.Series[i]
			point, _ := x.Plan.PointByIndex(int(p.Point))
			s.X[0], s.Y = append(s.X[0], turned.of(point)), append(s.Y, 100*e.Value)
			s.Lo, s.Hi = append(s.Lo, 100*e.Interval.Lo), append(s.Hi, 100*e.Interval.Hi)
			s.Points, s.Notes = append(s.Points, p.Name), append(s.Notes, fmt.Sprintf("%d questions", e.N))
		}
	}
	for _, s := range c.Series {
		if len(s.Y) < 2 {
			return chart{}
		}
	}
	return c
}

// A bar is a whole in its parts.
type bar struct {
	Name  string
	Parts []barPart
}

// A barPart is one part of a bar; Style is its colour.
type barPart struct {
	Name  string
	N     int
	Style int
}

// stateStyles are the colours of states, in their order.
var stateStyles = map[accuracy.State]int{accuracy.Answered: 0, accuracy.Truncated: 4, accuracy.Empty: 6, accuracy.Failed: 1, accuracy.Cut: 3}

// statesBar is what became of the questions at a point. Answers that could not be parsed are
// set apart from the others.
func statesBar(p accuracy.Point) bar {
	b := bar{Name: beside(p.Name, p.Side)}
	unparsed := 0
	if len(p.Scores) > 0 {
		unparsed = p.Scores[0].Unparsed - p.States[accuracy.Empty] // what is empty cannot be parsed either
	}
	for _, state := range accuracy.States {
		n := p.States[state]
		if state == accuracy.Answered && unparsed > 0 && unparsed <= n {
			b.Parts = append(b.Parts, barPart{string(state), n - unparsed, stateStyles[state]}, barPart{"unparsed", unparsed, 7})
			continue
		}
		if n > 0 {
			b.Parts = append(b.Parts, barPart{string(state), n, stateStyles[state]})
		}
	}
	return b
}

// Drawing is the bar as a picture; the words beside it say the same.
func (b bar) Drawing() template.HTML {
	total := 0
	for _, p := range b.Parts {
		total += p.N
	}
	var svg strings.Builder
	at := 0.
	for _, p := range b.Parts {
		width := 1000 * float64(p.N) / float64(max(1, total))
		fmt.Fprintf(&svg, `<rect class="c%d" x="%.1f" width="%.1f" height="18"><title>%s</title></rect>`, p.Style, at, width, template.HTMLEscapeString(fmt.Sprintf("%d %s", p.N, p.Name)))
		at += width
	}
	return template.HTML(`<svg class="bar" viewBox="0 0 1000 18" preserveAspectRatio="none" aria-hidden="true">` + svg.String() + `</svg>`)
}

func confusionPart(x exhibit, c accuracy.Confusion) part {
	p := part{Fold: "Confusion matrix at " + beside(x.PointName(int(c.Point)), c.Side) + ": rows are right, columns were given", Head: append([]string{"right"}, c.Given...)}
	for i, name := range c.Right {
		row := []string{name}
		for _, n := range c.Counts[i] {
			row = append(row, fmt.Sprint(n))
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}

// An example is one question on the page: a line that names it, with short quotes, and
// the whole of its texts below.
type example struct {
	Kind, Name string
	Quotes     []side
	Sides      []side
	Why        string
}

// quote adds a short text to the line, if there is one.
func (e *example) quote(name, text string) {
	if runes := []rune(text); len(runes) > longestQuote {
		text = string(runes[:longestQuote]) + "…"
	}
	if text != "" {
		e.Quotes = append(e.Quotes, side{name, text})
	}
}

// question names a question by its task, its own name and its group.
func question(task, item, group string) string {
	if group != "" {
		item += " (" + group + ")"
	}
	return task + " " + item
}

// A side is one of the texts that stand side by side.
type side struct{ Name, Text string }

// examplePart lists answers that did not count as right; the script lets a reader search
// them.
func examplePart(list []accuracy.Example, all int) part {
	p := part{ID: "examples", Class: "examples", Title: "Answers that did not count as right"}
	if len(list) == 0 {
		return part{}
	}
	p.Lines = []string{fmt.Sprintf("%d of %d; prompts and answers are cut after %d characters. All of them: assay diff-answers and derived/*/grades.json.", len(list), all, longestText)}
	for _, e := range list {
		one := example{Kind: string(e.Kind), Name: question(e.Task, e.Item, e.Group), Why: e.Why, Sides: []side{
			{"prompt", accuracy.Clip(e.Prompt, longestText)}, {"expected", accuracy.Clip(e.Expected, longestText)},
			{"extracted", accuracy.Clip(e.Extracted, longestText)}, {"answer", accuracy.Clip(e.Answer, longestText)},
		}}
		one.quote("expected", e.Expected)
		one.quote("got", e.Extracted)
		if e.Kind == accuracy.KindFailed {
			one.Sides[3] = side{"failed", report.Dash(e.Why)}
		}
		p.Examples = append(p.Examples, one)
	}
	return p
}
