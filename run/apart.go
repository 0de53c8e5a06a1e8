package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"assay/load"
	"assay/plan"
	"assay/probe"
	"assay/record"
	"assay/spec"
	"assay/train"
)

// measureApart measures what asks no target: probes of the hardware, then the
// worlds of collectives and training. They come before the load of a mixed run, on
// a machine that nothing else uses yet.
func (e *execution) measureApart(ctx context.Context, l *activeLaunch) error {
	ranks := train.Launch{
		Plan: e.plan, Planned: l.planned, Clock: l.clock, Out: l.out, Run: filepath.Base(e.out.Dir()),
		Progress: func(p plan.Point, message string) { e.enterApart(l, p, message) },
	}
	for _, index := range l.planned.Order {
		point, _ := e.plan.PointByIndex(index)
		if point.Kind() != plan.KindProbe {
			continue
		}
		e.enterApart(l, point, "")
		measure := e.probe
		if point.Micro.Torch() || e.plan.Decided().Probe.Launch != nil {
			measure = func(ctx context.Context, _ *activeLaunch, point plan.Point) error {
				return e.staff.Probe(ctx, ranks, point)
			}
		}
		if err := measure(ctx, l, point); err != nil {
			return fmt.Errorf("%s: %w", point.Name, err)
		}
	}
	return e.staff.Measure(ctx, ranks)
}

// enterApart shows people what is measured now.
func (e *execution) enterApart(l *activeLaunch, point plan.Point, message string) {
	e.report(Progress{Launch: l.planned.Index, Point: point.Name, Message: message})
	if message == "" {
		l.live.EnterPoint(point, &load.Tally{})
		l.live.EnterPhase(record.Measure)
	}
}

// probe measures one probe of this host and bounds its window.
func (e *execution) probe(ctx context.Context, l *activeLaunch, point plan.Point) error {
	var errs []error
	event := func(at int64, name, detail string) {
		errs = append(errs, l.out.Events.Append(record.Event{At: at, Name: name, Point: int32(point.Index), Detail: detail}))
	}
	begun, ended := int64(-1), int64(-1)
	event(l.clock.Now(), record.PointBegin, point.Name)
	secret, _ := lookup(e.opts.Environ)(probe.EnvSecret)
	err := probe.Measure(ctx, probe.Setting{
		Secret: secret, Point: point.Index, Micro: *point.Micro, Dir: probeDir(e.plan.Decided()), Epoch: l.clock.Epoch,
		Trial: func(t record.Trial) {
			if t.Phase == record.Measure {
				if begun < 0 {
					begun = t.Start
				}
				ended = t.End
			}
			errs = append(errs, l.out.Trials.Append(t))
		},
		Note: func(text string) { event(l.clock.Now(), record.RankNote, text) },
	})
	if begun >= 0 {
		event(begun, record.WindowBegin, "")
		if err == nil {
			event(ended, record.WindowEnd, "")
		}
	}
	event(l.clock.Now(), record.PointEnd, "")
	return errors.Join(err, errors.Join(errs...))
}

// probeDir is where the disk probe writes.
func probeDir(s spec.RunSpec) string {
	if s.Probe.Dir != "" {
		return s.Probe.Dir
	}
	return os.TempDir()
}
