package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Filter says which series are asked for. Empty fields fit everything.
type Filter struct {
	Metric   string // id or name, with a statistic behind a colon where it is not the usual one: ttft:p99
	Workload string // name of the run's document, digest of the workload or the beginning of one
	System   string // engine, or the beginning of it
	Testbed  string // name of the machine, or the beginning of it
	Point    string
	Side     string
	Since    time.Time
	Last     int // the most runs of a series, the newest ones; zero means 200

	// Bounded leaves out values without an interval: percentiles of too few requests
	// are shown to those who ask for them, and raise no alarm.
	Bounded bool
}

// A Series is one result over time: the same question to the same system on the same
// machine, measured by the same definition. Runs that differ in any of these are never
// one series.
type Series struct {
	Metric    string   `json:"metric"`
	Statistic string   `json:"statistic"`
	Unit      string   `json:"unit"`
	Better    string   `json:"better"`
	Name      string   `json:"name"` // of the newest run's document
	Workload  string   `json:"workload"`
	System    string   `json:"system"`
	Testbed   string   `json:"testbed"`
	Point     string   `json:"point"`
	Side      string   `json:"side,omitempty"`
	Values    []Value  `json:"values"` // the oldest first
	LeftOut   int      `json:"leftOut,omitempty"`
	Changes   []Change `json:"changes"`
	Outliers  []int    `json:"outliers,omitempty"` // places of values that lie apart from their level
	Noise     Noise    `json:"noise"`
}

// A Value is the result of one run.
type Value struct {
	RunID    string    `json:"runID"`
	Digest   string    `json:"digest"`
	At       time.Time `json:"at"`
	Value    float64   `json:"value"`
	Low      *float64  `json:"low"` // null where there is no bound
	High     *float64  `json:"high"`
	N        int       `json:"n"`  // launches, or items of a score
	CV       *float64  `json:"cv"` // between the launches of the run
	Accepted bool      `json:"accepted,omitempty"`
}

// ErrNoSeries says that nothing fits a filter.
var ErrNoSeries = errors.New("no such series in the warehouse")

// usualStatistics is which statistic is meant where none is named, the first that a
// metric has.
var usualStatistics = []string{"value", "score", "p50", "mean"}

// series reads those that fit.
func (w *Warehouse) series(ctx context.Context, f Filter) ([]Series, error) {
	name, statistic, _ := strings.Cut(f.Metric, ":")
	metrics, err := w.metricsCalled(ctx, name)
	if err != nil {
		return nil, err
	}
	var list []Series
	for _, metric := range metrics {
		usual := statistic
		if usual == "" {
			usual = metric.usual()
		}
		if !slices.Contains(metric.statistics, usual) {
			return nil, fmt.Errorf("%w: %s has no statistic %q, want one of %s", ErrNoSeries, metric.id, statistic, strings.Join(metric.statistics, ", "))
		}
		some, err := w.seriesOf(ctx, metric.id, usual, f)
		if err != nil {
			return nil, err
		}
		list = append(list, some...)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%w: no run of %s fits --workload, --system, --testbed and the others; assay query 'SELECT DISTINCT name, system, testbed FROM current_run' lists what there is", ErrNoSeries, name)
	}
	return list, nil
}

// A known is a metric that the catalogue has, with its statistics.
type known struct {
	id         string
	statistics []string
}

// version is that of the definition; 0 where it has none.
func (k known) version() int {
	_, text, _ := strings.Cut(k.id, ".v")
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

func (k known) usual() string {
	for _, s := range usualStatistics {
		if slices.Contains(k.statistics, s) {
			return s
		}
	}
	return k.statistics[0]
}

// metricsQuery finds the metrics that begin with a name, and their statistics. Each step looks
// for the next one in the index: reading all rows of a metric takes a second where there
// are a million.
const metricsQuery = `WITH RECURSIVE metrics (metric) AS (
	SELECT min(metric) FROM metric_fact WHERE metric >= ?1
	UNION ALL SELECT (SELECT min(f.metric) FROM metric_fact f WHERE f.metric > m.metric) FROM metrics m WHERE m.metric < ?1 || '.w'),
	pairs (metric, statistic) AS (
	SELECT m.metric, (SELECT min(f.statistic) FROM metric_fact f WHERE f.metric = m.metric) FROM metrics m
		WHERE m.metric = ?1 OR (substr(m.metric, 1, length(?1) + 2) = ?1 || '.v' AND substr(m.metric, length(?1) + 3) GLOB '[0-9]*')
	UNION ALL SELECT p.metric, (SELECT min(f.statistic) FROM metric_fact f WHERE f.metric = p.metric AND f.statistic > p.statistic) FROM pairs p WHERE p.statistic IS NOT NULL)
	SELECT metric, statistic FROM pairs WHERE statistic IS NOT NULL ORDER BY metric DESC, statistic`

// metricsCalled is the metric with an id, or the newest definition of the one with a name:
// values of two definitions are no series.
func (w *Warehouse) metricsCalled(ctx context.Context, name string) ([]known, error) {
	rows, err := w.db.QueryContext(ctx, metricsQuery, name)
	if err != nil {
		return nil, err
	}
	pairs, err := gather(rows, func(rows *sql.Rows) (p [2]string, err error) { return p, rows.Scan(&p[0], &p[1]) })
	if err != nil {
		return nil, err
	}
	var list []known
	for _, p := range pairs {
		if len(list) == 0 || list[len(list)-1].id != p[0] {
			list = append(list, known{id: p[0]})
		}
		list[len(list)-1].statistics = append(list[len(list)-1].statistics, p[1])
	}
	slices.SortStableFunc(list, func(a, b known) int { return b.version() - a.version() })
	list = list[:min(1, len(list))]
	if len(list) == 0 {
		return nil, fmt.Errorf("%w: no run has the metric %q; assay query 'SELECT DISTINCT metric, statistic FROM metric_fact' lists what there is", ErrNoSeries, name)
	}
	return list, nil
}

// A seriesRow is a value with what decides which series it belongs to.
type seriesRow struct {
	Series
	value  Value
	counts bool // completed, and nothing voids it
}

func (r seriesRow) key() [6]string {
	return [6]string{r.Metric, r.Workload, r.System, r.Testbed, r.Point, r.Side}
}

// seriesQuery goes from the runs that fit to their facts (CROSS JOIN keeps that order): the
// other way reads the facts of every run there is. Conditions that nobody asks for are left
// out, since no index helps with those that may be empty.
func (f Filter) seriesQuery(metric, statistic string) (string, []any) {
	q := `SELECT f.unit, f.better, r.name, r.workload_spec_digest, r.system, r.testbed, f.point_name, f.side,
	r.run_id, r.artifact_manifest_digest, r.created_ns, f.value, f.low, f.high, f.n, f.cv, r.status = 'completed' AND r.worst_finding <> 'void' AND (r.quick = 0 OR f.statistic = 'score'),
	EXISTS (SELECT 1 FROM act_fact a WHERE a.artifact_manifest_digest = r.artifact_manifest_digest AND a.act = 'accepted')
	FROM current_run r CROSS JOIN metric_fact f ON f.artifact_manifest_digest = r.artifact_manifest_digest
	WHERE f.metric = ? AND f.statistic = ? AND f.value IS NOT NULL`
	args := []any{metric, statistic}
	where := func(given bool, condition string, values ...any) {
		if given {
			q += " AND " + condition
			args = append(args, values...)
		}
	}
	digest := strings.TrimPrefix(f.Workload, "sha256:")
	where(!f.Since.IsZero(), `r.created_ns >= ?`, nanos(f.Since))
	where(f.Workload != "", `(r.name = ? OR r.workload_spec_digest >= ? AND r.workload_spec_digest < ?)`, f.Workload, "sha256:"+digest, "sha256:"+digest+"\U0010ffff")
	where(f.System != "", `substr(r.system, 1, length(?)) = ?`, f.System, f.System)
	where(f.Testbed != "", `substr(r.testbed, 1, length(?)) = ?`, f.Testbed, f.Testbed)
	where(f.Point != "", `f.point_name = ?`, f.Point)
	where(f.Side != "", `f.side = ?`, f.Side)
	where(f.Bounded, `f.low IS NOT NULL AND f.high IS NOT NULL`)
	return q + ` ORDER BY r.created_ns, r.artifact_manifest_digest, f.fact`, args
}

func (w *Warehouse) seriesOf(ctx context.Context, metric, statistic string, f Filter) ([]Series, error) {
	query, args := f.seriesQuery(metric, statistic)
	rows, err := w.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	all, err := gather(rows, func(rows *sql.Rows) (r seriesRow, err error) {
		var ns int64
		err = rows.Scan(&r.Unit, &r.Better, &r.Name, &r.Workload, &r.System, &r.Testbed, &r.Point, &r.Side,
			&r.value.RunID, &r.value.Digest, &ns, &r.value.Value, &r.value.Low, &r.value.High, &r.value.N, &r.value.CV, &r.counts, &r.value.Accepted)
		r.Metric, r.Statistic, r.value.At = metric, statistic, time.Unix(0, ns).UTC()
		return r, err
	})
	if err != nil {
		return nil, err
	}
	return intoSeries(all, f.Last), nil
}

// intoSeries sorts rows, which come in the order of time, into their series.
func intoSeries(rows []seriesRow, last int) []Series {
	if last == 0 {
		last = 200
	}
	var list []Series
	place := map[[6]string]int{}
	for _, r := range rows {
		i, there := place[r.key()]
		if !there {
			i = len(list)
			place[r.key()] = i
			s := r.Series
			s.Values, s.Changes = []Value{}, []Change{}
			list = append(list, s)
		}
		list[i].Name = r.Name
		if r.counts {
			list[i].Values = append(list[i].Values, r.value)
		} else {
			list[i].LeftOut++
		}
	}
	for i, s := range list {
		list[i].Values = s.Values[max(0, len(s.Values)-last):]
	}
	return list
}
