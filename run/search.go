package run

import (
	"context"
	"encoding/json"
	"fmt"

	"assay/record"
	"assay/search"
)

// walk runs the points that a search leads to, one after the other, and keeps
// the path: each step as an event when it is made, all of them as an attachment
// at the end.
func (e *execution) walk(ctx context.Context, l *activeLaunch) error {
	rule := *e.plan.Search
	w := search.NewWalk(rule)
	begun := l.clock.Now()
	var walkErr error
	for more := true; more && walkErr == nil; {
		point, _ := e.plan.PointByIndex(w.Point())
		e.report(Progress{Launch: l.planned.Index, Point: point.Name})
		l.at.judge = w.Sample()
		if walkErr = l.measurePoint(ctx, point); walkErr != nil {
			walkErr = fmt.Errorf("%s: %w", point.Name, walkErr)
			break
		}
		if walkErr = l.hopeless(point); walkErr != nil {
			break
		}
		var stop search.End
		if rule.Time > 0 && l.clock.Now()-begun >= int64(rule.Time) {
			stop = search.TimeUp
		}
		var step search.Step
		step, more = w.Step(l.at.saturated, stop)
		e.report(Progress{Launch: l.planned.Index, Message: point.Name + " " + string(step.Verdict)})
		walkErr = l.recordStep(step)
	}
	l.at.judge = nil
	if err := l.attachPath(w.Path()); err != nil {
		return err
	}
	if walkErr == nil {
		e.report(Progress{Launch: l.planned.Index, Message: w.Path().Answer.String()})
	}
	return walkErr
}

func (l *activeLaunch) recordStep(step search.Step) error {
	detail, err := json.Marshal(step)
	if err != nil {
		return err
	}
	row := record.Event{At: l.clock.Now(), Name: record.SearchStep, Point: int32(step.Point), Detail: string(detail)}
	if err := l.out.Events.Append(row); err != nil {
		return fmt.Errorf("record event %s: %w", row.Name, err)
	}
	return nil
}

func (l *activeLaunch) attachPath(path search.Path) error {
	data, err := json.MarshalIndent(path, "", "  ")
	if err != nil {
		return err
	}
	if err := l.out.Attach(search.File, data); err != nil {
		return &bundleError{err}
	}
	return nil
}
