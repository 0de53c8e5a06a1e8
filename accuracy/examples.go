package accuracy

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"assay/record"
)

// A Kind says why an answer is worth a look.
type Kind string

// The kinds of examples.
const (
	KindWrong     Kind = "wrong"
	KindUnparsed  Kind = "unparsed"
	KindTruncated Kind = "truncated"
	KindEmpty     Kind = "empty"
	KindFailed    Kind = "failed"
)

// Kinds lists them in the order in which they are shown.
var Kinds = []Kind{KindWrong, KindUnparsed, KindTruncated, KindEmpty, KindFailed}

// An Example is an answer that did not count as right, with what it was held against.
type Example struct {
	Kind      Kind
	Task      string
	Item      string
	Group     string
	Side      string
	Point     int32
	Launch    int
	Prompt    string
	Expected  string
	Extracted string
	Answer    string
	Why       string
}

// Examples picks at most so many answers that did not count as right by the first grader of
// their task, and counts all of them. Tasks and kinds take turns, so that a rare kind is
// seen beside a frequent one. Each question is shown once.
func Examples(r Report, answers []Answer, grades []Grade, most int) (list []Example, all int) {
	marks := markedBy(r, grades)
	queues := map[[2]string][]Example{}
	seen := map[[2]string]bool{}
	for i := range answers {
		a := &answers[i]
		kind := kindOf(a, marks[slotOf(a)])
		if kind == "" {
			continue
		}
		all++
		if seen[[2]string{a.Task, a.Item}] {
			continue
		}
		seen[[2]string{a.Task, a.Item}] = true
		queue := [2]string{a.Task, string(kind)}
		queues[queue] = append(queues[queue], exampleOf(a, marks[slotOf(a)], kind))
	}
	for more := true; more && len(list) < most; {
		more = false
		for _, t := range r.Tasks {
			for _, kind := range Kinds {
				queue := [2]string{t.Name, string(kind)}
				if len(queues[queue]) == 0 || len(list) == most {
					continue
				}
				list, queues[queue] = append(list, queues[queue][0]), queues[queue][1:]
				more = true
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Example) int {
		return cmp.Or(cmp.Compare(taskPlace(r, a.Task), taskPlace(r, b.Task)), cmp.Compare(slices.Index(Kinds, a.Kind), slices.Index(Kinds, b.Kind)))
	})
	return list, all
}

func taskPlace(r Report, name string) int {
	return slices.IndexFunc(r.Tasks, func(t Task) bool { return t.Name == name })
}

// A slot is where an answer stands: what pairs it with its grades.
type slot struct {
	task, item, side    string
	launch              int
	point, sample, pass int32
}

func slotOf(a *Answer) slot {
	return slot{a.Task, a.Item, a.Side, a.Launch, a.Point, a.Sample, a.Pass}
}

// markedBy finds the grade of each answer by the first grader of its task.
func markedBy(r Report, grades []Grade) map[slot]*Grade {
	first := map[string]string{}
	for _, t := range r.Tasks {
		if len(t.Points) > 0 && len(t.Points[0].Scores) > 0 {
			first[t.Name] = t.Points[0].Scores[0].Grader
		}
	}
	marks := map[slot]*Grade{}
	for i := range grades {
		g := &grades[i]
		if g.Grader == first[g.Task] {
			marks[slot{g.Task, g.Item, g.Side, g.Launch, g.Point, g.Sample, g.Pass}] = g
		}
	}
	return marks
}

// kindOf is why an answer is worth a look; empty where it is right, and where nothing was
// to be graded.
func kindOf(a *Answer, mark *Grade) Kind {
	switch {
	case a.State == Failed:
		return KindFailed
	case a.State == Cut || mark == nil || mark.Score == nil || *mark.Score == 1:
		return ""
	case a.State == Empty:
		return KindEmpty
	case a.State == Truncated:
		return KindTruncated
	case mark.Unparsed:
		return KindUnparsed
	}
	return KindWrong
}

func exampleOf(a *Answer, mark *Grade, kind Kind) Example {
	e := Example{Kind: kind, Task: a.Task, Item: a.Item, Group: a.Group, Side: a.Side, Point: a.Point, Launch: a.Launch,
		Prompt: a.Prompt, Expected: Expected(a.Key), Answer: a.Text, Why: a.Error}
	if mark != nil {
		e.Extracted, e.Why = mark.Extracted, cmp.Or(mark.Why, a.Error)
	}
	return e
}

// Clip is a text of at most so many characters: its beginning and its end, which is where a
// prompt has its question and an answer its result.
func Clip(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	runes := []rune(text)
	head := most / 4
	left := len(runes) - most
	return string(runes[:head]) + "\n… " + strconv.Itoa(left) + " characters left out …\n" + string(runes[head+left:])
}

// Expected is the right answer as people read it: the choice with its letter, any of the
// references, or the test of a program.
func Expected(key *record.AnswerKey) string {
	switch {
	case key == nil:
		return ""
	case key.Target != nil && *key.Target >= 0 && *key.Target < len(key.Choices):
		text := key.Choices[*key.Target]
		if *key.Target < len(letters) {
			text = letters[*key.Target:*key.Target+1] + ": " + text
		}
		return text
	case key.Program != nil:
		return key.Program.Test
	}
	return strings.Join(key.References, "\n")
}
