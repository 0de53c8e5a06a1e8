package warehouse

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"assay/analysis/gate"
	"assay/stats"
	"assay/suite/acts"
)

// GatesFile is where, in a warehouse, schedules remember the verdicts of their gates.
const GatesFile = "gates.jsonl"

// GatesPath is the file of the gates of the schedules that keep their runs in this warehouse.
func (w *Warehouse) GatesPath() string { return filepath.Join(w.dir, GatesFile) }

// A Week says how often assay alarmed about nothing in a week, and how long it took to alarm
// about something.
type Week struct {
	Monday time.Time `json:"monday"` // UTC

	// Gates are those that were asked about a system and itself, whose every alarm is a false
	// one; Rate is nil where there is none.
	Gates  int             `json:"gates"`
	Alarms int             `json:"alarms"`
	Rate   *stats.Estimate `json:"rate,omitempty"`

	// Opened are the alerts about series that opened. Those that somebody dismissed, or that
	// the rule closed because the series came back by itself, count as false; False is
	// their share, nil where none opened.
	Opened    int             `json:"opened"`
	Dismissed int             `json:"dismissed"`
	Closed    int             `json:"closed"`
	False     *stats.Estimate `json:"false,omitempty"`

	// The delay of the alerts that are not false, from the first bad run to the one that
	// showed it, which counts; nil where there is none.
	DelayRuns   *Delay `json:"delayRuns,omitempty"`
	DelayHours  *Delay `json:"delayHours,omitempty"`
	runs, hours []float64
}

// A Delay is the middle and the longest of several.
type Delay struct {
	Median  float64 `json:"median"`
	Longest float64 `json:"longest"`
}

func delayOf(xs []float64) *Delay {
	if len(xs) == 0 {
		return nil
	}
	return &Delay{stats.Middle(xs), slices.Max(xs)}
}

// ShareText is a share with its interval.
func ShareText(e *stats.Estimate) string {
	if e == nil {
		return "–"
	}
	return fmt.Sprintf("%.0f %% [%.0f, %.0f]", 100*e.Value, 100*e.Interval.Lo, 100*e.Interval.Hi)
}

// DelayText is the middle of delays and the longest.
func DelayText(d *Delay) string {
	if d == nil {
		return "–"
	}
	return fmt.Sprintf("%.3g, at most %.3g", d.Median, d.Longest)
}

// monday is that of the week of a time.
func monday(t time.Time) time.Time {
	day := t.UTC().Truncate(24 * time.Hour)
	return day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
}

// Weeks are those in which a gate was asked about a system and itself or an alert opened, the
// newest first.
func (w *Warehouse) Weeks(ctx context.Context) ([]Week, error) {
	byMonday := map[time.Time]*Week{}
	week := func(t time.Time) *Week {
		at := monday(t)
		if byMonday[at] == nil {
			byMonday[at] = &Week{Monday: at}
		}
		return byMonday[at]
	}
	gates, err := gate.ReadHistory(w.GatesPath())
	if err != nil {
		return nil, err
	}
	for _, e := range gates {
		if e.Same {
			week(e.Time).gate(len(e.Alerts) > 0)
		}
	}
	rows, err := w.db.QueryContext(ctx, `SELECT state, at_ns, opened_ns, (SELECT count(*) FROM current_run r WHERE r.workload_spec_digest = a.workload_spec_digest
		AND r.system = a.system AND r.testbed = a.testbed AND r.created_ns BETWEEN a.at_ns AND a.opened_ns) FROM alert a`)
	if err != nil {
		return nil, err
	}
	_, err = gather(rows, func(rows *sql.Rows) (none struct{}, err error) {
		var state string
		var at, opened int64
		var runs float64
		if err := rows.Scan(&state, &at, &opened, &runs); err != nil {
			return none, err
		}
		week(time.Unix(0, opened)).alert(state, runs, time.Duration(opened-at))
		return none, nil
	})
	if err != nil {
		return nil, err
	}
	list := []Week{}
	for _, one := range byMonday {
		if err := one.sum(); err != nil {
			return nil, err
		}
		list = append(list, *one)
	}
	slices.SortFunc(list, func(a, b Week) int { return b.Monday.Compare(a.Monday) })
	return list, nil
}

func (k *Week) gate(alarmed bool) {
	k.Gates++
	if alarmed {
		k.Alarms++
	}
}

func (k *Week) alert(state string, runs float64, delay time.Duration) {
	k.Opened++
	switch state {
	case acts.Dismissed:
		k.Dismissed++
	case Recovered:
		k.Closed++
	default:
		k.runs, k.hours = append(k.runs, runs), append(k.hours, delay.Hours())
	}
}

func (k *Week) sum() error {
	share := func(hits, of int) (*stats.Estimate, error) {
		if of == 0 {
			return nil, nil
		}
		e, err := stats.Proportion(hits, of, .95)
		return &e, err
	}
	var err error
	if k.Rate, err = share(k.Alarms, k.Gates); err != nil {
		return err
	}
	k.False, err = share(k.Dismissed+k.Closed, k.Opened)
	k.DelayRuns, k.DelayHours = delayOf(k.runs), delayOf(k.hours)
	return err
}
