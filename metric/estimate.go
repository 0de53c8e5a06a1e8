package metric

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"assay/bundle"
	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/stats"
	"assay/unit"

	"gonum.org/v1/gonum/stat"
)

// Estimates is what a bundle's records say: derived/VERSION/estimates.json.
type Estimates struct {
	Version    string     `json:"version"` // of this format
	Code       string     `json:"code"`    // version of the program that computed it
	RunID      string     `json:"runID"`
	Confidence float64    `json:"confidence"`
	Launches   []int      `json:"launches"` // those the estimates rest on
	LeftOut    []LeftOut  `json:"leftOut,omitempty"`
	Rows       []Row      `json:"rows"`
	Outcomes   []Outcomes `json:"outcomes"`
	Counts     []Count    `json:"counts,omitempty"`   // tokens by assay's count and by the server's
	Readings   []Readings `json:"readings,omitempty"` // beside the points

	// Paired holds what candidates and baseline say side by side, in a run that
	// has candidates.
	Paired []Paired `json:"paired,omitempty"`
}

// EstimatesVersion is the version of the format of estimates.json.
const EstimatesVersion = "1.1"

// A LeftOut names a launch that no estimate rests on, and why.
type LeftOut struct {
	Launch int    `json:"launch"`
	Reason string `json:"reason"`
}

// A Row is one statistic of one metric at one point.
type Row struct {
	Metric    string    `json:"metric"` // definition id
	Name      string    `json:"name"`
	Statistic string    `json:"statistic"` // mean, p50 … p99.9, or value
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
}

var statistics = []statistic{{"mean", 0}, {"p50", .5}, {"p90", .9}, {"p95", .95}, {"p99", .99}, {"p99.9", .999}}

// Estimate computes every metric of every point over the completed launches of
// b. Code is the version of this program.
func Estimate(b *bundle.Bundle, p plan.Plan, code string) (Estimates, error) {
	out := Estimates{
		Version: EstimatesVersion, Code: code, RunID: b.Manifest.RunID,
		Confidence: p.Run.Spec.Trials.ConfidenceLevel,
		Launches:   []int{}, Rows: []Row{}, Outcomes: []Outcomes{},
	}
	said := declared(p.Run)
	var launches []Launch
	for _, info := range b.Launches() {
		if info.Outcome != bundle.LaunchCompleted {
			out.LeftOut = append(out.LeftOut, leftOut(info))
			continue
		}
		launch, err := ReadLaunch(b, info.Index)
		if err != nil {
			return out, err
		}
		for _, point := range launch.Points {
			point.Declared = said
		}
		launches = append(launches, launch)
		out.Launches = append(out.Launches, info.Index)
	}
	split := bySide(b, launches)
	sides := p.Run.Spec.Sides()
	if len(sides) == 0 {
		sides = []spec.Side{{}} // a plan without a target has one nameless side
	}
	for _, side := range sides {
		launches := split[side.Name]
		if !hereby(side.Target) {
			for i := range launches {
				launches[i].Beside.leaveHost()
			}
		}
		if err := errors.Join(out.add(p, side.Name, launches), out.once(side.Name, launches)); err != nil {
			return out, err
		}
	}
	var err error
	out.Paired, err = compare(b, p, out.Rows, out.Confidence)
	return out, err
}

// add computes every metric of every point over the launches of one side.
func (e *Estimates) add(p plan.Plan, side string, launches []Launch) error {
	for _, point := range p.Points {
		samples := atPoint(launches, point.Index)
		if len(samples) == 0 {
			continue
		}
		for _, m := range All {
			if !m.Has(p.Run.Spec.Workload) {
				continue
			}
			rows, err := m.rows(point.Index, samples, e.Confidence)
			if err != nil {
				return fmt.Errorf("%s at %s: %w", m.ID, point.Name, err)
			}
			for i := range rows {
				rows[i].Side = side
			}
			e.Rows = append(e.Rows, rows...)
		}
		counted := outcomes(point.Index, samples)
		counted.Side = side
		e.Outcomes = append(e.Outcomes, counted)
		for _, c := range tokenCounts(point.Index, samples) {
			c.Side = side
			e.Counts = append(e.Counts, c)
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

// A sample is one point in one launch.
type sample struct {
	launch int
	point  *Point
}

func atPoint(launches []Launch, index int) []sample {
	var list []sample
	for _, l := range launches {
		for _, p := range l.Points {
			if p.Index == index {
				list = append(list, sample{l.Index, p})
			}
		}
	}
	return list
}

// rows computes every statistic of m at one point.
func (m Metric) rows(point int, samples []sample, confidence float64) ([]Row, error) {
	if m.Once != nil {
		return nil, nil // it belongs to no point
	}
	if m.Share != nil {
		return m.share(point, samples, confidence)
	}
	if m.Whole != nil {
		var values []LaunchValue
		for _, s := range samples {
			if v, ok := m.Whole(s.point); ok {
				values = append(values, LaunchValue{s.launch, v, 1})
			}
		}
		row, ok, err := m.row(point, "value", values, confidence)
		if !ok || err != nil {
			return nil, err
		}
		return []Row{row}, nil
	}
	perLaunch := make([][]float64, len(samples))
	for i, s := range samples {
		if m.Many != nil {
			perLaunch[i] = m.Many(s.point)
			continue
		}
		requests := s.point.Measured
		if m.Probe {
			requests = s.point.Probed
		}
		for t := range requests {
			if t.Result == record.OK {
				perLaunch[i] = append(perLaunch[i], m.Each(t)...)
			}
		}
	}
	var rows []Row
	for _, st := range statistics {
		var values []LaunchValue
		fewest := math.MaxInt
		for i, xs := range perLaunch {
			if len(xs) == 0 {
				continue
			}
			fewest = min(fewest, len(xs))
			v, err := st.of(xs, confidence)
			if err != nil {
				return nil, err
			}
			values = append(values, LaunchValue{samples[i].launch, v, len(xs)})
		}
		row, ok, err := m.row(point, st.name, values, confidence)
		if err != nil {
			return nil, err
		}
		if ok {
			rows = append(rows, st.certify(row, fewest, confidence))
		}
	}
	return rows, nil
}

// share estimates a proportion. Its interval holds both that of the launches and
// the exact one of the pooled counts: launches that all saw no error must not
// claim that there are none.
func (m Metric) share(point int, samples []sample, confidence float64) ([]Row, error) {
	var values []LaunchValue
	hits, trials := 0, 0
	for _, s := range samples {
		if h, n := m.Share(s.point); n > 0 {
			values = append(values, LaunchValue{s.launch, float64(h) / float64(n), n})
			hits, trials = hits+h, trials+n
		}
	}
	row, ok, err := m.row(point, "value", values, confidence)
	if !ok || err != nil {
		return nil, err
	}
	pooled, err := stats.Proportion(hits, trials, confidence)
	if err != nil {
		return nil, err
	}
	if len(values) > 1 {
		pooled.Interval = stats.Hull(pooled.Interval, row.Interval)
		pooled.Interval.Hi = min(1, pooled.Interval.Hi)
	}
	pooled.N, pooled.Warnings = row.N, row.Warnings
	row.Estimate = pooled
	return []Row{row}, nil
}

func (st statistic) of(xs []float64, confidence float64) (float64, error) {
	if st.quantile == 0 {
		return stat.Mean(xs, nil), nil
	}
	est, err := stats.Quantile(xs, st.quantile, confidence)
	return est.Value, err
}

// certify takes the interval away from a percentile that the smallest launch
// cannot bound: the spread of maxima says nothing about a percentile.
func (st statistic) certify(row Row, fewest int, confidence float64) Row {
	if st.quantile > 0 && fewest < stats.MinSamples(st.quantile, confidence) {
		row.Interval = stats.Unbounded
		row.Warnings = append(row.Warnings, fmt.Sprintf("%s, have %d in the smallest launch", stats.NotCertifiable(st.quantile, confidence), fewest))
	}
	return row
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
	est, err := stats.Mean(xs, confidence)
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

func outcomes(point int, samples []sample) Outcomes {
	out := Outcomes{Point: point, Counts: map[record.Outcome]int{}}
	for _, s := range samples {
		for t := range s.point.Measured {
			out.Counts[t.Result]++
		}
	}
	return out
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
