package page

import (
	"cmp"
	"fmt"
	"slices"

	"assay/accuracy"
	"assay/accuracy/changes"
)

// flipPart lists answers of which only one side is right, or scores higher, losses first.
// Comparisons take turns, so that each is seen; the script lets a reader search them.
func flipPart(reports []changes.Report) part {
	p := part{ID: "flips", Class: "examples flips", Title: "Answers that flipped"}
	all := 0
	queues := make([][]example, len(reports))
	several := slices.ContainsFunc(reports, func(r changes.Report) bool { return r.B.Bundle != reports[0].B.Bundle })
	for i, r := range reports {
		items := slices.DeleteFunc(slices.Clone(r.Items), func(i changes.Item) bool { return !i.Kind.Flip() })
		all += len(items)
		slices.SortStableFunc(items, func(a, b changes.Item) int {
			return cmp.Compare(slices.Index(changes.Kinds, a.Kind), slices.Index(changes.Kinds, b.Kind))
		})
		for _, item := range items[:min(len(items), mostExamples)] {
			queues[i] = append(queues[i], flipOf(r, item, several))
		}
	}
	for turn := 0; len(p.Examples) < min(all, mostExamples); turn++ {
		for _, queue := range queues {
			if turn < len(queue) && len(p.Examples) < mostExamples {
				p.Examples = append(p.Examples, queue[turn])
			}
		}
	}
	if len(p.Examples) > 0 {
		p.Lines = []string{fmt.Sprintf("%d of %d, from the first launch of each side; texts are cut after %d characters. All of them: assay diff-answers --only flips --limit 0.",
			len(p.Examples), all, longestText)}
	}
	return p
}

// flipOf is one question with both answers; named says of which of several candidates.
func flipOf(r changes.Report, item changes.Item, named bool) example {
	e := example{Kind: item.Kind.Words(), Name: question(item.Task, item.Item, item.Group) + " at " + r.B.Point}
	if named {
		e.Name += ", " + r.B.Bundle
	}
	e.quote("expected", item.Expected)
	e.quote("baseline", cmp.Or(item.A.Extracted, item.A.Text))
	e.quote("candidate", cmp.Or(item.B.Extracted, item.B.Text))
	e.Sides = []side{
		{"prompt", accuracy.Clip(item.Prompt, longestText)}, {"expected", accuracy.Clip(item.Expected, longestText)},
		replySide(r.A, item.A), replySide(r.B, item.B),
	}
	return e
}

// replySide is what one side said, under its name and score. Where likelihoods were asked,
// what was chosen stands for the text.
func replySide(of changes.Place, r changes.Reply) side {
	return side{fmt.Sprintf("%s: score %.4g", of.Bundle, *r.Score), accuracy.Clip(cmp.Or(r.Text, r.Extracted), longestText)}
}
