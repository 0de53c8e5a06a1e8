package warehouse

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/suite/acts"
)

// AlertMarks lists what may be decided about an alert.
var AlertMarks = []Mark{
	{acts.Acknowledged, "somebody looks into it"},
	{acts.Fixed, "the cause is gone"},
	{acts.Dismissed, "it is meant, or it is no change"},
	{acts.Reopened, "nobody has decided about it any more"},
}

// AlertOpen is the state of an alert that nobody has decided about.
const AlertOpen = "open"

// An Alert is a change for the worse, with what people decided about it.
type Alert struct {
	SeriesID string `json:"series"`
	Run      string `json:"run"`    // digest of the first run after the change
	Before   string `json:"before"` // digest of the last run before it
	State    string `json:"state"`
	Why      string `json:"why,omitempty"`
	By       string `json:"by,omitempty"`

	Of     Series    `json:"of"` // with no values: assay history has them
	Change Change    `json:"change"`
	At     time.Time `json:"at"` // of that run
}

// Pending reports whether somebody should still look at it.
func (a Alert) Pending() bool { return a.State == AlertOpen || a.State == acts.Acknowledged }

// ID names a series for as long as the warehouse lives.
func (s Series) ID() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{s.Metric, s.Statistic, s.Workload, s.System, s.Testbed, s.Point, s.Side}, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// WatchedMetrics are the results whose changes raise alerts: what users feel, and what a
// machine gives for its price. They share alpha, so that each one more makes all of them
// slower to find something.
var WatchedMetrics = []string{"ttft:p50", "ttft:p99", "tpot:p50", "e2e:p50", "e2e:p99", "output_throughput", "step_time:p50", "training_tokens"}

// Watched are the results of a run among those of WatchedMetrics, by their newest definition.
func Watched(figures []Figure) (list []Figure) {
	for _, watched := range WatchedMetrics {
		name, statistic, _ := strings.Cut(watched, ":")
		var newest known
		for _, f := range figures {
			metric := known{id: f.Metric}
			if plain, _, _ := strings.Cut(f.Metric, ".v"); plain != name || newest.id != "" && metric.version() < newest.version() {
				continue
			}
			if f.Metric != newest.id {
				newest = metric
			}
			newest.statistics = append(newest.statistics, f.Statistic)
		}
		if newest.id == "" {
			continue
		}
		statistic = cmp.Or(statistic, newest.usual())
		for _, f := range figures {
			if f.Metric == newest.id && f.Statistic == statistic {
				list = append(list, f)
			}
		}
	}
	return list
}

// Watch reads the series of several metrics and finds their changes. The metrics share
// alpha. Those that no run has are left out.
func (w *Warehouse) Watch(ctx context.Context, metrics []string, d Detection) ([]Series, error) {
	d = d.withDefaults()
	d.Alpha /= float64(max(1, len(metrics)))
	var list []Series
	for _, metric := range metrics {
		h, err := w.watched(ctx, Filter{Metric: metric, Bounded: true}, d)
		if errors.Is(err, ErrNoSeries) {
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, h.Series...)
	}
	return list, nil
}

// near is by how many runs a change may move when later runs come, and still be the one
// that somebody decided about.
const near = 2

// Alerts are the changes for the worse of series, the newest first, with their states.
func (w *Warehouse) Alerts(ctx context.Context, series []Series) ([]Alert, error) {
	decided, err := w.alertActs(ctx)
	if err != nil {
		return nil, err
	}
	list := []Alert{}
	for _, s := range series {
		for _, c := range s.Changes {
			if !c.Worse {
				continue
			}
			a := Alert{SeriesID: s.ID(), Run: s.Values[c.At].Digest, Before: s.Values[c.At-1].Digest, State: AlertOpen, Of: s, Change: c, At: s.Values[c.At].At}
			a.Of.Values, a.Of.Changes = nil, nil
			if c.State == Settled {
				a.State = Settled
			}
			for _, act := range decided[a.SeriesID] {
				at := slices.IndexFunc(s.Values, func(v Value) bool { return v.Digest == act.Digest })
				if at < 0 || at < c.At-near || at > c.At+near {
					continue
				}
				a.State, a.Why, a.By = act.Act, act.Why, act.By
				if act.Act == acts.Reopened {
					a.State = AlertOpen
				}
			}
			list = append(list, a)
		}
	}
	slices.SortStableFunc(list, func(a, b Alert) int { return b.At.Compare(a.At) })
	return list, nil
}

// alertActs are the decisions about alerts by series, the oldest first.
func (w *Warehouse) alertActs(ctx context.Context) (map[string][]acts.Act, error) {
	rows, err := w.db.QueryContext(ctx, `SELECT act, artifact_manifest_digest, why, by_whom, subject FROM act_fact WHERE act IN (?, ?, ?, ?) ORDER BY number`,
		acts.Acknowledged, acts.Fixed, acts.Dismissed, acts.Reopened)
	if err != nil {
		return nil, err
	}
	list, err := gather(rows, func(rows *sql.Rows) (a acts.Act, err error) {
		return a, rows.Scan(&a.Act, &a.Digest, &a.Why, &a.By, &a.Subject)
	})
	bySeries := map[string][]acts.Act{}
	for _, a := range list {
		bySeries[a.Subject] = append(bySeries[a.Subject], a)
	}
	return bySeries, err
}

// DecideAlert writes down what somebody decides about the alert of a series at a run.
func (w *Warehouse) DecideAlert(ctx context.Context, series string, d Decision) (acts.Act, error) {
	if !slices.ContainsFunc(AlertMarks, func(m Mark) bool { return m.Name == d.Mark }) {
		return acts.Act{}, fmt.Errorf("%w: %q is no state of an alert, want acknowledged, fixed, not a regression or reopened", ErrDecision, d.Mark)
	}
	if raw, err := hex.DecodeString(series); err != nil || len(raw) != 8 {
		return acts.Act{}, fmt.Errorf("%w: %q names no series", ErrDecision, series)
	}
	run, err := w.Find(ctx, d.Run)
	if err != nil {
		return acts.Act{}, err
	}
	act := acts.Act{At: d.At.UTC(), Act: d.Mark, Subject: series, Digest: run.Digest, Why: d.Why, By: d.By}
	if err := act.Valid(); err != nil {
		return act, fmt.Errorf("%w: %w", ErrDecision, err)
	}
	if err := acts.Append(filepath.Join(w.dir, actsFile), act); err != nil {
		return act, err
	}
	return act, w.readActs(ctx)
}
