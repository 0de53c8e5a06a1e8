package lint

import (
	"fmt"
	"slices"

	"assay/finding"
	"assay/metric"
	"assay/spec"
)

// WrongCentre fires when the objective is about a tail and the headline is about
// the middle.
var WrongCentre = Check{
	ID: "centre-for-a-tail", Code: "H-08", Severity: finding.Caution,
	Doc:  "The declared objective is a percentile, and another statistic is stated in its place.",
	When: "the objective is on one percentile and another statistic is stated",
	Applies: func(f *Facts) bool {
		return len(f.Plan.Objectives()) > 0 && statedWith(statesLatency)(f)
	},
	Run: wrongCentre,
}

func wrongCentre(f *Facts) Answer {
	objectives := map[string]metric.Metric{"ttft": metric.TTFT, "tpot": metric.TPOT, "itl": metric.ITL, "e2e": metric.E2E}
	var list []finding.Finding
	for _, o := range f.Plan.Objectives() {
		m, limited := objectives[o.Metric]
		if !limited {
			continue
		}
		wanted := fmt.Sprintf("p%g", o.Percentile)
		var stating []string
		tail := false
		for _, s := range f.Statements {
			if of, ok := metricOf(s); ok && of.ID == m.ID {
				stating = append(stating, statisticOf(s))
				tail = tail || slices.Contains(tails, s.Statistic)
			}
		}
		// A centre without any tail is said by tail-blindness.
		if len(stating) == 0 || slices.Contains(stating, wanted) || !tail {
			continue
		}
		list = append(list, finding.Finding{
			Severity: finding.Caution,
			Message:  fmt.Sprintf("the objective is on %s of %s, what is stated is %v%s", wanted, m.ID, stating, f.atPercentile(m, wanted, o)),
			Fix:      "state " + wanted + " with its interval",
		})
	}
	return found(list...)
}

func statisticOf(s Statement) string {
	if s.Statistic == "" {
		return "mean"
	}
	return s.Statistic
}

// atPercentile says what the bundle knows of the percentile that was promised.
func (f *Facts) atPercentile(m metric.Metric, statistic string, o spec.Objective) string {
	for _, row := range f.Estimates.Rows {
		if row.Metric == m.ID && row.Statistic == statistic {
			return fmt.Sprintf("; %s at %s is %s, the limit %s", statistic, pointName(f, row.Point), duration(row.Value), o.Max)
		}
	}
	return ""
}
