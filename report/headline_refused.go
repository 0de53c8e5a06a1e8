package report

import (
	"fmt"
	"strings"

	"assay/finding"
	"assay/metric"
	"assay/spec"
)

// HeadlineRefused says why the result that the spec chose before the run is not the one
// that is quoted; empty where it is, or where none was chosen.
func (r Report) HeadlineRefused() string {
	if r.Claims == nil {
		return ""
	}
	if head := headClaim(r.Claims.Claims); head == nil || head.Headline {
		return "" // quoted, or nothing is, which is said already
	}
	of := finding.Result{Subject: finding.Speed, Metric: metric.OutputThroughput.ID, Statistic: "value"}
	what := metric.OutputThroughput.Name
	switch r.Plan.Intent().Headline {
	case "":
		return ""
	case spec.HeadlineLatency:
		of.Metric, of.Statistic, what = metric.TTFT.ID, "p50", "p50 "+metric.TTFT.Name
	}
	for _, refusal := range r.Claims.Refused {
		if refusal.Void && refusal.Scope.Touches(of) || strings.HasPrefix(refusal.What, what+" at ") {
			return fmt.Sprintf("the headline of the spec, %s, is not quotable: %s", what, refusal.Reason)
		}
	}
	return fmt.Sprintf("the headline of the spec, %s, is not quotable: it was not measured", what)
}
