package metric

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"assay/bundle"
	"assay/plan"
	"assay/record"
	"assay/stats"
	"assay/unit"
)

// Estimates is what a bundle's records say: derived/VERSION/estimates.json.
type Estimates struct {
	Version string `json:"version"` // of this format
	Code    string `json:"code"`    // version of the program that computed it

	// Definitions is the set of metrics that it computes.
	Definitions string `json:"definitions,omitempty"`

	RunID      string     `json:"runID"`
	Confidence float64    `json:"confidence"`
	Launches   []int      `json:"launches"` // those the estimates rest on
	LeftOut    []LeftOut  `json:"leftOut,omitempty"`
	Partial    []LeftOut  `json:"partial,omitempty"` // launches that were ended, of which only the finished points count
	Rows       []Row      `json:"rows"`
	Outcomes   []Outcomes `json:"outcomes"`
	Counts     []Count    `json:"counts,omitempty"`   // tokens by assay's count and by the server's
	Readings   []Readings `json:"readings,omitempty"` // beside the points
	Repeats    []Repeats  `json:"repeats,omitempty"`  // requests of an import that repeat others
	Jobs       []Job      `json:"jobs,omitempty"`     // where the time of training jobs went, launch by launch

	// External is what the sessions of points called and how long they waited for it; absent
	// where they call no tool.
	External []External `json:"external,omitempty"`

	// Outliers is what the declared policy found over the launches; nil where the plan
	// declares none.
	Outliers *Outliers `json:"outliers,omitempty"`

	// Paired holds what candidates and baseline say side by side, in a run that
	// has candidates.
	Paired []Paired `json:"paired,omitempty"`
}

// EstimatesVersion is the version of the format of estimates.json.
const EstimatesVersion = "1.4"

// A LeftOut names a launch that no estimate rests on, and why.
type LeftOut struct {
	Launch int    `json:"launch"`
	Reason string `json:"reason"`
}

// A Row is one statistic of one metric at one point.
type Row struct {
	Metric    string    `json:"metric"` // definition id
	Name      string    `json:"name"`
	Statistic string    `json:"statistic"` // mean, p50 … p99.9, sd, min, max, or value
	Unit      unit.Unit `json:"unit"`
	Better    Direction `json:"better"`
	Point     int       `json:"point"` // -1 for the launch as a whole
	stats.Estimate

	// CV is the spread of the launches relative to their mean; null for fewer
	// than two.
	CV *float64 `json:"cv"`

	// PerLaunch is what each launch gave, in the order of Estimates.Launches.
	PerLaunch []LaunchValue `json:"perLaunch"`

	// Side is which system the row is about; empty in a run of one side.
	Side string `json:"side,omitempty"`

	// Void is the check that forbids the row, in a report; estimates are made before
	// anything is checked and leave it empty.
	Void string `json:"void,omitempty"`
}

// A LaunchValue is one replicate.
type LaunchValue struct {
	Launch int     `json:"launch"`
	Value  float64 `json:"value"`
	N      int     `json:"n"` // values inside the launch that it summarises
}

// Outcomes counts how the measured requests of a point ended, over all launches.
type Outcomes struct {
	Point  int                    `json:"point"`
	Counts map[record.Outcome]int `json:"counts"`
	Side   string                 `json:"side,omitempty"` // empty in a run of one side
}

// A statistic summarises the values of one launch.
type statistic struct {
	name     string
	quantile float64 // zero means the mean

	// spread computes one that only metrics with Spread have; nil for the others.
	spread func(sorted []float64) float64
}

// statistics lists them all; those of the spread come last.
var statistics = []statistic{
	{name: "mean"}, {name: "p50", quantile: .5}, {name: "p90", quantile: .9}, {name: "p95", quantile: .95}, {name: "p99", quantile: .99}, {name: "p99.9", quantile: .999},
	{name: "sd", spread: func(sorted []float64) float64 { return stat.StdDev(sorted, nil) }},
	{name: "min", spread: func(sorted []float64) float64 { return sorted[0] }},
	{name: "max", spread: func(sorted []float64) float64 { return sorted[len(sorted)-1] }},
}

// OfSpread reports whether a statistic says how values scatter. Such ones describe a
// run; two runs are not held against each other by them.
func OfSpread(name string) bool {
	return slices.ContainsFunc(statistics, func(s statistic) bool { return s.name == name && s.spread != nil })
}

func newEstimates(b *bundle.Bundle, p plan.Plan, code string) Estimates {
	return Estimates{
		Version: EstimatesVersion, Code: code, Definitions: Definitions(), RunID: b.Manifest.RunID,
		Confidence: p.Trials().ConfidenceLevel,
		Launches:   []int{}, Rows: []Row{}, Outcomes: []Outcomes{},
	}
}

// gather makes rows of what the launches gave.
func (e *Estimates) gather(b *bundle.Bundle, p plan.Plan, launches []judgedLaunch) error {
	split := map[string][]judgedLaunch{} // by the side that was measured
	for _, l := range launches {
		split[l.side] = append(split[l.side], l)
	}
	for _, side := range sidesOf(p) {
		if err := errors.Join(e.add(p, side.Name, split[side.Name]), e.once(side.Name, split[side.Name]), e.reliability(b, p, side.Name, split[side.Name])); err != nil {
			return err
		}
	}
	e.bootstrap(p)
	e.dropUnknown(b.Manifest, p)
	e.discount()
	e.markOutliers(p)
	var err error
	e.Paired, err = compare(b, p, e.Rows, e.Confidence)
	return err
}

// add computes every metric of every point over the launches of one side.
func (e *Estimates) add(p plan.Plan, side string, launches []judgedLaunch) error {
	for _, point := range p.Points {
		samples := atPoint(launches, point.Index)
		if len(samples) == 0 {
			continue
		}
		for i, m := range All {
			if !m.About(point.Kind()) || !m.Has(p.Workload()) {
				continue
			}
			rows, err := m.rows(i, point.Index, samples, e.Confidence)
			if err != nil {
				return fmt.Errorf("%s at %s: %w", m.ID, point.Name, err)
			}
			for i := range rows {
				rows[i].Side = side
			}
			e.Rows = append(e.Rows, rows...)
		}
		counted := Outcomes{Point: point.Index, Counts: map[record.Outcome]int{}, Side: side}
		for _, s := range samples {
			for result, n := range s.outcomes {
				counted.Counts[result] += n
			}
		}
		e.Outcomes = append(e.Outcomes, counted)
		for _, c := range sumCounts(samples) {
			c.Point, c.Side = point.Index, side
			e.Counts = append(e.Counts, c)
		}
		for _, s := range samples {
			if s.job != nil {
				e.Jobs = append(e.Jobs, *s.job)
			}
		}
		calls, err := externals(samples, e.Confidence)
		if err != nil {
			return fmt.Errorf("%s: %w", point.Name, err)
		}
		for _, c := range calls {
			c.Point, c.Side = point.Index, side
			e.External = append(e.External, c)
		}
		read := readings(point.Index, samples)
		read.Side = side
		e.Readings = append(e.Readings, read)
	}
	return nil
}

// Of is the part of the estimates that is about one side.
func (e Estimates) Of(side string) Estimates {
	e.Rows = slices.DeleteFunc(slices.Clone(e.Rows), func(r Row) bool { return r.Side != side })
	e.Outcomes = slices.DeleteFunc(slices.Clone(e.Outcomes), func(o Outcomes) bool { return o.Side != side })
	e.Counts = slices.DeleteFunc(slices.Clone(e.Counts), func(c Count) bool { return c.Side != side })
	e.Readings = slices.DeleteFunc(slices.Clone(e.Readings), func(r Readings) bool { return r.Side != side })
	e.External = slices.DeleteFunc(slices.Clone(e.External), func(x External) bool { return x.Side != side })
	e.Jobs = slices.DeleteFunc(slices.Clone(e.Jobs), func(j Job) bool { return j.Side != side })
	return e
}

func leftOut(info bundle.LaunchInfo) LeftOut {
	reason := string(info.Outcome)
	if reason == "" {
		reason = "never ended"
	}
	if info.Reason != "" {
		reason += ": " + info.Reason
	}
	return LeftOut{info.Index, reason}
}

func atPoint(launches []judgedLaunch, index int) []judgedPoint {
	var list []judgedPoint
	for _, l := range launches {
		for _, p := range l.points {
			if p.point.Index == index {
				list = append(list, p)
			}
		}
	}
	return list
}

// rows computes every statistic of m, which has the given place in All, at one
// point.
func (m Metric) rows(place, point int, samples []judgedPoint, confidence float64) ([]Row, error) {
	switch m.Of.(type) {
	case Once, Together:
		return nil, nil // it belongs to no point, or to none alone
	case Share:
		return m.share(place, point, samples, confidence)
	case Whole:
		return m.whole(place, point, samples, confidence)
	}
	var rows []Row
	for i, st := range statistics {
		if st.spread != nil && !m.Spread {
			continue
		}
		var values []LaunchValue
		fewest, off, top := math.MaxInt, 0.0, 0.0
		for _, s := range samples {
			d := s.results[place].distribution
			if d.n == 0 || math.IsNaN(d.values[i]) { // one value has no deviation
				continue
			}
			fewest, off, top = min(fewest, d.requests), max(off, d.error), top+d.top
			values = append(values, LaunchValue{s.launch, d.values[i], d.n})
		}
		row, ok, err := m.row(point, st.name, values, confidence)
		if err != nil {
			return nil, err
		}
		if ok {
			if warning := stats.HeavyTail(top/float64(len(values)), fewest); st.name == "mean" && warning != "" {
				row.Warnings = append(row.Warnings, warning)
			}
			rows = append(rows, st.sketched(st.certify(row, m.counted(), fewest, confidence), off))
		}
	}
	return rows, nil
}

func (m Metric) whole(place, point int, samples []judgedPoint, confidence float64) ([]Row, error) {
	var values []LaunchValue
	for _, s := range samples {
		if one := s.results[place]; one.known {
			values = append(values, LaunchValue{s.launch, one.value, 1})
		}
	}
	row, ok, err := m.row(point, "value", values, confidence)
	if !ok || err != nil {
		return nil, err
	}
	return []Row{row}, nil
}

// share estimates a proportion from the counts of the launches: launches that all saw
// no error must not claim that there are none, and those that differ by more than
// counting explains must not be pooled as if they did not.
func (m Metric) share(place, point int, samples []judgedPoint, confidence float64) ([]Row, error) {
	var values []LaunchValue
	var hits, trials []int
	for _, s := range samples {
		if one := s.results[place]; one.known {
			values = append(values, LaunchValue{s.launch, float64(one.hits) / float64(one.trials), one.trials})
			hits, trials = append(hits, one.hits), append(trials, one.trials)
		}
	}
	row, ok, err := m.row(point, "value", values, confidence)
	if !ok || err != nil {
		return nil, err
	}
	row.Estimate, err = stats.ShareOverLaunches(hits, trials, confidence)
	return []Row{row}, err
}

// sketched says that the percentiles inside the launches are off by so much of
// themselves at most; zero means that they are exact. Means are exact anyway.
func (st statistic) sketched(row Row, off float64) Row {
	if st.quantile > 0 && off > 0 {
		row.Warnings = append(row.Warnings, fmt.Sprintf("the launches' percentiles come from a sketch and are within %g %% of the exact ones", 100*off))
	}
	return row
}

// certify takes the interval away from a percentile that the smallest launch
// cannot bound: the spread of maxima says nothing about a percentile. What counts are
// requests, which is what fewest is: the many gaps of one stream share its luck, and
// four thousand of them in two hundred streams are no four thousand samples.
func (st statistic) certify(row Row, what string, fewest int, confidence float64) Row {
	if st.quantile > 0 && fewest < stats.MinSamples(st.quantile, confidence) {
		row.Interval = stats.Unbounded
		row.Warnings = append(row.Warnings, stats.TooFew(what, fewest, st.quantile, confidence)+", in the smallest launch")
	}
	return row
}

// counted is what the values of the metric are counted in.
func (m Metric) counted() string {
	switch {
	case m.About(plan.KindSteps):
		return "steps"
	case m.About(plan.KindCollective), m.About(plan.KindPairs):
		return "calls"
	case m.About(plan.KindProbe):
		return "trials"
	}
	return "requests"
}

// row makes the launch-level estimate of one statistic; ok is false when no
// launch had a value.
func (m Metric) row(point int, name string, values []LaunchValue, confidence float64) (row Row, ok bool, err error) {
	if len(values) == 0 {
		return Row{}, false, nil
	}
	var xs []float64
	for _, v := range values {
		xs = append(xs, v.Value)
	}
	over := stats.OverLaunches
	if m.Signed {
		over = stats.Mean
	}
	est, err := over(xs, confidence)
	if err != nil {
		return Row{}, false, err
	}
	row = Row{
		Metric: m.ID, Name: m.Name, Statistic: name, Unit: m.Unit, Better: m.Better,
		Point: point, Estimate: est, PerLaunch: values,
	}
	if !m.Signed {
		row.Interval.Lo = max(0, row.Interval.Lo)
	}
	if cv := stats.CV(xs); !math.IsNaN(cv) && !math.IsInf(cv, 0) && !m.Signed { // relative to a difference near zero it says nothing
		row.CV = &cv
	}
	return row, true, nil
}

// outcomes counts how the measured requests ended.
func (p *Point) outcomes() map[record.Outcome]int {
	counts := map[record.Outcome]int{}
	for t := range p.Measured {
		counts[t.Result]++
	}
	return counts
}

// Find returns the row of one statistic of one metric at one point.
func (e Estimates) Find(metric, statistic string, point int) (Row, bool) {
	i := slices.IndexFunc(e.Rows, func(r Row) bool {
		return r.Metric == metric && r.Statistic == statistic && r.Point == point
	})
	if i < 0 {
		return Row{}, false
	}
	return e.Rows[i], true
}
