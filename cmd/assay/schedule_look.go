package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"assay/alert"
	"assay/analysis/gate"
	"assay/finding"
	"assay/judge/pair"
	"assay/report"
	"assay/timetable"
	"assay/unit"
	"assay/warehouse"
)

// keep puts the bundle of a job into the warehouse.
func (m *scheduledMeasurer) keep(ctx context.Context, j timetable.Job) (warehouse.Kept, error) {
	dir, err := bundleOf(ctx, j)
	if err != nil {
		return warehouse.Kept{}, err
	}
	list, err := keepAll(ctx, m.env, trustFlags{}, m.place, []string{dir}, false, true)
	if err == nil && len(list) != 1 {
		err = fmt.Errorf("%s was not kept", dir)
	}
	if err != nil {
		return warehouse.Kept{}, err
	}
	return list[0], nil
}

// look finds what is wrong with a run that was kept. What could not be looked at is said,
// and no alert about it is taken back.
func (m *scheduledMeasurer) look(ctx context.Context, j timetable.Job, o *timetable.Outcome) {
	w, err := warehouse.Open(ctx, m.place)
	if err != nil {
		o.Note = err.Error()
		return
	}
	var notes []string
	for _, part := range []func(context.Context, *warehouse.Warehouse, timetable.Job, *timetable.Outcome) error{m.lookVoid, m.lookGate, m.lookChanges} {
		if err := part(ctx, w, j, o); err != nil {
			notes = append(notes, err.Error())
		}
	}
	if err := w.Close(); err != nil {
		notes = append(notes, err.Error())
	}
	o.Note = strings.Join(notes, "; ")
}

func (m *scheduledMeasurer) lookVoid(ctx context.Context, w *warehouse.Warehouse, _ timetable.Job, o *timetable.Outcome) error {
	d, err := w.Detail(ctx, o.Digest)
	if err != nil {
		return err
	}
	o.Looked = append(o.Looked, alert.Void)
	if d.Worst != string(finding.Void) {
		return nil
	}
	var lines []string
	for _, f := range d.Findings {
		if f.Kind == string(finding.Void) {
			lines = append(lines, f.What+": "+f.Text)
		}
	}
	o.Problems = append(o.Problems, alert.Problem{Kind: alert.Void, Title: "the run is void: nothing may be concluded from it", Text: strings.Join(lines, "\n")})
	return nil
}

// lookGate holds the run against the accepted one. One that did not complete is no
// candidate, and has its alert already.
func (m *scheduledMeasurer) lookGate(ctx context.Context, w *warehouse.Warehouse, j timetable.Job, o *timetable.Outcome) error {
	asked := j.Entry.Document.Spec.Gate
	if asked == nil || slices.ContainsFunc(o.Problems, func(p alert.Problem) bool { return p.Kind == alert.Failed }) {
		return nil
	}
	result, err := m.gate(ctx, w, j, o.Digest)
	if errors.Is(err, errFirstRun) {
		return err
	}
	o.Looked = append(o.Looked, alert.Regressed)
	if err != nil { // a gate that cannot judge fails closed
		o.Problems = append(o.Problems, alert.Problem{Kind: alert.Regressed, Title: "the gate could not judge the run", Text: m.secrets.Hide(err.Error())})
		return nil
	}
	if result.Passed {
		return nil
	}
	var text bytes.Buffer
	if err := report.GateText(&text, result); err != nil {
		return err
	}
	o.Problems = append(o.Problems, alert.Problem{Kind: alert.Regressed, Title: "the gate did not pass", Text: text.String()})
	return nil
}

// errFirstRun says that there is nothing to compare with yet.
var errFirstRun = errors.New("no gate")

func (m *scheduledMeasurer) gate(ctx context.Context, w *warehouse.Warehouse, j timetable.Job, digest string) (gate.Result, error) {
	asked := j.Entry.Document.Spec.Gate
	file := asked.Policy
	if !filepath.IsAbs(file) {
		file = filepath.Join(filepath.Dir(j.Entry.File), file)
	}
	policy, err := readPolicy(m.env, file)
	if err != nil {
		return gate.Result{}, err
	}
	baseline := asked.Baseline
	if baseline == "" {
		accepted, err := w.Accepted(ctx, j.Entry.Name, digest)
		if errors.Is(err, warehouse.ErrUnknownRun) {
			return gate.Result{}, fmt.Errorf("%w: %w", errFirstRun, err)
		}
		if err != nil {
			return gate.Result{}, err
		}
		baseline = accepted.Digest
	}
	before, err := w.Bundle(ctx, baseline)
	if err != nil {
		return gate.Result{}, err
	}
	after, err := w.Bundle(ctx, digest)
	if err != nil {
		return gate.Result{}, err
	}
	in, err := newReader(m.env, trustFlags{ids: policy.Spec.TrustedKeys}).Gate(pair.GateAsk{Policy: policy, Baseline: before, Candidate: after})
	if err != nil {
		return gate.Result{}, err
	}
	return gate.Judge(in)
}

// lookChanges finds the series of this run that changed for the worse, as the dashboard
// does, and that nobody has decided about.
func (m *scheduledMeasurer) lookChanges(ctx context.Context, w *warehouse.Warehouse, _ timetable.Job, o *timetable.Outcome) error {
	series, err := w.Watch(ctx, warehouse.WatchedMetrics, warehouse.Detection{Seed: 1})
	if err != nil {
		return err
	}
	rememberFound(ctx, w)
	own := map[string]bool{}
	for _, s := range series {
		own[s.ID()] = slices.ContainsFunc(s.Values, func(v warehouse.Value) bool { return v.Digest == o.Digest })
	}
	alerts, err := w.Alerts(ctx, series)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(series, func(s warehouse.Series) bool { return own[s.ID()] }) {
		return nil // the run is in no series: what is open stays open
	}
	o.Looked = append(o.Looked, alert.Changed)
	for _, a := range alerts {
		if !own[a.SeriesID] || !a.Pending() {
			continue
		}
		c, of := a.Change, unit.Unit(a.Of.Unit)
		o.Problems = append(o.Problems, alert.Problem{
			Kind: alert.Changed, Of: a.SeriesID,
			Title: fmt.Sprintf("%s %s at %s changed by %+.1f %%, %s", a.Of.Metric, a.Of.Statistic, a.Of.Point, 100*c.Relative, c.State),
			Text: fmt.Sprintf("%s → %s (p %.2g, %s) on %s, %s\nlast run before it %s, first run after it %s\nassay history %s:%s --workload %s says what differs between them",
				unit.Format(c.Before, of), unit.Format(c.After, of), c.P, c.Method, a.Of.System, a.Of.Testbed, c.LastGood, c.FirstBad, a.Of.Metric, a.Of.Statistic, a.Of.Name),
		})
	}
	return nil
}
