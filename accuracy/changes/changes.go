// Package changes holds the answers of two systems, or of one system at two loads, side by
// side: which texts differ, which marks, which question only one of them answered, and how
// far apart the probabilities of the next token are. It judges nothing: whether the
// difference is more than chance is for paired statistics.
package changes

import (
	"cmp"
	"slices"

	"assay/accuracy"
)

// Version is the version of the JSON of a Report.
const Version = "1.2"

// A Kind says how the two answers to a question differ.
type Kind string

// The kinds.
const (
	Same    Kind = "same"     // the same text
	Changed Kind = "changed"  // another text with the same mark
	Lost    Kind = "lost"     // right before and wrong after, or a worse mark
	Gained  Kind = "gained"   // wrong before and right after, or a better mark
	Fell    Kind = "fell"     // a lower score on a scale of its own, on which nothing is right or wrong
	Rose    Kind = "rose"     // a higher one
	FailedA Kind = "failed-a" // only the second has an answer
	FailedB Kind = "failed-b" // only the first has an answer
	Neither Kind = "neither"  // no answer from either
)

// Kinds lists them in the order of tables.
var Kinds = []Kind{Same, Changed, Lost, Gained, Fell, Rose, FailedA, FailedB, Neither}

// words are the kinds as people read them.
var words = map[Kind]string{
	Same: "same", Changed: "changed", Lost: "right to wrong", Gained: "wrong to right", Fell: "score fell", Rose: "score rose",
	FailedA: "only in B", FailedB: "only in A", Neither: "in neither",
}

// Words is the kind as people read it.
func (k Kind) Words() string { return words[k] }

// Flip reports whether the mark differs.
func (k Kind) Flip() bool { return slices.Contains([]Kind{Lost, Gained, Fell, Rose}, k) }

// A Place is what one side of the comparison is of.
type Place struct {
	Bundle string `json:"bundle"`
	Side   string `json:"side,omitempty"`
	Point  string `json:"point"`
}

// A Side is the answers of one place.
type Side struct {
	Place   Place
	Point   int32
	Report  accuracy.Report
	Answers []accuracy.Answer
	Grades  []accuracy.Grade
}

// A Report is the two sides of every question.
type Report struct {
	Version string `json:"version"` // of this format
	A       Place  `json:"a"`
	B       Place  `json:"b"`
	Tasks   []Task `json:"tasks"`
	Items   []Item `json:"items"`   // those that were asked for
	Matched int    `json:"matched"` // how many there are of them
}

// A Task is how often each kind occurs among the questions that both were asked.
type Task struct {
	Name   string       `json:"name"`
	Grader string       `json:"grader"` // whose marks are held against each other
	Asked  int          `json:"asked"`
	Counts map[Kind]int `json:"counts"`
	OnlyA  int          `json:"onlyA,omitempty"` // questions that the other was not asked
	OnlyB  int          `json:"onlyB,omitempty"`

	// Divergence compares what both expected next; nil unless both kept probabilities.
	Divergence *Divergence `json:"divergence,omitempty"`
}

// An Item is one question with both answers.
type Item struct {
	Task     string `json:"task"`
	Item     string `json:"item"`
	Group    string `json:"group,omitempty"`
	Sample   int32  `json:"sample,omitempty"`
	Kind     Kind   `json:"kind"`
	Prompt   string `json:"prompt"`
	Expected string `json:"expected"`
	A        Reply  `json:"a"`
	B        Reply  `json:"b"`
}

// A Reply is what one side said.
type Reply struct {
	State     accuracy.State `json:"state"`
	Score     *float64       `json:"score"` // null where there was no answer
	Extracted string         `json:"extracted,omitempty"`
	Text      string         `json:"text"`
	Why       string         `json:"why,omitempty"`
}

// A Filter says which items are listed. The zero value lists all that differ.
type Filter struct {
	Task string
	Only Only
	Most int // 0 means all
}

// Only is which differences are listed.
type Only string

// What may be listed.
const (
	Differing Only = ""        // every kind but the same text
	Flips     Only = "flips"   // another mark
	Texts     Only = "changed" // another text, whatever the mark
)

func (f Filter) wants(i Item) bool {
	switch {
	case f.Task != "" && i.Task != f.Task, i.Kind == Same:
		return false
	case f.Only == Flips:
		return i.Kind.Flip()
	case f.Only == Texts:
		return i.A.Score != nil && i.B.Score != nil && i.A.Text != i.B.Text
	}
	return true
}

// Between holds the answers of two sides against each other, question by question, by the
// first grader of each task of the first. Of several launches and passes the first counts.
func Between(a, b Side, filter Filter) Report {
	r := Report{Version: Version, A: a.Place, B: b.Place, Items: []Item{}, Tasks: []Task{}}
	right := b.replies()
	for _, t := range a.Report.Tasks {
		if filter.Task != "" && t.Name != filter.Task {
			continue
		}
		task := Task{Name: t.Name, Grader: graderOf(t), Counts: map[Kind]int{}}
		by := scaleOf(task.Grader, a.Grades, b.Grades)
		var divergence Divergence
		for _, one := range a.inOrder(t.Name) {
			other, both := right[key{one.answer.Task, one.answer.Item, one.answer.Sample}]
			if !both {
				task.OnlyA++
				continue
			}
			item := pair(one, other, by)
			task.Asked++
			task.Counts[item.Kind]++
			divergence.add(one.answer, other.answer)
			if !filter.wants(item) {
				continue
			}
			if r.Matched++; filter.Most == 0 || len(r.Items) < filter.Most {
				r.Items = append(r.Items, item)
			}
		}
		task.Divergence = divergence.done()
		task.OnlyB = len(b.inOrder(t.Name)) - task.Asked
		r.Tasks = append(r.Tasks, task)
	}
	return r
}

func graderOf(t accuracy.Task) string {
	if len(t.Points) == 0 || len(t.Points[0].Scores) == 0 {
		return ""
	}
	return t.Points[0].Scores[0].Grader
}

// A key names a question in both sides.
type key struct {
	task, item string
	sample     int32
}

// A reply is an answer with its mark; nil where there is none.
type reply struct {
	answer *accuracy.Answer
	grade  *accuracy.Grade
}

// replies are the answers of the side's place, the first of each question.
func (s Side) replies() map[key]reply {
	grader := map[string]string{}
	for _, t := range s.Report.Tasks {
		grader[t.Name] = graderOf(t)
	}
	found := map[key]reply{}
	for i := range s.Answers {
		a := &s.Answers[i]
		if a.Side != s.Place.Side || a.Point != s.Point {
			continue
		}
		k := key{a.Task, a.Item, a.Sample}
		if before, known := found[k]; !known || cmp.Or(cmp.Compare(a.Launch, before.answer.Launch), cmp.Compare(a.Pass, before.answer.Pass)) < 0 {
			found[k] = reply{answer: a}
		}
	}
	for i := range s.Grades {
		g := &s.Grades[i]
		k := key{g.Task, g.Item, g.Sample}
		one, known := found[k]
		if !known || g.Grader != grader[g.Task] || g.Side != s.Place.Side || g.Point != s.Point {
			continue
		}
		if g.Launch == one.answer.Launch && g.Pass == one.answer.Pass {
			found[k] = reply{one.answer, g}
		}
	}
	return found
}

// inOrder are the answers to a task in the order in which it was asked.
func (s Side) inOrder(task string) []reply {
	found := s.replies()
	var list []reply
	for i := range s.Answers {
		a := &s.Answers[i]
		k := key{a.Task, a.Item, a.Sample}
		if one, ok := found[k]; ok && a.Task == task {
			list = append(list, one)
			delete(found, k)
		}
	}
	return slices.Clip(list)
}

func pair(a, b reply, by scale) Item {
	q := a.answer
	return Item{
		Task: q.Task, Item: q.Item, Group: q.Group, Sample: q.Sample, Kind: kindOf(a, b, by), Prompt: q.Prompt, Expected: accuracy.Expected(q.Key),
		A: said(a), B: said(b),
	}
}

func said(r reply) Reply {
	out := Reply{State: r.answer.State, Text: r.answer.Text, Why: r.answer.Error}
	if r.grade != nil {
		out.Score, out.Extracted, out.Why = r.grade.Score, r.grade.Extracted, cmp.Or(r.grade.Why, r.answer.Error)
	}
	return out
}

// kindOf compares marks first. An answer whose likelihoods were asked has no text: what was
// chosen stands for it.
func kindOf(a, b reply, by scale) Kind {
	before, after := said(a), said(b)
	switch {
	case before.Score == nil && after.Score == nil:
		return Neither
	case before.Score == nil:
		return FailedA
	case after.Score == nil:
		return FailedB
	case *after.Score != *before.Score:
		return by.kind(*after.Score > *before.Score)
	case before.Text != after.Text || before.Extracted != after.Extracted:
		return Changed
	}
	return Same
}
