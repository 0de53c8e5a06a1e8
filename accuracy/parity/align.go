package parity

import (
	"fmt"

	"assay/accuracy"
)

// Aligned is s with the names of base where both were asked the same questions under other
// ones: a tool that numbers its items has no name in common with assay. Questions are the same
// where what was asked is, to the letter; a text that a task asks twice names none of them.
// Notes say by task what was paired that way, and why a task could not be.
func (s Side) Aligned(base Side) (Side, map[string]string) {
	notes := map[string]string{}
	if s.Tool == "" && base.Tool == "" {
		return s, notes // names are those of one file, or mean nothing
	}
	theirs, ours := base.questions(), s.questions()
	rename := map[string]renamed{}
	tasks := make([]accuracy.Task, len(s.Tasks))
	for i, t := range s.Tasks {
		tasks[i] = t
		if other, there := base.task(t.Name); there && other.Identity == t.Identity {
			continue
		}
		best := renamed{}
		for _, other := range base.Tasks {
			if items := shared(ours[t.Name], theirs[other.Name]); len(items) > len(best.items) {
				best = renamed{other, items}
			}
		}
		if len(best.items) == 0 {
			continue
		}
		rename[t.Name] = best
		tasks[i].Name, tasks[i].Identity = best.task.Name, best.task.Identity
		notes[best.task.Name] = fmt.Sprintf("paired by the text of the question: %d of %d in %s and of %d in %s (%s)",
			len(best.items), len(theirs[best.task.Name]), base.Label, len(ours[t.Name]), s.Label, t.Name)
	}
	s.Tasks = tasks
	for _, t := range base.Tasks {
		if other, there := s.task(t.Name); there && other.Identity == t.Identity {
			continue
		}
		notes[t.Name] = fmt.Sprintf("its items cannot be paired: one side was asked by another tool, and none of its %d questions has the text of one in %s; ask the task's own YAML (assay eval --task lm-eval=FILE), which puts questions as lm-eval does",
			len(theirs[t.Name]), s.Label)
	}
	s.Grades = append([]accuracy.Grade(nil), s.Grades...)
	for i := range s.Grades {
		g := &s.Grades[i]
		to, ok := rename[g.Task]
		if !ok {
			continue
		}
		name, paired := to.items[g.Item]
		if !paired {
			name = "only in " + s.Label + ": " + g.Item // no name of an item of the other side
		}
		g.Task, g.Item = to.task.Name, name
	}
	return s, notes
}

// A renamed is a task under the name of the other side, and its items by their own names.
type renamed struct {
	task  accuracy.Task
	items map[string]string
}

// questions are the items of each task by what was asked. One that two items share has no
// item.
func (s Side) questions() map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, g := range s.Grades {
		if g.Question == "" {
			continue
		}
		if all[g.Task] == nil {
			all[g.Task] = map[string]string{}
		}
		if item, known := all[g.Task][g.Question]; known && item != g.Item {
			all[g.Task][g.Question] = ""
		} else {
			all[g.Task][g.Question] = g.Item
		}
	}
	return all
}

// shared are the items of the first that the second was asked too, by their own names, with
// those of the second.
func shared(a, b map[string]string) map[string]string {
	items := map[string]string{}
	for question, item := range a {
		if other := b[question]; item != "" && other != "" {
			items[item] = other
		}
	}
	return items
}
