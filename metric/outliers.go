package metric

import (
	"fmt"
	"math"
	"strings"

	"assay/plan"
	"assay/spec"
	"assay/stats"
	"assay/unit"
)

// Outliers is what trials.outlierPolicy found over the launches. Every launch is kept: a
// row of the estimates rests on all of them, whatever is marked here.
type Outliers struct {
	Method string `json:"method"` // as the plan has it
	Action string `json:"action"`

	// Fewest is the number of launches from which the method can mark one.
	Fewest int `json:"fewest"`

	Marked []Marked `json:"marked"`
}

// Marked is a row in which launches stand out, with its estimate as it is and without
// them.
type Marked struct {
	Metric    string         `json:"metric"` // definition id
	Statistic string         `json:"statistic"`
	Point     int            `json:"point"`
	Side      string         `json:"side,omitempty"`
	Beyond    string         `json:"beyond"` // which limit, in words, and how often normal launches lie there
	Launches  []LaunchValue  `json:"launches"`
	All       stats.Estimate `json:"all"`
	Without   stats.Estimate `json:"without"`
}

// outlierRules are the methods of trials.outlierPolicy.
var outlierRules = map[string][]stats.OutlierRule{
	"mad":               {stats.MADRule},
	"tukey_iqr":         {stats.TukeyRule},
	"tukey_iqr_and_mad": {stats.TukeyRule, stats.MADRule},
}

// leastMoved is the share of a result below which it does not matter whether a launch
// is in it: counts that differ by one stand out among equal ones.
const leastMoved = .001

// muchMoved is the share of a result from which on it matters: differences of that size
// are what people compare.
const muchMoved = .05

// markOutliers applies the plan's policy to every row.
func (e *Estimates) markOutliers(p plan.Plan) {
	policy := p.Trials().OutlierPolicy
	rules, ok := outlierRules[policy.Method]
	if !ok {
		return // a bundle from before the field
	}
	e.Outliers = &Outliers{Method: policy.Method, Action: policy.Action, Fewest: math.MaxInt, Marked: []Marked{}}
	for _, r := range rules {
		e.Outliers.Fewest = min(e.Outliers.Fewest, r.Fewest)
	}
	for i := range e.Rows {
		row := &e.Rows[i]
		if isShare(row.Metric) && !row.sharesDiffer() {
			continue // counts of few hits lie apart by chance, and no deviation of so few launches shows how far
		}
		marked, ok := row.marked(rules, e.reestimate(p, *row))
		if !ok {
			continue
		}
		e.Outliers.Marked = append(e.Outliers.Marked, marked)
		if math.Abs(marked.Without.Value-row.Value) > muchMoved*math.Abs(row.Value) {
			row.Warnings = append(row.Warnings, marked.warning(row.Unit))
		}
	}
}

// warning says that the interval is that of launches of one kind, and these are not.
func (m Marked) warning(u unit.Unit) string {
	var launches []string
	for _, v := range m.Launches {
		launches = append(launches, fmt.Sprint(v.Launch+1))
	}
	return fmt.Sprintf("launch %s stands out: %s without, and the interval holds for launches of one kind only", strings.Join(launches, ", "), unit.Format(m.Without.Value, u))
}

// marked looks for launches that stand out; false where there is none, or where it
// makes no difference.
func (r Row) marked(rules []stats.OutlierRule, estimate func([]LaunchValue) (stats.Estimate, error)) (Marked, bool) {
	var values []float64
	for _, v := range r.PerLaunch {
		values = append(values, v.Value)
	}
	marks, beyond := stats.Outlying(values, rules...)
	m := Marked{Metric: r.Metric, Statistic: r.Statistic, Point: r.Point, Side: r.Side, Beyond: beyond, All: r.Estimate}
	var rest []LaunchValue
	for i, v := range r.PerLaunch {
		if marks[i] == stats.Severe {
			m.Launches = append(m.Launches, v)
		} else {
			rest = append(rest, v)
		}
	}
	if len(m.Launches) == 0 || len(rest) == 0 {
		return m, false
	}
	var err error
	if m.Without, err = estimate(rest); err != nil {
		return m, false
	}
	if !r.Interval.Bounded() {
		m.Without.Interval, m.Without.Warnings = stats.Unbounded, r.Warnings
	}
	return m, math.Abs(m.Without.Value-m.All.Value) > leastMoved*math.Abs(m.All.Value)
}

// reestimate makes the estimate of a row again, from fewer launches, in the way that
// the row was made.
func (e *Estimates) reestimate(p plan.Plan, r Row) func([]LaunchValue) (stats.Estimate, error) {
	return func(values []LaunchValue) (stats.Estimate, error) {
		if isShare(r.Metric) {
			hits, trials := counted(values)
			return stats.ShareOverLaunches(hits, trials, e.Confidence)
		}
		m, ok := ByID(r.Metric)
		if !ok {
			return stats.Estimate{}, fmt.Errorf("%s: no such metric", r.Metric)
		}
		again, _, err := m.row(r.Point, r.Statistic, values, e.Confidence)
		if err != nil || p.Trials().Interval != spec.IntervalBootstrap {
			return again.Estimate, err
		}
		again.Side = r.Side
		e.resample(&again)
		return again.Estimate, nil
	}
}

// sharesDiffer says that the shares of the launches differ by more than chance.
func (r Row) sharesDiffer() bool {
	p, _ := stats.SharesDiffer(counted(r.PerLaunch))
	return p <= stats.SharesLevel
}

// counted is the shares of launches as the hits and trials that they were made of.
func counted(values []LaunchValue) (hits, trials []int) {
	for _, v := range values {
		hits, trials = append(hits, int(math.Round(v.Value*float64(v.N)))), append(trials, v.N)
	}
	return hits, trials
}
