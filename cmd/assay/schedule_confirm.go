package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/alert"
	"assay/analysis/compare"
	"assay/analysis/gate"
	"assay/bundle"
	"assay/judge/pair"
	"assay/spec"
	"assay/suite/acts"
	"assay/timetable"
	"assay/warehouse"
)

// A suspect is an alert that is to be confirmed, with the runs that it speaks of.
type suspect struct {
	problem   alert.Problem
	key       string // of the metric or guard, as a gate calls it
	good, bad string // the last run before it and the first after it: digests, with @SIDE where there are several
	change    *warehouse.Alert
}

// confirmedBy is who closes an alert of the warehouse.
const confirmedBy = "assay schedule confirm"

// suspectOf finds the runs of a problem: a change of a series names its own, and a gate's are
// the baseline and the run that it judged.
func (m *scheduledMeasurer) suspectOf(ctx context.Context, w *warehouse.Warehouse, e timetable.Entry, p alert.Problem, digest string) (suspect, error) {
	s := suspect{problem: p, key: p.Of, bad: digest}
	if p.Kind == alert.Regressed {
		var err error
		s.good, err = baselineOf(ctx, w, e, digest)
		return s, err
	}
	list, err := w.Alerts(ctx)
	if err != nil {
		return s, err
	}
	i := slices.IndexFunc(list, func(a warehouse.Alert) bool { return changedProblem(a).Of == p.Of })
	if i < 0 {
		return s, fmt.Errorf("the warehouse has no alert %s any more", p.Of)
	}
	a, side := list[i], ""
	if a.Of.Side != "" {
		side = "@" + a.Of.Side
	}
	s.key, s.good, s.bad, s.change = compare.Key(a.Of.Metric, a.Of.Statistic, a.Of.Point), a.Before+side, a.Run+side, &a
	return s, nil
}

// confirmable leaves out what no second measurement would tell more about.
func confirmable(p alert.Problem) bool {
	return p.Kind == alert.Regressed && p.Of != "gate" || p.Kind == alert.Changed
}

// A secondLook is what a second measurement said about a suspect.
type secondLook struct {
	suspect
	verdict gate.Verdict // empty where it could not be made
	why     string       // in a sentence
}

// confirm measures the systems of suspects again and judges each. Those of one pair of runs
// share a measurement.
func (m *scheduledMeasurer) confirm(ctx context.Context, e timetable.Entry, folder string, list []suspect) (looks []secondLook) {
	measured := map[string]measuredAgain{}
	for _, s := range list {
		of := s.good + " " + s.bad
		again, known := measured[of]
		if !known {
			again = m.measureAgain(ctx, filepath.Join(folder, fmt.Sprintf("confirm-%d", len(measured)+1)), s.good, s.bad)
			measured[of] = again
		}
		looks = append(looks, m.judgeAgain(e, again, s))
	}
	return looks
}

// A measuredAgain is a second measurement of two systems, as the two sides of a gate.
type measuredAgain struct {
	baseline, candidate string
	how                 string // in blocks, or afresh
	run                 string
	err                 error
}

// measureAgain measures the systems of two runs in blocks. Where both documents start the same
// system, the good one is not there any more: then the new one alone is measured afresh, and
// compared with the run of the good one.
func (m *scheduledMeasurer) measureAgain(ctx context.Context, folder, good, bad string) (again measuredAgain) {
	fail := func(err error) measuredAgain { return measuredAgain{err: err} }
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fail(err)
	}
	dirs, err := m.dirs(ctx, good, bad)
	if err != nil {
		return fail(err)
	}
	var sides [2]compare.Side
	read := newReader(m.env, trustFlags{})
	for i, dir := range dirs {
		if sides[i], err = read.Side(dir); err != nil {
			return fail(err)
		}
	}
	one, err := compare.OneTarget(sides[0], sides[1])
	if err != nil {
		return fail(err)
	}
	write, how := func() ([]byte, error) { return compare.Again(sides[0], sides[1]) }, "in blocks"
	if one {
		write, how = func() ([]byte, error) { return compare.Alone(sides[1]) }, "afresh"
	}
	document, err := write()
	if err != nil {
		return fail(err)
	}
	j := timetable.Job{Folder: folder}
	started := m.carryOut(ctx, folder, document)
	kept, err := m.keep(context.WithoutCancel(ctx), j)
	if err = errors.Join(started, err); err == nil && kept.Status != bundle.Completed {
		err = fmt.Errorf("run %s is %s", kept.RunID, kept.Status)
	}
	if err != nil {
		return fail(errors.New(m.secrets.Hide(strings.TrimSpace(err.Error() + "\n" + m.logTail(j)))))
	}
	if dirs, err = m.dirs(context.WithoutCancel(ctx), good, kept.Digest); err != nil {
		return fail(err)
	}
	again = measuredAgain{baseline: dirs[0], candidate: dirs[1], how: how, run: kept.RunID}
	if !one {
		again.baseline, again.candidate = dirs[1]+"@"+spec.BaselineSide, dirs[1]+"@"+compare.AgainSide
	}
	return again
}

// dirs are the bundles of runs of the warehouse, with the sides that are named.
func (m *scheduledMeasurer) dirs(ctx context.Context, runs ...string) (list []string, err error) {
	w, err := warehouse.Open(ctx, m.place)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for _, run := range runs {
		digest, side, of := strings.Cut(run, "@")
		dir, err := w.Bundle(ctx, digest)
		if err != nil {
			return nil, err
		}
		if of {
			dir += "@" + side
		}
		list = append(list, dir)
	}
	return list, nil
}

// judgeAgain holds the second measurement to what the alert was raised by: the policy of the
// schedule, or half of the change of the series, which a system without it does not reach.
func (m *scheduledMeasurer) judgeAgain(e timetable.Entry, again measuredAgain, s suspect) secondLook {
	look := secondLook{suspect: s}
	fail := func(err error) secondLook {
		look.why = "not confirmed, for the two systems could not be measured again: " + m.secrets.Hide(err.Error())
		return look
	}
	if again.err != nil {
		return fail(again.err)
	}
	var policy spec.GatePolicy
	var err error
	if s.change != nil {
		policy = policyOfChange(*s.change)
	} else if policy, err = m.policy(e); err != nil {
		return fail(err)
	}
	in, err := newReader(m.env, trustFlags{ids: policy.Spec.TrustedKeys}).Gate(pair.GateAsk{Policy: policy, Baseline: again.baseline, Candidate: again.candidate})
	if err != nil {
		return fail(err)
	}
	r, err := gate.Judge(in)
	if err != nil {
		return fail(err)
	}
	verdict, reason := verdictOn(r, s.key)
	look.verdict = verdict
	words := map[gate.Verdict]string{gate.Regressed: "confirmed " + again.how, gate.NotWorse: "not seen " + again.how}[verdict]
	if again.how != "in blocks" && verdict != gate.NotWorse {
		// One run after another proves no regression, and nobody can make the good system take turns.
		look.verdict, words = "", "not confirmed, for the documents of both runs start one system and the good one is gone; measured "+again.how+" it is "+string(verdict)
	}
	look.why = fmt.Sprintf("%s: %s (run %s)", cmp.Or(words, "inconclusive "+again.how), reason, again.run)
	return look
}

func policyOfChange(a warehouse.Alert) spec.GatePolicy {
	uncontrolled := false
	one := spec.GatedMetric{Metric: a.Of.Metric, Statistic: a.Of.Statistic, Margin: min(1, max(a.Change.Relative, -a.Change.Relative)/2)}
	if a.Of.Point != "" {
		one.Points = []string{a.Of.Point}
	}
	policy, _ := spec.ResolvePolicy(spec.GatePolicy{
		APIVersion: spec.APIVersion, Kind: spec.KindGatePolicy, Metadata: spec.Metadata{Name: "half-of-the-change"},
		Spec: spec.GateDemands{Grade: "exploratory", Controlled: &uncontrolled, Metrics: []spec.GatedMetric{one}},
	})
	return policy
}

// verdictOn is what a gate says about a key of its metrics, guards or accuracy.
func verdictOn(r gate.Result, key string) (gate.Verdict, string) {
	for _, d := range r.Metrics {
		if d.Key == key {
			return d.Verdict, d.Reason
		}
	}
	for _, d := range r.Guards {
		if cmp.Or(d.Key, d.Guard) == key {
			return d.Verdict, d.Reason
		}
	}
	for _, d := range r.Accuracy {
		if d.Metric == key {
			return d.Verdict, d.Reason
		}
	}
	return gate.Missing, "the second measurement does not have it"
}

// confirmNew confirms what a run has shown and nobody was told of yet.
func (m *scheduledMeasurer) confirmNew(ctx context.Context, j timetable.Job, o *timetable.Outcome) {
	var list []suspect
	var rest []alert.Problem
	note := func(text string) { o.Note = strings.Trim(o.Note+"; "+text, "; ") }
	err := m.inWarehouse(ctx, func(w *warehouse.Warehouse) error {
		for _, p := range o.Problems {
			if !confirmable(p) || slices.Contains(j.Open, p.ID(j.Entry.Name)) {
				rest = append(rest, p)
				continue
			}
			s, err := m.suspectOf(ctx, w, j.Entry, p, o.Digest)
			if err != nil {
				return err
			}
			list = append(list, s)
		}
		return nil
	})
	if err != nil { // they are sent as they are
		note(err.Error())
		return
	}
	if len(list) == 0 {
		return
	}
	o.Problems, o.Looked = rest, append(o.Looked, alert.Inconclusive)
	for _, look := range m.confirm(ctx, j.Entry, j.Folder, list) {
		p := look.problem
		p.Text = look.why + "\n\n" + p.Text
		switch look.verdict {
		case gate.NotWorse:
			note(look.key + ": " + look.why)
			if err := m.dismiss(ctx, look); err != nil {
				note(err.Error())
			}
		case gate.Regressed, "":
			o.Problems = append(o.Problems, p)
		default: // nobody is woken for what two measurements see differently
			o.Undecided = append(o.Undecided, p)
			o.Problems = append(o.Problems, alert.Problem{Kind: alert.Inconclusive, Of: string(p.Kind) + "/" + p.Of, Title: look.key + ": " + "seen by the run and inconclusive in blocks", Text: p.Text})
			note(look.key + ": " + look.why)
		}
	}
}

func (m *scheduledMeasurer) inWarehouse(ctx context.Context, do func(*warehouse.Warehouse) error) error {
	w, err := warehouse.Open(ctx, m.place)
	if err != nil {
		return err
	}
	return errors.Join(do(w), w.Close())
}

// dismiss writes into the warehouse that a change of a series is none.
func (m *scheduledMeasurer) dismiss(ctx context.Context, look secondLook) (err error) {
	if look.change == nil {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	w, err := warehouse.OpenWriter(ctx, m.place)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	_, err = w.DecideAlert(ctx, look.change.SeriesID, warehouse.Decision{Mark: acts.Dismissed, Run: look.change.Run, Why: look.why, By: confirmedBy, At: time.Now()})
	return err
}
