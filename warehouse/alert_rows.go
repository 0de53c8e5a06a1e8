package warehouse

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/stats"
	"assay/suite/acts"
	"assay/unit"
)

// near is by how many runs a change may lie apart from the run that a decision names, or move
// when older runs are kept late, and still be the same.
const near = 2

// mostLooked is how many runs of a series are gone through, the newest ones.
const mostLooked = 2000

const alertColumns = `series, artifact_manifest_digest, before_digest, at_ns, opened_ns, metric, statistic, unit, better, name, workload_spec_digest, system, testbed, point_name, side,
	change_json, evidence, state, why, by_whom, kind, direction, level_centre, level_spread, level_n, after_value, p, method`

// Alerts are all of them, the newest first.
func (w *Warehouse) Alerts(ctx context.Context) ([]Alert, error) {
	rows, err := w.db.QueryContext(ctx, `SELECT `+strings.Split(alertColumns, ", kind")[0]+` FROM alert ORDER BY at_ns DESC, series, artifact_manifest_digest`)
	if err != nil {
		return nil, err
	}
	list, err := gather(rows, scanAlert)
	return append([]Alert{}, list...), err
}

func scanAlert(rows *sql.Rows) (a Alert, err error) {
	var at, opened int64
	var change string
	s := &a.Of
	err = rows.Scan(&a.SeriesID, &a.Run, &a.Before, &at, &opened, &s.Metric, &s.Statistic, &s.Unit, &s.Better, &s.Name, &s.Workload, &s.System, &s.Testbed, &s.Point, &s.Side,
		&change, &a.Evidence, &a.State, &a.Why, &a.By)
	a.At, a.Opened = time.Unix(0, at).UTC(), time.Unix(0, opened).UTC()
	a.Change.Alert = a.State
	return a, errors.Join(err, json.Unmarshal([]byte(change), &a.Change))
}

func (x *indexer) alert(a Alert) {
	change := a.Change
	change.Alert = "" // the column says it
	text, err := json.Marshal(change)
	x.err = errors.Join(x.err, err)
	s, c := a.Of, a.Change
	x.exec(`INSERT OR REPLACE INTO alert (`+alertColumns+`) VALUES (`+places(28)+`)`,
		a.SeriesID, a.Run, a.Before, a.At.UnixNano(), a.Opened.UnixNano(), s.Metric, s.Statistic, s.Unit, s.Better, s.Name, s.Workload, s.System, s.Testbed, s.Point, s.Side,
		string(text), a.Evidence, a.State, a.Why, a.By, c.Kind, "worse", finite(c.Level.Centre), finite(c.Level.Spread), c.Level.N, finite(c.After), finite(c.P), c.Method)
}

// look goes through the series of the runs that were kept or decided about since the last
// time, as one who looked after every run: what they saw is written down, and what they wrote
// is held against the runs that came. It is done for good or not at all.
func (w *Warehouse) look(ctx context.Context) error {
	var waiting int
	if err := w.db.QueryRowContext(ctx, `SELECT count(*) FROM unlooked`).Scan(&waiting); err != nil || waiting == 0 {
		return err
	}
	series, err := w.unlooked(ctx)
	if err != nil {
		return err
	}
	decided, err := w.alertActs(ctx)
	if err != nil {
		return err
	}
	known, err := w.Alerts(ctx)
	if err != nil {
		return err
	}
	return w.inside(ctx, func(tx *sql.Tx) error {
		x := &indexer{ctx: ctx, tx: tx}
		for _, s := range series {
			id := s.ID()
			before := slices.DeleteFunc(slices.Clone(known), func(a Alert) bool { return a.SeriesID != id })
			list, err := s.alerts(before, decided[id])
			x.err = errors.Join(x.err, err)
			for _, a := range list {
				x.alert(a)
			}
		}
		x.exec(`DELETE FROM unlooked`)
		return x.err
	})
}

// unlooked are the watched series that runs were added to, or decided about.
func (w *Warehouse) unlooked(ctx context.Context) (list []Series, err error) {
	for _, watched := range WatchedMetrics {
		name, statistic, _ := strings.Cut(watched, ":")
		metrics, err := w.metricsCalled(ctx, name)
		if errors.Is(err, ErrNoSeries) {
			continue
		}
		if err != nil {
			return nil, err
		}
		metric := metrics[0]
		statistic = cmp.Or(statistic, metric.usual())
		rows, err := w.db.QueryContext(ctx, `SELECT DISTINCT r.workload_spec_digest, r.system, r.testbed FROM unlooked u JOIN benchmark_run_fact r USING (artifact_manifest_digest)
			WHERE EXISTS (SELECT 1 FROM metric_fact f WHERE f.metric = ? AND f.statistic = ? AND f.artifact_manifest_digest = r.artifact_manifest_digest)`, metric.id, statistic)
		if err != nil {
			return nil, err
		}
		groups, err := gather(rows, func(rows *sql.Rows) (g [3]string, err error) { return g, rows.Scan(&g[0], &g[1], &g[2]) })
		if err != nil {
			return nil, err
		}
		for _, g := range groups {
			some, err := w.seriesOf(ctx, metric.id, statistic, Filter{Workload: g[0], System: g[1], Testbed: g[2], Bounded: true, Last: mostLooked})
			if err != nil {
				return nil, err
			}
			list = append(list, slices.DeleteFunc(some, func(s Series) bool { return s.System != g[1] || s.Testbed != g[2] })...)
		}
	}
	return list, nil
}

// alerts are those of a series: the ones that are remembered, as far as they are, and those
// that its runs raise since.
func (s Series) alerts(known []Alert, decided []acts.Act) ([]Alert, error) {
	if err := s.detect(Detection{}.withDefaults(), func(xs []float64) ([]Change, error) { return Detection{}.Steps(xs), nil }); err != nil {
		return known, fmt.Errorf("look for changes of %s %s of %s: %w", s.Metric, s.Statistic, s.Name, err)
	}
	list := slices.Clone(known)
	for _, c := range s.Changes {
		if !c.Worse {
			continue
		}
		if i := slices.IndexFunc(list, func(a Alert) bool { p := s.place(a.Run); return p >= 0 && abs(p-c.At) <= near }); i >= 0 {
			list[i].follow(c)
			continue
		}
		if i := s.whole(list, c); i >= 0 && !s.closed(list[i], c, decided) {
			list[i].Change.takes(c)
			list[i].Evidence = s.goesOn(list[i].Evidence, c)
			continue
		}
		a := Alert{SeriesID: s.ID(), Run: s.Values[c.At].Digest, Before: s.Values[c.At-1].Digest, State: AlertOpen, Of: s, Change: c, At: s.Values[c.At].At, Opened: s.Values[c.Seen].At}
		a.Of.Values, a.Of.Changes, a.Of.Outliers = nil, nil, nil
		a.Evidence = s.evidence(c)
		list = append(list, a)
	}
	for i := range list {
		s.decide(&list[i], decided)
	}
	return list, nil
}

// place is that of a run among the values; -1 where it is not one of them.
func (s Series) place(digest string) int {
	return slices.IndexFunc(s.Values, func(v Value) bool { return v.Digest == digest })
}

// follow takes from a change what later runs add to it. The level before, and what was seen,
// stay as they were.
func (a *Alert) follow(c Change) {
	a.Change.After, a.Change.State, a.Change.over = c.After, c.State, c.over
	a.Change.Relative = c.After/a.Change.Before - 1
	if !c.Part {
		a.Change.Kind = c.Kind
	}
}

// decide gives an alert the state that follows from what people decided and from the runs.
func (s Series) decide(a *Alert, decided []acts.Act) {
	at := s.place(a.Run)
	wasOver := a.State == Recovered && a.Change.Kind != stats.SwitchStep
	a.State, a.Why, a.By = AlertOpen, "", ""
	over := s.overAt(*a)
	switch {
	case over != "" || wasOver:
		a.State, a.By = Recovered, "rule"
		a.Why = fmt.Sprintf("the newest %d runs lay in the level before it again, around %s", stats.FewestBack, unit.Format(a.Change.Level.Centre, unit.Unit(s.Unit)))
	case at >= 0 && slices.ContainsFunc(s.Values[at:], func(v Value) bool { return v.Accepted }):
		a.State = Settled
	}
	for _, act := range decided {
		if p := s.place(act.Digest); act.Digest != a.Run && (p < 0 || at < 0 || abs(p-at) > near) {
			continue
		}
		switch {
		case act.Act == acts.Reopened:
			a.State, a.Why, a.By = AlertOpen, act.Why, act.By
		case act.Act != acts.Acknowledged || a.State != Recovered:
			a.State, a.Why, a.By = act.Act, act.Why, act.By
		}
	}
}

// overAt is the run that showed that an alert is over; empty where none did. Two modes are
// not over while the runs are in the better one.
func (s Series) overAt(a Alert) string {
	if a.Change.Kind == stats.SwitchStep {
		return ""
	}
	if a.Change.over > 0 {
		return s.Values[a.Change.over].Digest
	}
	n := len(s.Values)
	if n < stats.FewestBack || a.Change.State == Recovered {
		return ""
	}
	var newest []float64
	for _, v := range s.Values[n-stats.FewestBack:] {
		if !v.At.After(a.Opened) {
			return ""
		}
		newest = append(newest, v.Value)
	}
	if !slices.ContainsFunc(s.Changes, func(c Change) bool { return s.Values[c.At].Digest == a.Run }) && a.Change.Level.Holds(newest, a.Change.After) {
		return s.Values[n-1].Digest // of a change that the runs that are left would not show
	}
	return ""
}

// remembered adds to series what their alerts remember of changes, also of those that the
// runs that are shown do not show.
func (w *Warehouse) remembered(ctx context.Context, list []Series) error {
	all, err := w.Alerts(ctx)
	if err != nil {
		return err
	}
	bySeries := map[string][]Alert{}
	for _, a := range all {
		bySeries[a.SeriesID] = append(bySeries[a.SeriesID], a)
	}
	for i := range list {
		s := &list[i]
		for _, a := range bySeries[s.ID()] {
			at := slices.IndexFunc(s.Values, func(v Value) bool { return v.Digest == a.Run })
			if at < 1 {
				continue // it is older than what is shown
			}
			same := slices.IndexFunc(s.Changes, func(c Change) bool { return c.Worse && c.State != Hindsight && abs(c.At-at) <= near })
			if same < 0 {
				c := a.Change
				c.At, c.LastGood, c.FirstBad, same = at, s.Values[at-1].RunID, s.Values[at].RunID, len(s.Changes)
				s.Changes = append(s.Changes, c)
			}
			s.Changes[same].Alert = a.State
			for k := range s.Changes {
				if c := &s.Changes[k]; c.Part && c.Alert == "" && c.Root == s.Changes[same].At {
					c.Alert = a.State
				}
			}
		}
		slices.SortStableFunc(s.Changes, func(a, b Change) int { return a.At - b.At })
	}
	return nil
}
