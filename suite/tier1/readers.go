package tier1

import (
	"cmp"
	"fmt"
	"strings"

	"assay/collective"
	"assay/metric"
	"assay/plan"
	"assay/report"
	"assay/stats"
)

// times are what a bundle says of a target, in milliseconds for one unit of work:
// the first shape is the baseline.
type times struct {
	baseline stats.Estimate
	others   map[string]stats.Estimate

	memoryMB *float64 // that the baseline holds
	savings  *float64 // of it by the other shape, percent
}

type reader func(report.Report) (times, bool)

// perUnit turns a rate into the milliseconds of one unit of work, such as a billion
// operations or a thousand tokens.
func perUnit(rate stats.Estimate, unit float64) stats.Estimate {
	ms := func(v float64) float64 { return 1e3 * unit / v }
	rate.Value, rate.Interval = ms(rate.Value), stats.Interval{Lo: ms(rate.Interval.Hi), Hi: ms(rate.Interval.Lo)}
	return rate
}

// ofProducts reads products of matrices: by threads where processors made them, by
// precision where an accelerator did.
func ofProducts(r report.Report) (times, bool) {
	if t, ok := ofThreads(r); ok && len(t.others) > 0 {
		return t, true
	}
	t, ok := ofVariants(r, "float32")
	delete(t.others, "float64")
	return t, ok
}

// ofAttention reads attention over all tokens; what a mask leaves out is other work.
func ofAttention(r report.Report) (times, bool) {
	t := times{others: map[string]stats.Estimate{}}
	if r.Hardware == nil {
		return t, false
	}
	for _, row := range r.Hardware.Rows {
		switch e := perUnit(row.Estimate, 1e9); {
		case strings.HasPrefix(row.Variant, "plain"):
			t.baseline = e
		case !strings.Contains(row.Variant, "causal"):
			t.others[row.Variant] = e
		}
	}
	return t, t.baseline.N > 0
}

// ofCache reads what one more token costs in a KV cache, and what the cache holds.
func ofCache(r report.Report) (times, bool) {
	t := times{others: map[string]stats.Estimate{}}
	if r.Hardware == nil {
		return t, false
	}
	var grown, appended int64
	for _, row := range r.Hardware.Rows {
		switch row.Variant {
		case "grow":
			t.baseline, grown = milliseconds(row.Estimate), row.Size
		case "append":
			t.others[row.Variant], appended = milliseconds(row.Estimate), row.Size
		}
	}
	if grown > 0 && appended > 0 {
		held, saved := float64(grown)/1e6, 100*(1-float64(appended)/float64(grown))
		t.memoryMB, t.savings = &held, &saved
	}
	return t, t.baseline.N > 0
}

// ofVariants reads one variant of a probe of arithmetic against the others.
func ofVariants(r report.Report, baseline string) (times, bool) {
	t := times{others: map[string]stats.Estimate{}}
	if r.Hardware == nil {
		return t, false
	}
	for _, row := range r.Hardware.Rows {
		switch e := perUnit(row.Estimate, 1e9); {
		case row.What != "flops" || strings.Contains(row.Variant, " "): // other shapes of a type
		case row.Variant == baseline:
			t.baseline = e
		default:
			t.others[row.Variant] = e
		}
	}
	return t, t.baseline.N > 0
}

// milliseconds turns seconds into them.
func milliseconds(e stats.Estimate) stats.Estimate {
	e.Value, e.Interval = 1e3*e.Value, stats.Interval{Lo: 1e3 * e.Interval.Lo, Hi: 1e3 * e.Interval.Hi}
	return e
}

func ofThreads(r report.Report) (times, bool) {
	t := times{others: map[string]stats.Estimate{}}
	if r.Hardware == nil {
		return t, false
	}
	rows := r.Hardware.Rows
	for _, row := range rows {
		if row.What != "flops" {
			continue
		}
		e := perUnit(row.Estimate, 1e9)
		if row.Threads <= 1 {
			if t.baseline.N == 0 || e.Value < t.baseline.Value {
				t.baseline = e
			}
			continue
		}
		t.others[fmt.Sprintf("%s, %d threads", row.Variant, row.Threads)] = e
	}
	return t, t.baseline.N > 0
}

func ofAlgorithms(r report.Report) (times, bool) {
	t := times{others: map[string]stats.Estimate{}}
	if r.Collectives == nil {
		return t, false
	}
	for _, row := range r.Collectives.Rows {
		t.others[cmp.Or(row.Asked, row.Algorithm)] = milliseconds(row.Time)
	}
	for _, name := range []string{collective.Direct, collective.Auto} {
		if e, ok := t.others[name]; ok {
			t.baseline = e
			delete(t.others, name)
			break
		}
	}
	return t, t.baseline.N > 0
}

// ofTraining reads worlds of several ranks against one, or the first shape of a single
// world against the others.
func ofTraining(r report.Report) (times, bool) {
	if t, ok := ofWorlds(r); ok {
		return t, true
	}
	return ofPoints(r, plan.KindSteps, metric.TokensPerSecond)
}

func ofWorlds(r report.Report) (times, bool) {
	t := times{others: map[string]stats.Estimate{}}
	if r.Scaling == nil || len(r.Scaling.Studies) == 0 || r.Scaling.Studies[0].Result == nil {
		return t, false
	}
	study := r.Scaling.Studies[0]
	single, err := stats.Mean(study.Study.Single, .95)
	if err != nil {
		return t, false
	}
	t.baseline = perUnit(single, 1e3)
	for _, row := range study.Result.Rows {
		t.others[fmt.Sprintf("%d ranks", row.Workers)] = perUnit(row.Value, 1e3)
	}
	return t, true
}

func ofUsers(r report.Report) (times, bool) {
	return ofPoints(r, plan.KindServing, metric.OutputThroughput)
}

// ofPoints reads the rate of the first point against those of the others.
func ofPoints(r report.Report, kind plan.Kind, m metric.Metric) (times, bool) {
	t := times{others: map[string]stats.Estimate{}}
	for _, point := range r.Plan.Points {
		row, ok := r.Estimates.Find(m.ID, "value", point.Index)
		if !ok || point.Kind() != kind {
			continue
		}
		if e := perUnit(row.Estimate, 1e3); t.baseline.N == 0 {
			t.baseline = e
		} else {
			t.others[point.Name] = e
		}
	}
	return t, t.baseline.N > 0
}
