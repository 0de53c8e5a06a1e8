package report

import (
	"bytes"
	"fmt"
	"strings"

	"assay/metric"
	"assay/spec"
	"assay/stats"
	"assay/unit"
)

// OutlierLine says by which policy launches were looked at, and what it found; empty
// for a run that declares none.
func (r Report) OutlierLine() string {
	policy := r.Estimates.Outliers
	if policy == nil {
		return ""
	}
	text := fmt.Sprintf("%s, %s: ", policy.Method, policy.Action)
	most := 0
	for _, row := range r.Estimates.Rows {
		most = max(most, len(row.PerLaunch))
	}
	switch n := len(policy.Marked); {
	case most < policy.Fewest:
		return text + fmt.Sprintf("can mark none of fewer than %d launches", policy.Fewest)
	case n == 0:
		return text + "no launch stands out"
	case n == 1:
		return text + fmt.Sprintf("a launch stands out in 1 of %d results, and is kept", len(r.Estimates.Rows))
	default:
		return text + fmt.Sprintf("a launch stands out in %d of %d results, and is kept", n, len(r.Estimates.Rows))
	}
}

// IntervalLine says how the intervals over launches are made.
func (r Report) IntervalLine() string {
	how := "Student's t"
	if r.Plan.Trials().Interval == spec.IntervalBootstrap {
		how = "bootstrap (BCa)"
	}
	line := fmt.Sprintf("%g %% confidence over launches (%s); percentiles by rank ⌈qn⌉", 100*r.Estimates.Confidence, how)
	if (r.Collectives != nil || r.Hardware != nil) && r.Plan.Trials().Launches() == 1 {
		line += "; those of collectives and probes over the calls of the one launch, which say nothing of the next"
	}
	return line
}

// OutlierTable gives the results in which a launch stands out with and without it.
func (r Report) OutlierTable() Block {
	b := Block{Title: "launches that stand out", Head: []string{"result", "point", "launch", "with all launches", "without"}}
	if r.Estimates.Outliers == nil {
		return b
	}
	for _, m := range r.Estimates.Outliers.Marked {
		of, _ := metric.ByID(m.Metric)
		var launches []string
		for _, v := range m.Launches {
			launches = append(launches, fmt.Sprintf("%d: %s", v.Launch+1, unit.Format(v.Value, of.Unit)))
		}
		row, _ := r.Estimates.Of(m.Side).Find(m.Metric, m.Statistic, m.Point)
		point := r.PointName(m.Point)
		if m.Side != "" {
			point += ", " + m.Side
		}
		b.Rows = append(b.Rows, []string{
			strings.TrimSuffix(of.Name+" "+m.Statistic, " value"), point, strings.Join(launches, ", "),
			Marked(withInterval(m.All, of.Unit), row.Void), Marked(withInterval(m.Without, of.Unit), row.Void),
		})
	}
	return b
}

// withInterval prints an estimate with its interval, where it has one.
func withInterval(e stats.Estimate, u unit.Unit) string {
	if !e.Interval.Bounded() {
		return unit.Format(e.Value, u)
	}
	return unit.FormatInterval(e.Value, e.Interval.Lo, e.Interval.Hi, u)
}

func writeOutliers(b *bytes.Buffer, r Report) {
	if t := r.OutlierTable(); len(t.Rows) > 0 {
		b.WriteByte('\n')
		_ = Outline{Blocks: []Block{t}}.text(b) // a buffer takes everything
	}
}
