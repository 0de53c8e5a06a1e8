package report

import (
	"fmt"
	"slices"
	"strings"

	"assay/accuracy"
	"assay/unit"
)

// tasksInShort names the tasks of an evaluation and how many questions each asks.
func (r Report) tasksInShort() []string {
	e := r.Plan.Evaluation()
	if e == nil {
		return nil
	}
	var names, counts []string
	for _, t := range e.Tasks {
		names = append(names, t.Name)
	}
	if r.Accuracy != nil {
		for _, t := range r.Accuracy.Tasks {
			if len(t.Points) > 0 {
				counts = append(counts, fmt.Sprint(t.Points[0].Items))
			}
		}
	}
	parts := []string{strings.Join(names, ", ")}
	if len(counts) > 0 {
		parts = append(parts, strings.Join(counts, " + ")+" questions")
	}
	return parts
}

// scoreTiles are the score of each task where nobody waits, and where most do.
func (r Report) scoreTiles() (list []Tile) {
	if r.Accuracy == nil {
		return nil
	}
	for _, t := range r.Accuracy.Tasks {
		for i, p := range t.Points {
			if i > 0 && i < len(t.Points)-1 || len(p.Scores) == 0 || p.Scores[0].Unavailable != "" || r.voidScore(t, p, p.Scores[0]) != "" {
				continue
			}
			list = append(list, Tile{Name: t.Name, Of: tilePlace(p.Name, p.Side), Unit: p.Scores[0].Unit(), Estimate: p.Scores[0].Estimate})
		}
	}
	return list
}

// accuracyTable is a row for each task and point: the score by the task's first grader, and
// what became of the questions.
func (r Report) accuracyTable() Headline {
	h := Headline{Columns: []Column{
		{Name: "task", in: anywhere}, {Name: r.loadHead(), in: anywhere}, {Name: "side", in: anywhere}, {Name: "score", in: anywhere, wide: true},
		{Name: "items", in: Page | Sheet}, {Name: "asked", in: anywhere}, {Name: "answered", in: anywhere, spare: true}, {Name: "truncated", in: anywhere}, {Name: "empty", in: anywhere},
		{Name: "failed", in: anywhere}, {Name: "unparsed", in: anywhere}, {Name: "graded by", in: Page | Sheet},
	}}
	if r.Accuracy == nil {
		return h
	}
	for _, t := range r.Accuracy.Tasks {
		for _, p := range t.Points {
			if len(p.Scores) == 0 {
				continue
			}
			s := p.Scores[0]
			point, _ := r.Plan.PointByIndex(int(p.Point))
			score := word(s.Unavailable)
			if s.Unavailable == "" {
				score = figure(&s.Estimate, s.Unit()).marked(r.voidScore(t, p, s))
			}
			h.Rows = append(h.Rows, []Figure{
				word(t.Name), r.loadFigure(point), word(p.Side), score, tallied(p.Items), tallied(p.Asked), tallied(p.States[accuracy.Answered]), tallied(p.States[accuracy.Truncated]),
				tallied(p.States[accuracy.Empty]), tallied(p.States[accuracy.Failed] + p.States[accuracy.Cut]), tallied(s.Unparsed), word(s.Grader),
			})
		}
	}
	return h.withoutEmpty()
}

func tallied(n int) Figure { return counted(float64(n), fmt.Sprint(n)) }

// AccuracyBlocks are what the answers were worth, task by task.
func (r Report) AccuracyBlocks() (blocks []Block) {
	if r.Accuracy == nil {
		return nil
	}
	for _, t := range r.Accuracy.Tasks {
		blocks = append(blocks, r.ScoreBlock(t), r.MarksBlock(t), r.BestOfBlock(t), r.TurnBlock(t), r.GroupBlock(t))
	}
	return slices.Concat(blocks, r.LoadBlocks(), []Block{r.FrontierBlock()})
}

// LoadBlocks are every load against the lightest, for each side.
func (r Report) LoadBlocks() (blocks []Block) {
	for _, l := range r.Loads {
		b := Block{Title: "answers under load, item by item against the lightest load", Head: []string{"task", "load", "score", "difference", "items", "right to wrong", "wrong to right", "P", "verdict"}}
		if len(r.Loads) > 1 {
			b.Title += ": " + l.Side
		}
		for _, row := range l.Rows {
			lost, gained := "–", "–"
			if row.Flips != nil {
				lost, gained = fmt.Sprint(row.Flips.Lost), fmt.Sprint(row.Flips.Gained)
			}
			b.Rows = append(b.Rows, []string{
				row.Task, row.Point, scoreText(row, row.Baseline) + " to " + scoreText(row, row.Candidate),
				row.Change(), fmt.Sprint(row.Items), lost, gained, fmt.Sprintf("%.2g", row.Adjusted), string(row.Verdict),
			})
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// ScoreBlock is every score of a task, and what it means.
func (r Report) ScoreBlock(t accuracy.Task) Block {
	b := Block{
		Title: "task " + t.Name, Lines: append([]string{t.Identity}, t.Signatures()...),
		Head: []string{"load", "side", "grader", "score", "bounds", "right", "graded", "unparsed", "per launch", "own noise"},
	}
	if t.MinScore > 0 {
		b.Lines = append(b.Lines, "the least accepted score is "+unit.Format(t.MinScore, unit.Share))
	}
	for _, p := range t.Points {
		for _, s := range p.Scores {
			b.Rows = append(b.Rows, r.scoreRow(t, p, s))
		}
	}
	return withoutEmpty(b)
}

// FrontierBlock is the quality of every load beside its speed and price.
func (r Report) FrontierBlock() Block {
	b := Block{Title: "quality beside speed", Head: []string{"task", "load", "score", "right and in time", "E2E p50", "requests", "price of a request", "frontier"}}
	for _, row := range r.Frontier {
		place := "on it"
		if row.BeatenBy != "" {
			place = "beaten by " + row.BeatenBy
		}
		inTime := "–"
		if row.OnTime != nil {
			inTime = Share(*row.OnTime)
		}
		b.Rows = append(b.Rows, []string{
			row.Task, row.Name, figure(&row.Score, unit.Share).Full, inTime, estimatedOrNone(row.Latency, unit.Second),
			estimatedOrNone(row.Throughput, unit.RequestPerSecond), estimatedOrNone(row.Cost, unit.Dollar), place,
		})
	}
	return withoutEmpty(b)
}

func (r Report) scoreRow(t accuracy.Task, p accuracy.Point, s accuracy.Score) []string {
	if s.Unavailable != "" {
		return []string{p.Name, Dash(p.Side), s.Grader, s.Unavailable, "–", "–", "–", "–", "–", "–"}
	}
	noise := "–"
	if s.Noise != nil {
		noise = fmt.Sprintf("±%s, %s of items change", accuracy.MarginText(s.Grader, s.Noise.Floor), Share(s.Noise.Unstable))
	}
	var launches []string
	for _, v := range s.PerLaunch {
		launches = append(launches, unit.Format(v, s.Unit()))
	}
	bounds := "–"
	if s.Bounds.Hi > s.Bounds.Lo {
		bounds = unit.Format(s.Bounds.Lo, s.Unit()) + " to " + unit.Format(s.Bounds.Hi, s.Unit())
	}
	return []string{
		p.Name, Dash(p.Side), s.Grader, figure(&s.Estimate, s.Unit()).marked(r.voidScore(t, p, s)).Full, bounds, fmt.Sprint(s.Right), fmt.Sprint(s.Graded), fmt.Sprint(s.Unparsed), strings.Join(launches, ", "), noise,
	}
}

// GroupBlock is the score of each part of a task at its first point.
func (r Report) GroupBlock(t accuracy.Task) Block {
	b := Block{Title: "parts of " + t.Name, Head: []string{"part", "items", "score"}}
	if len(t.Points) == 0 {
		return b
	}
	of := t.Points[0].Scores[0]
	for _, g := range of.Groups {
		b.Rows = append(b.Rows, []string{g.Name, fmt.Sprint(g.N), unit.Format(g.Score, of.Unit())})
	}
	return b
}
