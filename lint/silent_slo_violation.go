package lint

import (
	"fmt"
	"slices"

	"assay/finding"
	"assay/metric"
	"assay/plan"
	"assay/unit"
)

// SLOViolation fires when throughput was had at the price of the objectives.
var SLOViolation = Check{
	ID: "silent-slo-violation", Code: "P-05", Severity: finding.Void,
	Doc: "Throughput is stated although more requests than allowed missed the declared objectives.",
	When: "a throughput is stated at a point where the upper bound of the share of requests that miss " +
		"spec.slo exceeds the sum of what its percentiles allow; unstated, a caution when the share " +
		"itself does. Not in a search, which goes past the limit to find it",
	Applies: func(f *Facts) bool { _, limited := plan.Good(f.Plan.Run); return limited },
	Run:     sloViolation,
}

func sloViolation(f *Facts) Answer {
	allowed := allowedMisses(f)
	var list []finding.Finding
	var beyond []string
	seen := false
	for _, row := range f.Estimates.Rows {
		if row.Metric != metric.Attainment.ID {
			continue
		}
		seen = true
		missed, most := 1-row.Value, 1-row.Interval.Lo // the interval of a share always has ends
		text := fmt.Sprintf("%.3g %% of the requests at %s missed them (at most %.3g %%, allowed %.3g %%)%s",
			100*missed, pointName(f, row.Point), 100*most, 100*allowed, f.goodputAt(row))
		switch throughput := f.statedRate(row); {
		case most <= allowed:
		case throughput != "":
			list = append(list, finding.Finding{
				Severity: finding.Void,
				Message:  throughput + " is stated without its objectives: " + text,
				Why:      "throughput that breaks its objective, or cannot show that it keeps it, is not the service that was promised",
				Fix:      "state goodput or the throughput of a load that keeps the objectives; send more requests where they are kept but too few",
			})
		case missed > allowed:
			beyond = append(beyond, text)
		}
	}
	if !seen {
		return missing("the share of requests that kept the objectives (" + metric.Attainment.ID + ")")
	}
	// A search goes past the limit to find it, and says where it is.
	if len(beyond) > 0 && f.Plan.Search == nil {
		list = append(list, finding.Finding{
			Severity: finding.Caution,
			Message:  "throughput beyond the objectives: " + summary(beyond),
			Why:      "throughput that breaks its objective is not the service that was promised",
			Fix:      "state goodput at these points",
			Evidence: beyond,
		})
	}
	return found(list...)
}

// statedRate names the statement about the throughput of a row's point and side.
func (f *Facts) statedRate(row metric.Row) string {
	for _, s := range f.Statements {
		m, ok := metricOf(s)
		point, at := f.pointOf(s)
		if ok && at && isRate(m) && m.ID != metric.Goodput.ID && point == row.Point && (s.Side == "" || s.Side == row.Side) {
			return said(s)
		}
	}
	return ""
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
	for _, o := range f.Plan.Objectives() {
		if slices.Contains([]string{"ttft", "tpot", "e2e"}, o.Metric) { // those that make a request good
			sum += 1 - o.Percentile/100
		}
	}
	return sum
}
