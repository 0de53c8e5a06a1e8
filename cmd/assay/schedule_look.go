package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/alert"
	"assay/analysis/compare"
	"assay/analysis/gate"
	"assay/bundle"
	"assay/finding"
	"assay/judge"
	"assay/judge/pair"
	"assay/report"
	"assay/spec"
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
	o.Looked = append(o.Looked, alert.Regressed, alert.Inconclusive)
	if err != nil { // a gate that cannot judge fails closed
		o.Problems = append(o.Problems, alert.Problem{Kind: alert.Regressed, Of: "gate", Title: "the gate could not judge the run", Text: m.secrets.Hide(err.Error())})
		return nil
	}
	var text bytes.Buffer
	if err := report.GateText(&text, result); err != nil {
		return err
	}
	gateProblems(result, text.String(), o)
	return nil
}

// gateProblems enters what a gate found: an alert for each metric or guard that regressed. What
// is inconclusive, refused or missing has not regressed, and an open alert about it is not over
// either. What stopped the gate speaks for no more than it touches: the rest is entered.
func gateProblems(r gate.Result, text string, o *timetable.Outcome) {
	var open []string
	decided, stopped := false, false
	enter := func(key string, verdict gate.Verdict, reason string) {
		p := alert.Problem{Kind: alert.Regressed, Of: key, Title: key + " regressed: the gate did not pass", Text: reason + "\n\n" + text}
		switch verdict {
		case gate.Regressed:
			o.Problems = append(o.Problems, p)
		case gate.Inconclusive, gate.Missing:
			o.Undecided = append(o.Undecided, p)
			open = append(open, key+": "+reason)
		}
	}
	for _, reason := range r.Reasons {
		switch reason.Kind {
		case "audit":
			stopped = true
			open = append(open, reason.String())
		case "controlled", "grade", "confirmation":
			o.Problems = append(o.Problems, alert.Problem{Kind: alert.Regressed, Of: "gate", Title: "the gate could not judge the run", Text: reason.String() + "\n\n" + text})
		}
	}
	for _, d := range r.Metrics {
		enter(d.Key, d.Verdict, d.Reason)
		decided = decided || d.Verdict == gate.Regressed || d.Verdict == gate.NotWorse
	}
	for _, d := range r.Guards {
		enter(cmp.Or(d.Key, d.Guard), d.Verdict, d.Reason)
	}
	for _, d := range r.Accuracy {
		enter(d.Metric, d.Verdict, d.Reason)
		decided = decided || d.Verdict == gate.Regressed || d.Verdict == gate.NotWorse
	}
	if stopped && !decided { // its guards say nothing about a run of which no metric may be used
		o.Looked = slices.DeleteFunc(o.Looked, func(k alert.Kind) bool { return k == alert.Regressed })
	}
	if len(open) > 0 && !slices.ContainsFunc(o.Problems, func(p alert.Problem) bool { return p.Kind == alert.Regressed }) {
		o.Problems = append(o.Problems, alert.Problem{Kind: alert.Inconclusive, Title: "the gate is inconclusive: nothing is known to be worse", Text: strings.Join(open, "\n") + "\n\n" + text})
	}
}

// errFirstRun says that there is nothing to compare with yet.
var errFirstRun = errors.New("no gate")

// policy is that of the gate of a schedule.
func (m *scheduledMeasurer) policy(e timetable.Entry) (spec.GatePolicy, error) {
	file := e.Document.Spec.Gate.Policy
	if !filepath.IsAbs(file) {
		file = filepath.Join(filepath.Dir(e.File), file)
	}
	return readPolicy(m.env, file)
}

// baselineOf is the run that a run of a schedule is compared with.
func baselineOf(ctx context.Context, w *warehouse.Warehouse, e timetable.Entry, digest string) (string, error) {
	if asked := e.Document.Spec.Gate; asked != nil && asked.Baseline != "" {
		return asked.Baseline, nil
	}
	accepted, err := w.Accepted(ctx, e.Name, digest)
	if errors.Is(err, warehouse.ErrUnknownRun) {
		return "", fmt.Errorf("%w: %w", errFirstRun, err)
	}
	return accepted.Digest, err
}

func (m *scheduledMeasurer) gate(ctx context.Context, w *warehouse.Warehouse, j timetable.Job, digest string) (gate.Result, error) {
	policy, err := m.policy(j.Entry)
	if err != nil {
		return gate.Result{}, err
	}
	baseline, err := baselineOf(ctx, w, j.Entry, digest)
	if err != nil {
		return gate.Result{}, err
	}
	before, err := w.Bundle(ctx, baseline)
	if err != nil {
		return gate.Result{}, err
	}
	after, err := w.Bundle(ctx, digest)
	if err != nil {
		return gate.Result{}, err
	}
	bundles := newReader(m.env, trustFlags{ids: policy.Spec.TrustedKeys}).
		Remembering(func(j *judge.Judgement) (compare.Past, error) { return w.Past(ctx, j, policy.Spec.TrustedKeys...) })
	in, err := bundles.Gate(pair.GateAsk{Policy: policy, Baseline: before, Candidate: after})
	if err != nil {
		return gate.Result{}, err
	}
	r, err := gate.Judge(in)
	if err != nil {
		return r, err
	}
	e := r.Entry()
	e.Time = time.Now().UTC()
	return r, gate.AppendHistory(w.GatesPath(), e)
}

// lookChanges finds the alerts of the series of this run that somebody should still look at:
// those that the dashboard shows.
func (m *scheduledMeasurer) lookChanges(ctx context.Context, w *warehouse.Warehouse, _ timetable.Job, o *timetable.Outcome) error {
	d, err := w.Detail(ctx, o.Digest)
	if err != nil {
		return err
	}
	own := map[string]bool{}
	for _, f := range warehouse.Watched(d.Figures) {
		if f.Low != nil && f.High != nil && d.Counts && d.Status == string(bundle.Completed) && d.Worst != string(finding.Void) {
			own[warehouse.SeriesOf(d.RunRow, f).ID()] = true
		}
	}
	if len(own) == 0 {
		return nil // the run is in no series: what is open stays open
	}
	alerts, err := w.Alerts(ctx)
	if err != nil {
		return err
	}
	o.Looked = append(o.Looked, alert.Changed)
	for _, a := range alerts {
		if !own[a.SeriesID] || !a.Pending() {
			continue
		}
		p := changedProblem(a)
		p.Text += diagnoseLine(w, a)
		o.Problems = append(o.Problems, p)
	}
	return nil
}

// diagnoseLine is the command that says which part of what moved did.
func diagnoseLine(w *warehouse.Warehouse, a warehouse.Alert) string {
	bad, here := w.Held(a.Run)
	good, there := w.Held(a.Before)
	if !here || !there {
		return ""
	}
	return fmt.Sprintf("\nassay diagnose %s %s --metric %s:%s@%s says which part of it moved", bad, good, a.Of.Metric, a.Of.Statistic, a.Of.Point)
}

// changedProblem is a change of a series as its alert tells it.
func changedProblem(a warehouse.Alert) alert.Problem {
	c, of := a.Change, unit.Unit(a.Of.Unit)
	return alert.Problem{
		Kind: alert.Changed, Of: a.SeriesID + "/" + c.FirstBad,
		Title: fmt.Sprintf("%s %s at %s changed by %+.1f %%, %s", a.Of.Metric, a.Of.Statistic, a.Of.Point, 100*c.Relative, c.State),
		Text: fmt.Sprintf("%s → %s: %s on %s, %s\nlast run before it %s, first run after it %s\nassay history %s:%s --workload %s says what differs between them",
			unit.Format(c.Before, of), unit.Format(c.After, of), a.Evidence, a.Of.System, a.Of.Testbed, c.LastGood, c.FirstBad, a.Of.Metric, a.Of.Statistic, a.Of.Name),
	}
}
