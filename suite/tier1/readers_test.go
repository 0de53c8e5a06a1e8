package tier1

import (
	"testing"

	"assay/analysis/collectives"
	"assay/analysis/hardware"
	"assay/report"
	"assay/stats"
)

// Each reader finds both shapes of its target, on processors and on an accelerator.
func TestReaders(t *testing.T) {
	t.Parallel()
	row := func(variant, what string, threads int, size int64, value float64) hardware.Row {
		return hardware.Row{Variant: variant, What: what, Threads: threads, Size: size, Estimate: stats.Estimate{Value: value, N: 3, Interval: stats.Interval{Lo: .99 * value, Hi: 1.01 * value}}}
	}
	probed := func(rows ...hardware.Row) report.Report { return report.Report{Hardware: &hardware.Report{Rows: rows}} }
	exchanged := func(times map[string]float64) report.Report {
		c := &collectives.Report{}
		for name, ms := range times {
			c.Rows = append(c.Rows, collectives.Row{Asked: name, Algorithm: "ring", Time: stats.Estimate{Value: ms / 1e3, N: 3}})
		}
		return report.Report{Collectives: c}
	}
	for _, tt := range []struct {
		name    string
		target  string
		report  report.Report
		best    string
		speedup float64
		savings float64 // 0 means none
	}{
		{"processors", "gemm", probed(row("float32", "flops", 1, 0, 1e9), row("float32", "flops", 2, 0, 2e9)), "float32, 2 threads", 2, 0},
		{"an accelerator", "gemm", probed(row("float32", "flops", 0, 0, 1e9), row("bfloat16", "flops", 0, 0, 8e9), row("bfloat16 1024x1024x1024", "flops", 0, 0, 9e9), row("float64", "flops", 0, 0, 9e9)), "bfloat16", 8, 0},
		{"attention", "attention", probed(row("plain bfloat16", "flops", 0, 0, 1e9), row("library bfloat16", "flops", 0, 0, 4e9), row("library causal bfloat16", "flops", 0, 0, 9e9)), "library bfloat16", 4, 0},
		{"a cache", "kv_memory", probed(row("grow", "latency", 0, 200e6, 1e-3), row("append", "latency", 0, 50e6, 1e-4), row("read", "bandwidth", 0, 50e6, 1e9)), "append", 10, 75},
		{"native", "all_reduce", exchanged(map[string]float64{"direct": 10, "ring": 5, "auto": 4}), "auto", 2.5, 0},
		{"NCCL", "all_reduce", exchanged(map[string]float64{"auto": 10, "ring": 12, "tree": 8}), "tree", 1.25, 0},
	} {
		for _, target := range All {
			if target.Key != tt.target {
				continue
			}
			got := target.result(tt.report)
			if got.Status != Succeeded || got.Best != tt.best || !near(*got.Speedup, tt.speedup) {
				t.Errorf("%s: %s %s, best %q, speed-up %v; want %q, %v", tt.name, got.Status, got.Reason, got.Best, got.Speedup, tt.best, tt.speedup)
			}
			if (got.MemorySavings != nil) != (tt.savings > 0) || tt.savings > 0 && !near(*got.MemorySavings, tt.savings) {
				t.Errorf("%s: savings %v, want %v", tt.name, got.MemorySavings, tt.savings)
			}
		}
	}
}

func near(got, want float64) bool { return got > .999*want && got < 1.001*want }
