package lint

import (
	"fmt"
	"slices"
	"strings"

	"assay/finding"
	"assay/metric"
	"assay/spec"
	"assay/unit"
)

// stated says that somebody states something about the run.
func stated(f *Facts) bool { return len(f.Statements) > 0 }

// statedWith says that some statement has what a check looks at.
func statedWith(has func(f *Facts, s Statement) bool) func(f *Facts) bool {
	return func(f *Facts) bool {
		return slices.ContainsFunc(f.Statements, func(s Statement) bool { return has(f, s) })
	}
}

// publication says that the run asks for the publication grade.
func publication(f *Facts) bool {
	return f.Plan.Class() == spec.PublicationGrade
}

// publishing is the severity of what spoils a publication but not a run that says
// of itself that it is exploratory: there a claim has to carry it.
func (f *Facts) publishing() finding.Severity {
	if publication(f) {
		return finding.Void
	}
	return finding.Caution
}

// metricOf is the metric that a statement is about; people leave the version out.
func metricOf(s Statement) (metric.Metric, bool) {
	if m, ok := metric.Called(s.Metric); ok {
		return m, true
	}
	return metric.ByID(s.Metric)
}

// isLatency says that a metric is a distribution of times.
func isLatency(m metric.Metric) bool {
	return m.Unit == unit.Second && m.Distributed()
}

// isRate says that a metric counts work per second.
func isRate(m metric.Metric) bool {
	return strings.HasSuffix(string(m.Unit), "/s")
}

func statesLatency(_ *Facts, s Statement) bool { m, ok := metricOf(s); return ok && isLatency(m) }
func statesRate(_ *Facts, s Statement) bool    { m, ok := metricOf(s); return ok && isRate(m) }

// isCentre says that a statistic tells where the middle is; a latency stated
// without one is taken for its mean.
func isCentre(statistic string) bool {
	return slices.Contains([]string{"", "value", "mean", "average", "p50", "median"}, statistic)
}

// pointOf is the index of the point that a statement is about; false when it
// names none of the plan's, or none where there are several.
func (f *Facts) pointOf(s Statement) (int, bool) {
	if s.Point == "" && len(f.Plan.Points) == 1 {
		return f.Plan.Points[0].Index, true
	}
	for _, p := range f.Plan.Points {
		if p.Name == s.Point {
			return p.Index, true
		}
	}
	return 0, false
}

// rowOf is the estimate that a statement must be held against.
func (f *Facts) rowOf(s Statement) (metric.Row, bool) {
	m, known := metricOf(s)
	point, at := f.pointOf(s)
	if m.OnceALaunch() {
		point, at = metric.LaunchPoint, true
	}
	if !known || !at {
		return metric.Row{}, false
	}
	side := s.Side
	if side == "" && len(f.Plan.Candidates()) > 0 {
		side = spec.BaselineSide
	}
	names := []string{s.Statistic}
	switch s.Statistic {
	case "median":
		names = []string{"p50"}
	case "", "average", "min", "max", "best": // of launches, each of which gave a mean or a value
		names = []string{"mean", "value"}
	}
	for _, name := range names {
		for _, row := range f.Estimates.Rows {
			if row.Metric == m.ID && row.Statistic == name && row.Point == point && row.Side == side {
				return row, true
			}
		}
	}
	return metric.Row{}, false
}

// noRow is what a check says when nothing in the bundle answers to a statement.
func noRow(s Statement) string {
	return "an estimate of " + said(s) + " in the bundle"
}

// said names a statement in a message.
func said(s Statement) string {
	text := s.Metric
	if s.Statistic != "" && s.Statistic != "value" {
		text += " " + s.Statistic
	}
	if s.Side != "" {
		text += " of " + s.Side
	}
	if s.Point != "" {
		text += " at " + s.Point
	}
	return text
}

// figure prints the value of a statement in the unit of its metric.
func figure(s Statement, v float64) string {
	if m, ok := metricOf(s); ok {
		return unit.Format(v, m.Unit)
	}
	return fmt.Sprintf("%.4g", v)
}

// percent prints a relative difference with its sign.
func percent(share float64) string { return fmt.Sprintf("%+.1f %%", 100*share) }
