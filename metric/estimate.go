package metric

import (
	"fmt"
	"math"
	"slices"

	"assay/bundle"
	"assay/plan"
	"assay/record"
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
}

// EstimatesVersion is the version of the format of estimates.json.
const EstimatesVersion = "1.0"

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
	Point     int       `json:"point"`
	stats.Estimate

	// CV is the spread of the launches relative to their mean; null for fewer
	// than two.
	CV *float64 `json:"cv"`

	// PerLaunch is what each launch gave, in the order of Estimates.Launches.
	PerLaunch []LaunchValue `json:"perLaunch"`
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
	limits, limited := plan.Good(p.Run)
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
		if limited {
			for _, point := range launch.Points {
				point.Limits = &limits
			}
		}
		launches = append(launches, launch)
		out.Launches = append(out.Launches, info.Index)
	}
	for _, point := range p.Points {
		samples := atPoint(launches, point.Index)
		if len(samples) == 0 {
			continue
		}
		for _, m := range All {
			rows, err := m.rows(point.Index, samples, out.Confidence)
			if err != nil {
				return out, fmt.Errorf("%s at %s: %w", m.ID, point.Name, err)
			}
			out.Rows = append(out.Rows, rows...)
		}
		out.Outcomes = append(out.Outcomes, outcomes(point.Index, samples))
	}
	return out, nil
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
		for t := range s.point.Measured {
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
	row.Interval.Lo = max(0, row.Interval.Lo) // nothing in All can be negative
	if cv := stats.CV(xs); !math.IsNaN(cv) {
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
