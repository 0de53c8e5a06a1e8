package report

import (
	"fmt"
	"strings"

	"assay/accuracy"
	"assay/spec"
)

// MarksBlock holds the marks that another tool gave single answers against those of
// assay's graders, where the answers were imported.
func (r Report) MarksBlock(t accuracy.Task) Block {
	b := Block{
		Title: "marks of " + t.Name + " by the tool and by assay, answer by answer",
		Head:  []string{"by the tool", "by assay", "answers", "same mark", "higher by the tool", "higher by assay", "such as"},
	}
	if r.Source == nil || len(t.Points) == 0 {
		return b
	}
	marks := r.marksOf(t.Name)
	for _, theirs := range t.Points[0].Scores {
		if _, ok := spec.ParseScorerGrader(theirs.Grader); !ok {
			continue
		}
		for _, ours := range t.Points[0].Scores {
			if _, ok := spec.ParseScorerGrader(ours.Grader); !ok {
				b.Rows = append(b.Rows, marksRow(marks, theirs.Grader, ours.Grader))
			}
		}
	}
	return b
}

// A marked is one answer with its marks by the names of graders.
type marked struct {
	item  string
	marks map[string]float64
}

// marksOf lists the marks of a task, answer by answer.
func (r Report) marksOf(task string) (list []*marked) {
	type place struct {
		item         string
		launch       int
		sample, pass int32
	}
	of := map[place]*marked{}
	for _, g := range r.Grades {
		if g.Task != task || g.Score == nil {
			continue
		}
		at := place{g.Item, g.Launch, g.Sample, g.Pass}
		if of[at] == nil {
			of[at] = &marked{g.Item, map[string]float64{}}
			list = append(list, of[at])
		}
		of[at].marks[g.Grader] = *g.Score
	}
	return list
}

// mostDisputed is how many answers with two marks are named.
const mostDisputed = 5

func marksRow(list []*marked, theirs, ours string) []string {
	both, same, higher, lower := 0, 0, 0, 0
	var disputed []string
	for _, m := range list {
		a, known := m.marks[theirs]
		b, ok := m.marks[ours]
		if !known || !ok {
			continue
		}
		both++
		switch {
		case a == b:
			same++
			continue
		case a > b:
			higher++
		default:
			lower++
		}
		if len(disputed) < mostDisputed {
			disputed = append(disputed, m.item)
		}
	}
	return []string{theirs, ours, fmt.Sprint(both), fmt.Sprint(same), fmt.Sprint(higher), fmt.Sprint(lower), Dash(strings.Join(disputed, ", "))}
}
