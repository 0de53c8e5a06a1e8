package lint

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/bundle"
	"assay/finding"
	"assay/metric"
	"assay/spec"
)

// ChosenAfter fires when the question may have been chosen after the answer was
// known.
var ChosenAfter = Check{
	ID: "chosen-after", Code: "P-20", Severity: finding.Void,
	Doc: "The metric or the plan was not fixed before the first data.",
	When: "a launch before the plan was frozen; an unsigned publication; a statement about a metric " +
		"that the author did not name although others were named (void for publication, otherwise a " +
		"caution)",
	// The plan of an import retells what was done; foreign-source says what is not known.
	Applies: func(f *Facts) bool { return f.Manifest.Source == nil },
	Run:     chosenAfter,
}

func chosenAfter(f *Facts) Answer {
	if f.Manifest.Created.IsZero() || len(f.Manifest.Launches) == 0 {
		return missing("when the plan was frozen and when the first launch began")
	}
	var list []finding.Finding
	first := f.Manifest.Launches[0].Started
	for _, l := range f.Manifest.Launches {
		if l.Started.Before(first) {
			first = l.Started
		}
	}
	if first.Before(f.Manifest.Created) {
		list = append(list, finding.Finding{
			Severity: finding.Void,
			Message: fmt.Sprintf("the plan was frozen at %s, after the first launch had begun at %s",
				f.Manifest.Created.Format(time.RFC3339), first.Format(time.RFC3339)),
			Why: "a question that is asked after the answer can have any answer",
			Fix: "freeze the plan first: assay run does",
		})
	}
	if publication(f) && f.Manifest.Signer.KeyID == bundle.Unsigned {
		list = append(list, finding.Finding{
			Severity: finding.Void,
			Message:  "nobody signed the bundle, so that nobody vouches for when its plan was frozen",
			Fix:      "sign it: assay run --key",
		})
	}
	return found(append(list, undeclared(f)...)...)
}

// declaredAs lists the metrics behind the names of spec.metrics and spec.slo.
var declaredAs = map[string][]string{
	"ttft_ms": {metric.TTFT.ID}, "ttft": {metric.TTFT.ID},
	"tokens_per_second": {metric.OutputThroughput.ID}, "requests_per_second": {metric.RequestThroughput.ID},
	"p99_latency_ms": {metric.E2E.ID}, "p50_latency_ms": {metric.E2E.ID}, "p95_latency_ms": {metric.E2E.ID}, "e2e": {metric.E2E.ID},
	"jitter_ms": {metric.ITL.ID}, "itl": {metric.ITL.ID}, "tpot": {metric.TPOT.ID}, "tpot_ms": {metric.TPOT.ID},
	"request_goodput": {metric.Goodput.ID, metric.Attainment.ID}, "error_rate": {metric.ErrorRate.ID},
	"gpu_utilization_pct": {metric.GPUUtilisation.ID},
}

// undeclared lists statements about metrics that the frozen spec does not name. A
// spec whose author named none says nothing about what was wanted.
func undeclared(f *Facts) []finding.Finding {
	s := f.Plan.Decided()
	var names []string
	for path, set := range map[string]spec.MetricSet{"spec.metrics.inference.primary": s.Metrics.Inference, "spec.metrics.training.primary": s.Metrics.Training} {
		byDefault := slices.ContainsFunc(f.Plan.Defaults, func(d spec.Default) bool { return strings.HasPrefix(path, d.Path) })
		if !byDefault {
			names = append(append(names, set.Primary...), set.Secondary...)
		}
	}
	if len(names) == 0 {
		return nil
	}
	for _, o := range s.SLO {
		names = append(names, o.Metric, "request_goodput") // goodput follows from the objectives
	}
	var list []finding.Finding
	for _, st := range f.Statements {
		m, ours := metricOf(st)
		declared := slices.ContainsFunc(names, func(n string) bool {
			return n == st.Metric || ours && (n == m.ID || slices.Contains(declaredAs[n], m.ID))
		})
		if declared || st.Quality != nil || st.Scaling != nil {
			continue
		}
		list = append(list, finding.Finding{
			Severity: f.publishing(),
			Message:  fmt.Sprintf("%s is stated, but the frozen spec (%.19s…) does not name that metric", said(st), f.Manifest.SpecDigest),
			Why:      "of many metrics one looks good by chance",
			Fix:      "state the metrics of spec.metrics; name this one there and run again",
		})
	}
	return list
}
