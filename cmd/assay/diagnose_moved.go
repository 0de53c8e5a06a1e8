package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"assay/analysis/breakdown"
	"assay/analysis/playbook"
	"assay/analysis/shift"
	"assay/bundle"
	"assay/metric"
	"assay/plan"
	"assay/warehouse"
)

// movedOf is the result that a diagnosis is about: what was asked for, what the newest pending
// alert of the run says, or the latency that changed most. Nil means that none stands out.
func (f diagnoseFlags) movedOf(env Env, e playbook.Evidence, dir string) (*playbook.Moved, error) {
	if f.metric != "" {
		m, err := playbook.ReadMoved(f.metric)
		if err != nil {
			return nil, usageError(fmt.Errorf("--metric %w", err))
		}
		if m.Point != "" && !slices.ContainsFunc(e.Plan.Points, func(p plan.Point) bool { return p.Name == m.Point }) {
			return nil, usageError(fmt.Errorf("--metric %q: the run has no point %s", f.metric, m.Point))
		}
		return &m, nil
	}
	if m, err := f.alerted(env, dir); m != nil || err != nil {
		return m, err
	}
	if m, ok := playbook.LargestMove(e); ok {
		return &m, nil
	}
	return nil, nil
}

// alerted is what the newest pending alert of a run is about. A machine without a warehouse has
// no alerts.
func (f diagnoseFlags) alerted(env Env, dir string) (*playbook.Moved, error) {
	b, err := bundle.Open(dir)
	if err != nil {
		return nil, err
	}
	place := f.place.place(env)
	if _, err := os.Stat(filepath.Join(place, "catalogue.db")); err != nil {
		return nil, nil
	}
	ctx := context.Background()
	w, err := warehouse.Open(ctx, place)
	if err != nil {
		return nil, nil // whose catalogue cannot be read tells nothing, and is not asked about here
	}
	list, err := w.Alerts(ctx)
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, err
	}
	for _, a := range list {
		if a.Run == b.Manifest.Digest && a.Pending() {
			return &playbook.Moved{Metric: a.Of.Metric, Statistic: a.Of.Statistic, Point: a.Of.Point, Why: "a pending alert"}, nil
		}
	}
	return nil, nil
}

// tailShifts decompose the change of the slow requests, where it is a tail that moved.
func tailShifts(dirs []string, e playbook.Evidence) (list []shift.PointShift, err error) {
	m, known := metric.ByID(e.Moved.Metric)
	if _, tail := breakdown.TailOf(e.Moved.Statistic); !known || !tail {
		return nil, nil
	}
	var bundles [2]*bundle.Bundle
	for i := range bundles {
		if bundles[i], err = bundle.Open(dirs[i]); err != nil {
			return nil, err
		}
	}
	for _, point := range e.Plan.Points {
		i := slices.IndexFunc(e.Baseline.Plan.Points, func(p plan.Point) bool { return p.Name == point.Name })
		if i < 0 || e.Moved.Point != "" && e.Moved.Point != point.Name {
			continue
		}
		was, before, err := breakdown.Tail(bundles[1], e.Baseline.Plan.Points[i].Index, m, e.Moved.Statistic)
		if err != nil {
			return nil, err
		}
		is, after, err := breakdown.Tail(bundles[0], point.Index, m, e.Moved.Statistic)
		if err != nil {
			return nil, err
		}
		if !before || !after {
			continue
		}
		s, err := shift.Between(was, is, e.Estimates.Confidence)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", point.Name, err)
		}
		list = append(list, shift.PointShift{Point: point.Name, Shift: s})
	}
	return list, nil
}
