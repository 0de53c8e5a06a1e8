// Package tier1 repeats a few small targets and watches them over time: each is
// measured as it is by default and as it is at its best, the gain is held against
// the last run that somebody accepted, and a loss is measured once more before it is believed.
//
// Its thresholds are those of the reference and are not statistical tests; whether
// the intervals of the two runs are apart stands beside each of them. The package
// knows targets, rules and history files. How a target is measured is handed in.
package tier1

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"assay/stats"
	"assay/suite"
)

// The suite by name and version; results of another are not compared with.
const (
	Name    = "tier1"
	Version = 1
)

// A Target is one small workload in two shapes.
type Target struct {
	suite.Step
	Key       string
	Category  string // gemm, attention, decode, kv_memory, communication or end_to_end
	Rationale string
	Goal      string // speed or memory
	read      reader
}

// A Result is what one target gave: an entry of summary.json.
type Result struct {
	Key       string `json:"key"`
	Target    string `json:"target"`
	Category  string `json:"category"`
	Rationale string `json:"rationale"`
	Status    string `json:"status"` // succeeded, failed or skipped
	Reason    string `json:"reason,omitempty"`

	Baseline      *float64        `json:"baseline_time_ms"`
	Speedup       *float64        `json:"best_speedup"`
	Optimized     *float64        `json:"best_optimized_time_ms"`
	Interval      *stats.Interval `json:"best_optimized_interval_ms,omitempty"` // over launches
	Best          string          `json:"best_optimization,omitempty"`
	Goal          string          `json:"optimization_goal"`
	MemoryMB      *float64        `json:"baseline_memory_mb"`
	MemorySavings *float64        `json:"best_memory_savings_pct"`
	P75           *float64        `json:"baseline_p75_ms"`
	File          string          `json:"baseline_file,omitempty"` // the bundle

	Artifacts map[string]string `json:"artifacts"`
}

// The states of a target.
const (
	Succeeded = "succeeded"
	Failed    = "failed"
	Skipped   = "skipped"
)

// A Summary is one run of the suite: summary.json.
type Summary struct {
	SuiteName    string    `json:"suite_name"`
	SuiteVersion int       `json:"suite_version"`
	Description  string    `json:"description"`
	RunID        string    `json:"run_id"`
	GeneratedAt  time.Time `json:"generated_at"`
	Device       string    `json:"device"`
	SourceJSON   string    `json:"source_result_json"`
	Manifest     string    `json:"source_manifest_json"`
	Markdown     string    `json:"source_markdown_report"`
	Targets      []Result  `json:"targets"`
	Totals       Totals    `json:"summary"`
}

// Totals add a run up. Means of speed-ups are what the reference asks for; the
// geometric one is the only one that does not depend on which shape is called one.
type Totals struct {
	Targets        int      `json:"target_count"`
	Succeeded      int      `json:"succeeded"`
	Failed         int      `json:"failed"`
	Skipped        int      `json:"skipped"`
	Missing        int      `json:"missing"`
	Avg            *float64 `json:"avg_speedup"`
	Median         *float64 `json:"median_speedup"`
	Geomean        *float64 `json:"geomean_speedup"`
	Representative *float64 `json:"representative_speedup"`
	Max            *float64 `json:"max_speedup"`
}

// total adds the results up.
func total(list []Result) Totals {
	t := Totals{Targets: len(list)}
	var gains []float64
	for _, r := range list {
		switch r.Status {
		case Succeeded:
			t.Succeeded++
		case Failed:
			t.Failed++
		case Skipped:
			t.Skipped++
		default:
			t.Missing++
		}
		if r.Speedup != nil && *r.Speedup > 0 {
			gains = append(gains, *r.Speedup)
		}
	}
	if len(gains) == 0 {
		return t
	}
	sum, logs := 0., 0.
	for _, g := range gains {
		sum, logs = sum+g, logs+math.Log(g)
	}
	n := float64(len(gains))
	avg, median, geomean, most := sum/n, stats.Middle(gains), math.Exp(logs/n), slices.Max(gains)
	t.Avg, t.Median, t.Geomean, t.Representative, t.Max = &avg, &median, &geomean, &geomean, &most
	return t
}

// Text is the run for a terminal.
func (s Summary) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s on %s\n\n", s.SuiteName, s.RunID, s.Device)
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "target\tstatus\tby default\tat its best\tspeed-up\tby or reason")
	for _, r := range s.Targets {
		if r.Status != Succeeded {
			fmt.Fprintf(t, "%s\t%s\t–\t–\t–\t%s\n", r.Key, r.Status, r.Reason)
			continue
		}
		fmt.Fprintf(t, "%s\t%s\t%.4g ms\t%.4g ms\t%.3g\t%s\n", r.Key, r.Status, *r.Baseline, *r.Optimized, *r.Speedup, r.Best)
	}
	t.Flush()
	return b.String()
}
