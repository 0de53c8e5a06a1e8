package run

import (
	"fmt"
	"math"

	"assay/plan"
	"assay/record"
)

// examine readies the sides for the questions of an evaluation: probabilities are kept
// where they are asked for, and those of prompts do not come in a stream.
func (in *inputs) examine(sides []*side) {
	if in.sheet == nil {
		return
	}
	for _, s := range sides {
		s.conn.client.KeepLogprobs = in.sheet.AsksLogprobs()
		s.conn.client.Ask.Stream = s.conn.client.Ask.Stream && !in.sheet.Echoes()
	}
}

// examined is the point with as many requests as there are questions, where it asks each
// of them once.
func (l *activeLaunch) examined(point plan.Point) plan.Point {
	if l.in.sheet != nil && l.plan.AsksOnce() {
		point.Requests = len(l.in.sheet.Asks)
	}
	return point
}

// lastCall is how many calls there are; without an end unless an evaluation asks each
// question once.
func (l *activeLaunch) lastCall() int64 {
	if l.in.sheet != nil && l.plan.AsksOnce() {
		return int64(len(l.in.sheet.Asks))
	}
	return math.MaxInt64
}

// sheetAtOnce is how many questions are handed to the bundle together.
const sheetAtOnce = 1000

// keepSheet writes down what the launch will ask, so that answers can be graded from the
// bundle alone.
func (l *activeLaunch) keepSheet() error {
	if l.in == nil || l.in.sheet == nil {
		return nil
	}
	var rows []record.Ask
	for i, ask := range l.in.sheet.Asks {
		rows = append(rows, ask)
		if len(rows) == sheetAtOnce || i == len(l.in.sheet.Asks)-1 {
			if err := l.out.Asks.Append(rows...); err != nil {
				return &bundleError{fmt.Errorf("record the questions: %w", err)}
			}
			rows = nil
		}
	}
	return nil
}
