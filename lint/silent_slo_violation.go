package lint

import (
	"fmt"

	"assay/finding"
	"assay/metric"
	"assay/plan"
	"assay/unit"
)

// SLOViolation fires when throughput was had at the price of the objectives.
var SLOViolation = Check{
	ID: "silent-slo-violation", Code: "P-05", Severity: finding.Void,
	Doc:     "Throughput is stated although more requests than allowed missed the declared objectives.",
	Applies: func(f *Facts) bool { _, limited := plan.Good(f.Plan.Run); return limited },
	Run:     sloViolation,
}

func sloViolation(f *Facts) Answer {
	allowed := allowedMisses(f)
	var list []finding.Finding
	seen := false
	for _, row := range f.Estimates.Rows {
		if row.Metric != metric.Attainment.ID {
			continue
		}
		seen = true
		most := 1 - row.Interval.Lo // the interval of a share always has ends
		if most <= allowed {
			continue
		}
		severity, what := f.missedBy(row)
		// A sweep goes past the knee on purpose, and goodput stands beside every
		// throughput: only who states the throughput of that point is refused.
		if severity == "" {
			continue
		}
		list = append(list, finding.Finding{
			Severity: severity,
			Message: fmt.Sprintf("%s: %.3g %% of the requests at %s missed the objectives (at most %.3g %%, allowed %.3g %%)%s",
				what, 100*(1-row.Value), pointName(f, row.Point), 100*most, 100*allowed, f.goodputAt(row)),
			Why: "throughput that breaks its objective is not the service that was promised",
			Fix: "state goodput, or the throughput of a load at which the objectives are kept",
		})
	}
	if !seen {
		return missing("the share of requests that kept the objectives (" + metric.Attainment.ID + ")")
	}
	return found(list...)
}

// missedBy says how bad a point that misses its objectives is, and who says it.
func (f *Facts) missedBy(row metric.Row) (finding.Severity, string) {
	for _, s := range f.Statements {
		m, ok := metricOf(s)
		if point, at := f.pointOf(s); ok && at && isRate(m) && m.ID != metric.Goodput.ID && point == row.Point {
			return finding.Void, said(s) + " is stated"
		}
	}
	if 1-row.Value > allowedMisses(f) {
		return finding.Caution, "throughput alone would mislead"
	}
	return "", "" // too few requests to show that a kept objective is kept
}

func (f *Facts) goodputAt(row metric.Row) string {
	for _, good := range f.Estimates.Rows {
		if good.Metric == metric.Goodput.ID && good.Point == row.Point && good.Side == row.Side {
			return "; goodput is " + unit.Format(good.Value, good.Unit)
		}
	}
	return ""
}

// allowedMisses is the share of requests that may miss one objective or another.
func allowedMisses(f *Facts) float64 {
	sum := 0.0
	for _, o := range f.Plan.Run.Spec.SLO {
		if o.Max > 0 {
			sum += 1 - o.Percentile/100
		}
	}
	return sum
}
