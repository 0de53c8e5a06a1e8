// Package objective says whether the objectives of a spec are kept at a point, by
// the end of an interval and not by its middle: a limit that may be broken is not
// kept.
package objective

import (
	"fmt"
	"strings"

	"assay/finding"
	"assay/metric"
	"assay/plan"
	"assay/spec"
	"assay/stats"
	"assay/unit"
)

// A State says what became of an objective.
type State string

// The states of an objective.
const (
	Kept      State = "kept"
	Broken    State = "broken"
	Uncertain State = "uncertain" // the interval holds the limit, there is none, or a finding forbids the figure
)

// A Verdict is one objective at one point.
type Verdict struct {
	Name      string         `json:"name"` // such as p99 TTFT ≤ 300ms
	Metric    string         `json:"metric"`
	Statistic string         `json:"statistic"`
	Value     float64        `json:"value"`
	Interval  stats.Interval `json:"interval"`
	Unit      unit.Unit      `json:"unit"`
	State     State          `json:"state"`
	Reason    string         `json:"reason"` // the figure, or what is missing
}

// An Against says why a result may not be used. Where it is nil nobody speaks against any.
type Against func(finding.Result) []string

// Judge holds the estimates of a point against every objective. A figure that may not be
// used shows neither that a limit is kept nor that it is broken.
func Judge(e metric.Estimates, slo []spec.Objective, point plan.Point, against Against) []Verdict {
	var list []Verdict
	for _, o := range slo {
		list = append(list, judge(e, o, point, against))
	}
	return list
}

// Worst is the worst state of the verdicts; no objective is a kept one.
func Worst(list []Verdict) State {
	worst := Kept
	for _, v := range list {
		if v.State == Broken || v.State == Uncertain && worst == Kept {
			worst = v.State
		}
	}
	return worst
}

// ids are the definitions that the short names of spec.slo mean, where they are
// not the name itself.
var ids = map[string]string{"itl": metric.ITL.ID, "tokens_per_second": metric.OutputThroughput.ID, "requests_per_second": metric.RequestThroughput.ID}

func judge(e metric.Estimates, o spec.Objective, point plan.Point, against Against) Verdict {
	id := ids[o.Metric]
	if m, ok := metric.Called(o.Metric); ok {
		id = m.ID
	}
	statistic := "value"
	limit, upper := o.MaxRatio, true
	said := fmt.Sprintf("≤ %.3g %%", 100*o.MaxRatio)
	switch {
	case o.Max > 0:
		statistic, limit, said = fmt.Sprintf("p%g", o.Percentile), o.Max.Seconds(), fmt.Sprintf("≤ %s", o.Max)
	case o.Min > 0:
		limit, upper, said = o.Min, false, fmt.Sprintf("≥ %g", o.Min)
	}
	row, ok := e.Find(id, statistic, point.Index)
	if !ok && o.Min > 0 { // a speed of single requests: few may be slower
		statistic = fmt.Sprintf("p%g", 100-o.Percentile)
		row, ok = e.Find(id, statistic, point.Index)
	}
	v := Verdict{Name: strings.TrimSpace(fmt.Sprintf("%s %s", label(statistic, nameOf(id, o.Metric)), said)), Metric: id, Statistic: statistic, State: Uncertain, Interval: stats.Unbounded}
	if !ok {
		v.Reason = fmt.Sprintf("%s is not estimated", label(statistic, nameOf(id, o.Metric)))
		return v
	}
	v.Value, v.Interval, v.Unit = row.Value, row.Interval, row.Unit
	if why := against.Of(row, point); len(why) > 0 {
		v.Reason = why[0]
		return v
	}
	v.Reason = unit.FormatInterval(row.Value, row.Interval.Lo, row.Interval.Hi, row.Unit)
	within, beyond := row.Interval.Hi <= limit, row.Interval.Lo > limit
	if !upper {
		within, beyond = row.Interval.Lo >= limit, row.Interval.Hi < limit
	}
	switch {
	case within:
		v.State = Kept
	case beyond:
		v.State = Broken
	case !row.Interval.Bounded():
		v.Reason = strings.Join(row.Warnings, "; ")
	}
	return v
}

// Of asks about an estimate at a point.
func (a Against) Of(row metric.Row, point plan.Point) []string {
	if a == nil {
		return nil
	}
	return a(finding.Result{Subject: finding.Speed, Metric: row.Metric, Statistic: row.Statistic, Point: point.Name, Side: row.Side})
}

func label(statistic, name string) string {
	if statistic == "value" {
		return name
	}
	return statistic + " " + name
}

func nameOf(id, fallback string) string {
	for _, m := range metric.All {
		if m.ID == id {
			return m.Name
		}
	}
	return fallback
}
