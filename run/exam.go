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

// examined is the point with as many requests as there are questions, or sessions as there
// are conversations, where it asks each of them once.
func (l *activeLaunch) examined(point plan.Point) plan.Point {
	switch {
	case l.in.sheet == nil || !l.plan.AsksOnce():
	case !l.in.sheet.Converses():
		point.Requests = len(l.in.sheet.Asks)
	case point.Open(): // every part draws the whole schedule
		point.Requests = l.in.sheet.Sessions()
	default:
		point.Requests = l.plan.Share().Of(l.in.sheet.Sessions())
		point.Idle = point.Idle || point.Requests == 0
	}
	return point
}

// lastSession is how many sessions there are; 0 where they come again.
func (l *activeLaunch) lastSession() int64 {
	if l.in.sheet != nil && l.plan.AsksOnce() {
		return int64(l.in.sheet.Sessions())
	}
	return 0
}

// sessions are those of a point: the conversations of an evaluation, or what the workload
// describes.
func (l *activeLaunch) sessions(point plan.Point) (sessionSource, error) {
	if sheet := l.in.sheet; sheet != nil {
		return sessionSource{session: sheet.Session, len: sheet.Sessions(), longest: sheet.Longest(), address: sheet.Address}, nil
	}
	return newSessions(l.plan, l.recordings, plan.Seed(l.planned.Seed, "workload", int64(point.Index)))
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
