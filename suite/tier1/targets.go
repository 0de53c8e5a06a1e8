package tier1

import (
	"fmt"
	"maps"
	"slices"

	"assay/metric"
	"assay/plan"
	"assay/report"
	"assay/stats"
	"assay/suite"
)

// times are what a bundle says of a target, in milliseconds for one unit of work:
// the first shape is the baseline.
type times struct {
	baseline stats.Estimate
	others   map[string]stats.Estimate
}

type reader func(report.Report) (times, bool)

// All lists the targets in the order of reports.
var All = []Target{
	{Key: "gemm", Category: "gemm", Goal: "speed", Rationale: "matrix products by all processors against one", read: ofThreads,
		Step: suite.Step{Name: "tier1_gemm", Fragment: "probe: {probes: [matmul], device: {device}, duration: {duration}}"}},
	{Key: "all_reduce", Category: "communication", Goal: "speed", Rationale: "the best algorithm against sending everything to everybody", read: ofAlgorithms,
		Step: suite.Step{Name: "tier1_all_reduce", Fragment: "collectives: {ranks: [{ranks}], operations: [all_reduce], sizes: [{bytes}], algorithms: [direct, ring, tree, halving_doubling], iterations: 10, place: out_of_place}"}},
	{Key: "train_step", Category: "end_to_end", Goal: "speed", Rationale: "training over ranks against the plain program on one", read: ofWorlds,
		Step: suite.Step{Name: "tier1_train_step", Needs: []suite.Need{suite.Torch}, Fragment: "intent: {workloadType: training}\n  train: {ranks: [{worlds}], single: true, device: {device}, batchSize: {batch}, steps: {steps}, warmupSteps: 3}"}},
	{Key: "decode", Category: "decode", Goal: "speed", Rationale: "tokens of many users at once against one", read: ofUsers,
		Step: suite.Step{Name: "tier1_decode", Fragment: "target: {target}\n  load: {concurrency: {concurrency}, duration: {duration}, warmup: {duration: 1s}}"}},
	{Key: "attention", Category: "attention", Goal: "speed", Rationale: "attention kernels", Step: suite.Step{Name: "tier1_attention", Absent: "no measurement of single kernels"}},
	{Key: "kv_memory", Category: "kv_memory", Goal: "memory", Rationale: "memory of the KV cache", Step: suite.Step{Name: "tier1_kv_memory", Absent: "no server tells the size of its cache in bytes"}},
}

// perUnit turns a rate into the milliseconds of one unit of work, such as a billion
// operations or a thousand tokens.
func perUnit(rate stats.Estimate, unit float64) stats.Estimate {
	ms := func(v float64) float64 { return 1e3 * unit / v }
	rate.Value, rate.Interval = ms(rate.Value), stats.Interval{Lo: ms(rate.Interval.Hi), Hi: ms(rate.Interval.Lo)}
	return rate
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
		e := row.Time
		e.Value, e.Interval = 1e3*e.Value, stats.Interval{Lo: 1e3 * e.Interval.Lo, Hi: 1e3 * e.Interval.Hi}
		if row.Algorithm == "direct" {
			t.baseline = e
		} else {
			t.others[row.Algorithm] = e
		}
	}
	return t, t.baseline.N > 0
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
	t := times{others: map[string]stats.Estimate{}}
	for _, point := range r.Plan.Points {
		row, ok := r.Estimates.Find(metric.OutputThroughput.ID, "value", point.Index)
		if !ok || point.Kind() != plan.KindServing {
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

// result is what a report says of the target.
func (t Target) result(r report.Report) Result {
	out := t.blank()
	got, ok := t.read(r)
	if !ok || len(got.others) == 0 {
		out.Status, out.Reason = Failed, "its bundle does not have both shapes"
		return out
	}
	for _, name := range slices.Sorted(maps.Keys(got.others)) {
		e := got.others[name]
		if out.Optimized == nil || e.Value < *out.Optimized {
			out.Optimized, out.Best, out.Interval = &e.Value, name, &e.Interval
		}
	}
	out.Status, out.Baseline = Succeeded, &got.baseline.Value
	gain := got.baseline.Value / *out.Optimized
	out.Speedup = &gain
	if !finite(got.baseline.Value, *out.Optimized, gain) {
		out.Status, out.Reason = Failed, "a time is not a positive number"
	}
	return out
}

func (t Target) blank() Result {
	return Result{Key: t.Key, Target: t.Name, Category: t.Category, Rationale: t.Rationale, Goal: t.Goal, Status: Skipped, Artifacts: map[string]string{}}
}
