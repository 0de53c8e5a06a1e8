package lint

import (
	"fmt"
	"math"

	"assay/finding"
	"assay/metric"
	"assay/record"
	"assay/unit"
)

// ClientUnmeasured fires when nobody knows how wrong the client's stamps are.
var ClientUnmeasured = Check{
	ID: "client-unmeasured", Severity: finding.Caution,
	Doc:     "The instrument's own error was not measured beside the run.",
	When:    "the run has no calibration, or it failed",
	Applies: serves,
	Run:     func(f *Facts) Answer { return found(clientUnmeasured(f)...) },
}

func clientUnmeasured(f *Facts) []finding.Finding {
	var list []finding.Finding
	for _, c := range []*record.Calibration{f.Client.Before, f.Client.After} {
		if c != nil && c.Unavailable != "" {
			list = append(list, finding.Finding{
				Severity: finding.Caution,
				Message:  fmt.Sprintf("the client's own error could not be measured %s the run: %s", c.When, c.Unavailable),
				Fix:      "remove the cause and run again, or see assay calibrate",
			})
		}
	}
	if f.Client.Bounds == nil && len(list) == 0 {
		message, fix := "the client's own error was not measured", "let the run end by itself"
		if asked := f.Plan.Load(); asked != nil && asked.Calibrate != nil && !*asked.Calibrate {
			message, fix = "the client's own error was not measured: load.calibrate is false", "leave load.calibrate out"
		}
		list = append(list, finding.Finding{Severity: finding.Caution, Message: message, Fix: fix})
	}
	return list
}

// ClientError fires when the client's own error is a large part of what was
// measured.
var ClientError = Check{
	ID: "client-error", Severity: finding.Void,
	Doc: "The instrument is too coarse for the latency it reports.",
	When: "a bound on the client's error is more than 5 % of the p50 of TTFT or ITL at some point " +
		"(caution); more than 25 %, or the known stream was not received whole (void)",
	Run: func(f *Facts) Answer { return found(clientError(f)...) },
}

const (
	// An error of 5 % can hide or make up the differences that people compare.
	errorCaution = .05
	// Beyond a quarter it is larger than any margin that people gate on, and nobody
	// can say which part of the figure is the target's.
	errorVoid = .25
)

func clientError(f *Facts) []finding.Finding {
	if f.Client.Bounds == nil {
		return nil
	}
	var list []finding.Finding
	for _, p := range bounded(f.Client.Bounds) {
		worst, share := metric.Row{}, 0.0
		for _, row := range f.Estimates.Rows {
			if row.Metric == p.metric.ID && row.Statistic == "p50" && row.Value > 0 && p.bound.Seconds/row.Value > share {
				worst, share = row, p.bound.Seconds/row.Value
			}
		}
		if share <= errorCaution {
			continue
		}
		severity := finding.Caution
		if share > errorVoid {
			severity = finding.Void
		}
		list = append(list, finding.Finding{
			Severity: severity,
			Message: fmt.Sprintf("the client's own error of %s (%s of %d) is %.0f %% of the p50 of %s at %s (%s)",
				duration(p.bound.Seconds), p.bound.Statistic, p.bound.N, 100*share, p.metric.Name, pointName(f, worst.Point), duration(worst.Value)),
			Why: "differences of that size may be the client's",
			Fix: "give the client processors of its own or a quieter host, or ask for less load; assay calibrate shows what it can do",
		})
	}
	for _, c := range []*record.Calibration{f.Client.Before, f.Client.After} {
		if c != nil && c.Unavailable == "" && c.Lost+c.Failed > 0 {
			list = append(list, finding.Finding{
				Severity: finding.Void,
				Message:  fmt.Sprintf("%s the run the client lost %d events and %d requests of a known stream", c.When, c.Lost, c.Failed),
				Why:      "it may have lost the target's as well",
				Fix:      "run assay calibrate at the same number of streams and report what it prints",
			})
		}
	}
	return list
}

// A boundedMetric is a metric with the client's error in it.
type boundedMetric struct {
	metric metric.Metric
	bound  metric.Bound
}

func bounded(b *metric.Bounds) []boundedMetric {
	return []boundedMetric{{metric.TTFT, b.TTFT}, {metric.ITL, b.Gap}}
}

// ClientDrift fires when the client was another instrument after the run than
// before it.
var ClientDrift = Check{
	ID: "client-drift", Severity: finding.Caution,
	Doc: "The instrument's own error changed during the run.",
	When: "the calibrations before and after differ by more than a factor of 3 and by more than 1 % of " +
		"the smallest reported p50",
	Run: func(f *Facts) Answer { return found(clientDrift(f)...) },
}

const (
	// Tails of a second of events differ by half and more on the same host.
	driftFactor = 3
	// A change that moves no reported figure by 1 % is not worth a word.
	driftShare = .01
)

func clientDrift(f *Facts) []finding.Finding {
	if f.Client.Bounds == nil {
		return nil
	}
	var list []finding.Finding
	for _, p := range bounded(f.Client.Bounds) {
		if p.bound.Before == nil || p.bound.After == nil {
			continue
		}
		before, after := *p.bound.Before, *p.bound.After
		small, large := min(before, after), max(before, after)
		least := math.Inf(1)
		for _, row := range f.Estimates.Rows {
			if row.Metric == p.metric.ID && row.Statistic == "p50" && row.Value > 0 {
				least = min(least, row.Value)
			}
		}
		if large <= driftFactor*small || large-small <= driftShare*least {
			continue
		}
		list = append(list, finding.Finding{
			Severity: finding.Caution,
			Message: fmt.Sprintf("the client's own error in %s was %s before the run and %s after it (%s)",
				p.metric.Name, duration(before), duration(after), p.bound.Statistic),
			Why: "the host changed while the run went on, and the launches may differ for that",
			Fix: "look at the host's pressure and steal in the samples; run again on a quiet host",
		})
	}
	return list
}

func duration(seconds float64) string { return unit.Format(seconds, metric.TTFT.Unit) }

func pointName(f *Facts, index int) string {
	if p, ok := f.Plan.PointByIndex(index); ok {
		return p.Name
	}
	return fmt.Sprintf("point %d", index)
}
