package accuracy

import (
	"slices"
	"strconv"
	"strings"

	"assay/record"
)

// A Confusion counts what was given where what was right: the choices of a task by letter,
// or its classes.
type Confusion struct {
	Task   string
	Side   string
	Point  int32
	Right  []string // rows
	Given  []string // columns: the same, and what was neither
	Counts [][]int
}

// unclear is the column of answers that are none of the choices.
const unclear = "neither"

// Confusions counts the answers of every task that has choices or classes, point by point.
func Confusions(r Report, answers []Answer, grades []Grade) []Confusion {
	marks := markedBy(r, grades)
	var list []*Confusion
	at := map[slot]*Confusion{}
	for i := range answers {
		a := &answers[i]
		mark := marks[slotOf(a)]
		names := classesOf(a)
		if len(names) == 0 || len(names) > mostClasses || mark == nil || mark.Score == nil {
			continue
		}
		place := slot{task: a.Task, side: a.Side, point: a.Point}
		c := at[place]
		if c == nil {
			c = &Confusion{Task: a.Task, Side: a.Side, Point: a.Point}
			at[place], list = c, append(list, c)
		}
		c.grow(names)
		row := slices.Index(c.Right, rightOf(a.Key, names))
		if row < 0 {
			continue
		}
		column := slices.Index(c.Given, given(mark, names))
		if column < 0 {
			column = len(c.Given) - 1
		}
		c.Counts[row][column]++
	}
	out := make([]Confusion, len(list))
	for i, c := range list {
		out[i] = *c
	}
	return out
}

// mostClasses is how many fit into a table.
const mostClasses = 12

// grow makes room for the classes of a question that has more than those before it.
func (c *Confusion) grow(names []string) {
	if len(names) <= len(c.Right) {
		return
	}
	counts := make([][]int, len(names))
	for i := range counts {
		counts[i] = make([]int, len(names)+1)
		if i < len(c.Counts) {
			copy(counts[i], c.Counts[i][:len(c.Right)])
			counts[i][len(names)] = c.Counts[i][len(c.Right)]
		}
	}
	c.Right, c.Given, c.Counts = names, append(slices.Clone(names), unclear), counts
}

// classesOf are the letters of a question's choices, or the classes of its task.
func classesOf(a *Answer) []string {
	switch {
	case a.Key == nil:
		return nil
	case a.Key.Target != nil && len(a.Key.Choices) <= len(letters):
		return strings.Split(letters[:len(a.Key.Choices)], "")
	}
	return a.Key.Labels
}

// given is the class that a grader read out of an answer. Graders of likelihood name the
// choice by its number.
func given(mark *Grade, names []string) string {
	if mark.Unparsed {
		return unclear
	}
	if i, err := strconv.Atoi(mark.Extracted); err == nil && !slices.Contains(names, mark.Extracted) && i >= 0 && i < len(names) {
		return names[i]
	}
	for _, name := range names {
		if strings.EqualFold(strings.TrimSpace(mark.Extracted), name) {
			return name
		}
	}
	return unclear
}

// rightOf is the class that is right.
func rightOf(key *record.AnswerKey, names []string) string {
	if key.Target != nil {
		if *key.Target >= 0 && *key.Target < len(names) {
			return names[*key.Target]
		}
		return ""
	}
	for _, name := range names {
		for _, reference := range key.References {
			if strings.EqualFold(strings.TrimSpace(reference), name) {
				return name
			}
		}
	}
	return ""
}
