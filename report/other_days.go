package report

import (
	"fmt"

	"assay/analysis/compare"
	"assay/finding"
	"assay/metric"
	"assay/stats"
	"assay/unit"
)

// An OtherDays is a quotable result with an interval that holds on other days too, since
// earlier runs show how far apart days are. That of the launches is of their sitting.
type OtherDays struct {
	Metric    string         `json:"metric"`
	Statistic string         `json:"statistic"`
	Point     string         `json:"point"`
	Side      string         `json:"side,omitempty"`
	Unit      unit.Unit      `json:"unit"`
	Estimate  stats.Estimate `json:"estimate"`
	Past      stats.Past     `json:"past"`
}

// Remember adds what earlier runs say of the results that may be quoted.
func (r *Report) Remember(past compare.Past) {
	if past == nil || r.Claims == nil {
		return
	}
	for _, c := range r.Claims.Claims {
		of := finding.Result{Metric: c.Metric, Statistic: c.Statistic, Point: c.Point, Side: c.Side}
		known, ok := past(of, r.Manifest.Digest)
		row, found := r.rowOf(c.Metric, c.Statistic, c.Point, c.Side)
		if !ok || !found {
			continue
		}
		var launches []float64
		for _, l := range row.PerLaunch {
			launches = append(launches, l.Value)
		}
		if estimate, err := known.OtherDays(launches, r.Estimates.Confidence); err == nil {
			r.OtherDays = append(r.OtherDays, OtherDays{c.Metric, c.Statistic, c.Point, c.Side, c.Unit, estimate, known})
		}
	}
}

// rowOf is the estimate behind a claim.
func (r Report) rowOf(id, statistic, point, side string) (metric.Row, bool) {
	for _, row := range r.Estimates.Rows {
		name := ""
		if p, ok := r.Plan.PointByIndex(row.Point); ok {
			name = p.Name
		}
		if row.Metric == id && row.Statistic == statistic && row.Side == side && name == point {
			return row, true
		}
	}
	return metric.Row{}, false
}

// onOtherDays says what the result to lead with is on other days; empty where nobody knows.
func (r Report) onOtherDays() string {
	if r.Claims == nil {
		return ""
	}
	head := headClaim(r.Claims.Claims)
	for _, d := range r.OtherDays {
		if d.Metric == head.Metric && d.Statistic == head.Statistic && d.Point == head.Point && d.Side == head.Side {
			return fmt.Sprintf("On other days too: %s %s (%s).", compare.Key(d.Metric, d.Statistic, d.Point),
				unit.FormatInterval(d.Estimate.Value, d.Estimate.Interval.Lo, d.Estimate.Interval.Hi, d.Unit), EarlierText(d.Past))
		}
	}
	return ""
}
