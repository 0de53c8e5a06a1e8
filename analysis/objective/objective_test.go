package objective

import (
	"testing"
	"time"

	"assay/metric"
	"assay/plan"
	"assay/spec"
	"assay/stats"
	"assay/unit"
)

func TestJudge(t *testing.T) {
	row := func(m metric.Metric, statistic string, v, lo, hi float64) metric.Row {
		return metric.Row{Metric: m.ID, Name: m.Name, Statistic: statistic, Unit: m.Unit, Point: 2, Estimate: stats.Estimate{Value: v, Interval: stats.Interval{Lo: lo, Hi: hi}}}
	}
	uncertain := row(metric.TPOT, "p99", .01, 0, 0)
	uncertain.Interval, uncertain.Warnings = stats.Unbounded, []string{"need n ≥ 368"}
	e := metric.Estimates{Rows: []metric.Row{
		row(metric.TTFT, "p99", .2, .19, .21), row(metric.ErrorRate, "value", 0, 0, .004),
		row(metric.OutputThroughput, "value", 500, 480, 520), uncertain,
	}}
	latency := func(name string, max time.Duration) spec.Objective {
		return spec.Objective{Metric: name, Percentile: 99, Max: unit.Duration(max)}
	}
	tests := []struct {
		o    spec.Objective
		name string
		want State
	}{
		{latency("ttft", 210*time.Millisecond), "p99 TTFT ≤ 210ms", Kept},
		{latency("ttft", 200*time.Millisecond), "p99 TTFT ≤ 200ms", Uncertain},
		{latency("ttft", 180*time.Millisecond), "p99 TTFT ≤ 180ms", Broken},
		{latency("tpot", time.Second), "p99 TPOT ≤ 1s", Uncertain}, // without an end nothing is kept
		{latency("e2e", time.Second), "p99 E2E ≤ 1s", Uncertain},   // nor what was not estimated
		{spec.Objective{Metric: "error_rate", MaxRatio: .005}, "error rate ≤ 0.5 %", Kept},
		{spec.Objective{Metric: "error_rate", MaxRatio: .001}, "error rate ≤ 0.1 %", Uncertain},
		{spec.Objective{Metric: "tokens_per_second", Min: 470}, "output throughput ≥ 470", Kept},
		{spec.Objective{Metric: "tokens_per_second", Min: 530}, "output throughput ≥ 530", Broken},
	}
	for _, tt := range tests {
		got := Judge(e, []spec.Objective{tt.o}, plan.Point{Index: 2}, nil)
		if len(got) != 1 || got[0].State != tt.want || got[0].Name != tt.name || got[0].Reason == "" {
			t.Errorf("%+v: %+v, want %s %q", tt.o, got, tt.want, tt.name)
		}
	}
	if got := Worst([]Verdict{{State: Kept}, {State: Broken}, {State: Uncertain}}); got != Broken {
		t.Errorf("worst is %s, want broken", got)
	}
	if got := Worst(nil); got != Kept {
		t.Errorf("no objective: %s, want kept", got)
	}
}
