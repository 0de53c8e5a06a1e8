package lint

import (
	"slices"

	"assay/finding"
	"assay/spec"
)

// UnconstrainedHeadline fires when a run was made for its throughput and nothing says
// how slow an answer may be.
var UnconstrainedHeadline = Check{
	ID: "unconstrained-headline", Severity: finding.Caution, About: finding.Speed,
	Doc:     "The headline is a throughput, and no objective limits the latency at which it is reached.",
	When:    "intent.headline is throughput and spec.slo limits no latency",
	Applies: func(f *Facts) bool { return f.Plan.Intent().Headline == spec.HeadlineThroughput },
	Run:     unconstrainedHeadline,
}

func unconstrainedHeadline(f *Facts) Answer {
	limited := slices.ContainsFunc(f.Plan.Objectives(), func(o spec.Objective) bool { return o.Max > 0 })
	if limited {
		return found()
	}
	return found(finding.Finding{
		Severity: finding.Caution,
		Message:  "throughput without a latency constraint",
		Why:      "almost any server reaches a higher throughput when answers may take as long as they like",
		Fix:      "say how slow an answer may be: --slo 'ttft:p99<300ms', or slo in a spec",
	})
}
