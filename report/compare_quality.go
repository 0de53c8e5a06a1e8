package report

import (
	"fmt"
	"strings"

	"assay/accuracy"
	"assay/accuracy/parity"
	"assay/analysis/compare"
	"assay/stats/items"
	"assay/unit"
)

// qualityHead are the columns of the table of tasks.
var qualityHead = []string{"task", "graded by", "point", "items", "baseline", "candidate", "difference", "margin", "verdict", "p", "lost / gained", "relative"}

// qualityBlock shows whether the answers are still as good, task by task.
func qualityBlock(label string, q *parity.Report) Block {
	b := Block{Title: label + ": quality"}
	if q == nil || len(q.Rows) == 0 {
		return b
	}
	b.Head = qualityHead
	for _, row := range q.Rows {
		b.Rows = append(b.Rows, []string{
			row.Task, row.Grader, row.Point, fmt.Sprint(row.Items), scoreText(row, row.Baseline), scoreText(row, row.Candidate),
			row.Change(), accuracy.MarginText(row.Grader, row.Margin), string(row.Verdict), pValue(row.Adjusted), flipsText(row.Flips), relativeText(row),
		})
	}
	return b
}

// qualityNotes are what the table has no room for.
func qualityNotes(label string, q *parity.Report) Block {
	b := Block{Title: label + ": quality notes"}
	if q == nil {
		return b
	}
	for _, row := range q.Rows {
		if row.Verdict == items.Undecided {
			b.Points = append(b.Points, row.Name()+" is undecided: "+row.Why())
		}
		if text := referenceText(row); text != "" {
			b.Points = append(b.Points, row.Name()+": "+text)
		}
		for _, w := range row.Warnings {
			b.Points = append(b.Points, row.Name()+": "+w)
		}
	}
	for _, m := range q.Missing {
		b.Points = append(b.Points, m.Task+" is not compared: "+m.Why)
	}
	return b
}

// changedBlock lists the items whose answers flipped, side by side.
func changedBlock(label string, q *parity.Report) Block {
	b := Block{Title: label + ": answers that changed", Head: []string{"task", "item", "baseline", "candidate"}}
	if q == nil {
		return b
	}
	for _, row := range q.Rows {
		if !row.Primary {
			continue
		}
		for _, c := range row.Changed {
			b.Rows = append(b.Rows, []string{row.Task, c.Item, saidText(c.Baseline, c.BaselineSaid), saidText(c.Candidate, c.CandidateSaid)})
		}
	}
	return b
}

func saidText(score float64, said string) string {
	return strings.TrimSuffix(fmt.Sprintf("%.4g: %s", score, short(said)), ": ")
}

func scoreText(row parity.Row, v float64) string {
	return unit.Format(v, accuracy.UnitOf(row.Grader))
}

func flipsText(f *items.Flips) string {
	if f == nil {
		return "–"
	}
	return fmt.Sprintf("%d / %d", f.Lost, f.Gained)
}

func relativeText(row parity.Row) string {
	if row.Relative == nil {
		return "–"
	}
	return fmt.Sprintf("%+.2g %%", 100*row.Relative.Value)
}

// referenceText says where a share of the baseline's score is not shown to be reached.
func referenceText(row parity.Row) string {
	for _, s := range row.Reference {
		switch {
		case s.Verdict == items.IsMissed:
			return fmt.Sprintf("not %g %% of the baseline's score", 100*s.Target)
		case s.Verdict == items.MayBeMissed && !s.Above:
			return fmt.Sprintf("not %g %% of the baseline's score as measured, though that may be chance", 100*s.Target)
		}
	}
	return ""
}

// qualitySentence sums the tasks of a candidate up.
func qualitySentence(q *parity.Report) string {
	if q == nil {
		return ""
	}
	by := map[items.Verdict][]string{}
	for _, row := range q.Rows {
		if row.Primary {
			by[row.Verdict] = append(by[row.Verdict], fmt.Sprintf("%s (%s)", row.Name(), row.Change()))
		}
	}
	var parts []string
	for _, verdict := range []items.Verdict{items.Worse, items.Undecided, items.NotInferior, items.Equivalent, items.Better, parity.Void} {
		if list := by[verdict]; len(list) > 0 {
			parts = append(parts, fmt.Sprintf("%s: %s", verdict, strings.Join(list, ", ")))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "Its answers are " + strings.Join(parts, "; ") + "."
}

// qualityReading explains the table of tasks, where there is one.
func qualityReading(r compare.Report) []string {
	for _, c := range r.Comparisons {
		if c.Quality != nil && len(c.Quality.Rows) > 0 {
			return []string{fmt.Sprintf("Quality is compared item by item, candidate − baseline, with bounds that each hold with %g %% confidence. Equivalent: both lie within the margin. Not inferior: the lower one does. Its p is corrected over the tasks (%s; %s).",
				100*(1-c.Quality.Alpha), c.Quality.Correction, c.Quality.Rule)}
		}
	}
	return nil
}
