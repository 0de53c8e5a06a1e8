package lint

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"assay/finding"
	"assay/metric"
	"assay/record"
	"assay/unit"
)

// ClientUnmeasured fires when nobody knows how wrong the client's stamps are.
var ClientUnmeasured = Check{
	ID: "client-unmeasured", Severity: finding.Caution, About: finding.Speed,
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
	ID: "client-error", Severity: finding.Void, About: finding.Speed,
	Doc: "The instrument is too coarse for the latency it reports.",
	When: "the client's error is more than 5 % of a percentile of TTFT or ITL at some point (caution), or " +
		"more than 25 % (void), each percentile held against the error at the same one; it forbids " +
		"these percentiles alone. A percentile above the p50 counts where its interval is bounded. The known " +
		"stream was not received whole (void, of all times and rates)",
	Run: func(f *Facts) Answer { return found(clientError(f)...) },
}

const (
	// ErrorCaution is the share from which on an error can hide or make up the differences
	// that people compare.
	ErrorCaution = .05
	// Beyond a quarter it is larger than any margin that people gate on, and nobody
	// can say which part of the figure is the target's.
	errorVoid = .25
)

func clientError(f *Facts) []finding.Finding {
	if f.Client.Bounds == nil {
		return nil
	}
	var list []finding.Finding
	for _, m := range []metric.Metric{metric.TTFT, metric.ITL} {
		for _, statistic := range []string{"p50", "p90", "p95", "p99", "p99.9"} {
			coarse := coarseRows(f, m, statistic)
			for _, severity := range []finding.Severity{finding.Void, finding.Caution} {
				if of := slices.DeleteFunc(slices.Clone(coarse), func(r coarseRow) bool { return r.severity() != severity }); len(of) > 0 {
					list = append(list, coarseFinding(f, severity, m, statistic, of))
				}
			}
		}
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

// A coarseRow is a percentile with much of the client's error in it.
type coarseRow struct {
	row   metric.Row
	own   metric.OwnError
	share float64
}

func (r coarseRow) severity() finding.Severity {
	if r.share > errorVoid {
		return finding.Void
	}
	return finding.Caution
}

// coarseRows lists them, the worst first.
func coarseRows(f *Facts, m metric.Metric, statistic string) (list []coarseRow) {
	for _, row := range f.Estimates.Rows {
		if row.Metric != m.ID || row.Statistic != statistic || row.Value <= 0 || statistic != "p50" && !row.Interval.Bounded() {
			continue
		}
		if own, ok := f.Client.ErrorOf(row); ok && own.Seconds > ErrorCaution*row.Value {
			list = append(list, coarseRow{row, own, own.Seconds / row.Value})
		}
	}
	slices.SortStableFunc(list, func(a, b coarseRow) int { return cmp.Compare(b.share, a.share) })
	return list
}

func coarseFinding(f *Facts, severity finding.Severity, m metric.Metric, statistic string, list []coarseRow) finding.Finding {
	one := finding.Finding{
		Severity: severity,
		Why:      "differences of that size may be the client's",
		Fix:      "give the client processors of its own or a quieter host, or ask for less load; assay calibrate shows what it can do",
		Scope:    finding.Scope{Metrics: []string{m.ID}, Statistics: []string{statistic}},
	}
	for _, r := range list {
		where := pointName(f, r.row.Point)
		if !slices.Contains(one.Scope.Points, where) {
			one.Scope.Points = append(one.Scope.Points, where)
		}
		one.Evidence = append(one.Evidence, fmt.Sprintf("the client's own error of %s is %.0f %% of the %s of %s at %s (%s), %s",
			duration(r.own.Seconds), 100*r.share, statistic, m.Name, rowName(f, r.row), duration(r.row.Value), r.own.Source))
	}
	one.Message = one.Evidence[0]
	if len(list) == 1 {
		one.Evidence = nil
	} else {
		one.Message += fmt.Sprintf("; and at %d more", len(list)-1)
	}
	return one
}

// ClientDrift fires when the client was another instrument after the run than
// before it.
var ClientDrift = Check{
	ID: "client-drift", Severity: finding.Caution, About: finding.Speed,
	Doc: "The instrument's own error changed during the run.",
	When: "the calibrations before and after differ by more than a factor of 3 and by more than 5 % of " +
		"the smallest reported p50",
	Run: func(f *Facts) Answer { return found(clientDrift(f)...) },
}

const (
	// Tails of a second of events differ by half and more on the same host.
	driftFactor = 3
	// A change that moves no reported figure by as much as people compare is not worth a
	// word: on an ordinary host two seconds of it differ by tens of microseconds.
	driftShare = ErrorCaution
)

func clientDrift(f *Facts) []finding.Finding {
	if f.Client.Bounds == nil {
		return nil
	}
	var list []finding.Finding
	for _, p := range []struct {
		metric metric.Metric
		bound  metric.Bound
	}{{metric.TTFT, f.Client.Bounds.TTFT}, {metric.ITL, f.Client.Bounds.Gap}} {
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
