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

// An Alert is a change for the worse, with what people decided about it. It is a row of the
// catalogue from the run on that showed it, and stays open until somebody decides about it
// or the newest three runs lie in the level before it.
type Alert struct {
	SeriesID string `json:"series"`
	Run      string `json:"run"`    // digest of the first run after the change
	Before   string `json:"before"` // digest of the last run before it
	State    string `json:"state"`
	Why      string `json:"why,omitempty"`
	By       string `json:"by,omitempty"`

	Of       Series    `json:"of"` // with no values: assay history has them
	Change   Change    `json:"change"`
	At       time.Time `json:"at"`       // of that run
	Opened   time.Time `json:"opened"`   // when the run was made that showed it
	Evidence string    `json:"evidence"` // in a sentence
}

// Pending reports whether somebody should still look at it.
func (a Alert) Pending() bool { return a.State == AlertOpen || a.State == acts.Acknowledged }

// ID names a series for as long as the warehouse lives.
func (s Series) ID() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{s.Metric, s.Statistic, s.Workload, s.System, s.Testbed, s.Point, s.Side}, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// SeriesOf is the series that a result of a run belongs to.
func SeriesOf(r RunRow, f Figure) Series {
	return Series{Metric: f.Metric, Statistic: f.Statistic, Workload: r.Workload, System: r.System, Testbed: r.Testbed, Point: f.Point, Side: f.Side}
}

// WatchedMetrics are the results whose changes raise alerts: what users feel, and what a
// machine gives for its price.
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

// Watch reads the series of several metrics and finds their changes. Those that no run has
// are left out.
func (w *Warehouse) Watch(ctx context.Context, metrics []string, d Detection) ([]Series, error) {
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

// alertActs are the decisions about alerts by series, the oldest first.
func (w *Warehouse) alertActs(ctx context.Context) (map[string][]acts.Act, error) {
	rows, err := w.db.QueryContext(ctx, `SELECT at_ns, act, artifact_manifest_digest, why, by_whom, subject FROM act_fact WHERE act IN (?, ?, ?, ?) ORDER BY number`,
		acts.Acknowledged, acts.Fixed, acts.Dismissed, acts.Reopened)
	if err != nil {
		return nil, err
	}
	list, err := gather(rows, func(rows *sql.Rows) (a acts.Act, err error) {
		var ns int64
		err = rows.Scan(&ns, &a.Act, &a.Digest, &a.Why, &a.By, &a.Subject)
		a.At = time.Unix(0, ns).UTC()
		return a, err
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
	return act, errors.Join(w.readActs(ctx), w.look(ctx))
}
