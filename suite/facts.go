package suite

import (
	"fmt"
	"slices"
	"strings"

	"assay/metric"
	"assay/report"
	"assay/unit"
)

// facts are the figures of one bundle that decide about a whole suite. Nil was not
// measured.
type facts struct {
	launches     int
	slo          bool
	throughputCV *float64 // p95 over points of the spread of launches, percent
	ttftCV       *float64
	goodput      *float64 // largest goodput over largest throughput
	stabilityCV  *float64 // percent
	slowTail     *float64 // p99/p50 of latency
	gather       *float64 // what an all-gather carries, over what it could
	spread       *float64 // of algorithms, percent
	autoGap      *float64
	seqCV        *float64 // of sequential storage bandwidth, percent
	toDevice     *float64 // bytes per second
}

func factsOf(r report.Report) facts {
	f := facts{launches: len(r.Estimates.Launches), slo: len(r.Plan.Objectives()) > 0}
	f.throughputCV = spreadOf(r.Estimates, metric.OutputThroughput.ID, "value")
	f.ttftCV = spreadOf(r.Estimates, metric.TTFT.ID, "p50")
	for _, id := range []string{metric.DiskRead.ID, metric.DiskWrite.ID} {
		if cv := spreadOf(r.Estimates, id, "value"); cv != nil {
			f.seqCV = worse(f.seqCV, *cv)
		}
	}
	if good, most := most(r.Estimates, metric.Goodput.ID), most(r.Estimates, metric.RequestThroughput.ID); good != nil && most != nil && *most > 0 {
		// Goodput counts requests by when they were due, throughput by when they ended:
		// at the edges of a short window the first may be the larger.
		share := min(1, *good / *most)
		f.goodput = &share
	}
	if c := r.Collectives; c != nil {
		for _, s := range c.Stability {
			f.stabilityCV, f.slowTail = worse(f.stabilityCV, 100*s.CV), worse(f.slowTail, s.SlowTail)
		}
		if g := c.AllGather(); g != nil {
			f.gather = &g.Share
		}
		for _, a := range c.Algorithms {
			f.spread = worse(f.spread, 100*a.Spread)
			if a.AutoGap != nil {
				f.autoGap = worse(f.autoGap, 100**a.AutoGap)
			}
		}
	}
	if h := r.Hardware; h != nil {
		for _, row := range h.Rows {
			if row.Probe == "transfer" && strings.HasPrefix(row.Variant, "h2d") {
				f.toDevice = worse(f.toDevice, row.Value)
			}
		}
	}
	return f
}

func worse(a *float64, b float64) *float64 {
	if a == nil || b > *a {
		return &b
	}
	return a
}

// spreadOf is the 95th percentile over points of the spread of their launches, in
// percent; of few points that is the largest.
func spreadOf(e metric.Estimates, id, statistic string) *float64 {
	var list []float64
	for _, row := range e.Rows {
		if row.Metric == id && row.Statistic == statistic && row.CV != nil {
			list = append(list, 100**row.CV)
		}
	}
	if len(list) == 0 {
		return nil
	}
	slices.Sort(list)
	return &list[(95*len(list)+99)/100-1]
}

func most(e metric.Estimates, id string) *float64 {
	var best *float64
	for _, row := range e.Rows {
		if row.Metric == id && row.Statistic == "value" {
			best = worse(best, row.Value)
		}
	}
	return best
}

// answer is what a bundle says to the question of its step, in one sentence.
func answer(r report.Report) string {
	var parts []string
	say := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if h := r.Hardware; h != nil {
		for _, row := range bestRows(r) {
			say("%s %s %s", row.name, row.what, row.value)
		}
		if roof := h.Roofline; roof != nil {
			say("ridge at %.3g FLOP a byte", roof.Ridge)
		}
	}
	if c := r.Collectives; c != nil {
		sayCollectives(say, r)
	}
	if t := r.Training; t != nil {
		for _, p := range t.Points {
			if p.Verdict.Text != "" {
				say("%s: %s", p.Name, p.Verdict.Text)
			}
		}
		if s := r.Scaling; s != nil {
			for _, study := range s.Studies {
				if study.Result != nil {
					last := study.Result.Rows[len(study.Result.Rows)-1]
					say("%d ranks give %.3g times (%.3g %%)", last.Workers, last.Speedup.Value, 100*last.Efficiency.Value)
				}
			}
		}
	}
	if r.Plan.Target() != nil && r.Plan.Load() != nil {
		if v := most(r.Estimates, metric.OutputThroughput.ID); v != nil {
			say("up to %s", unit.Format(*v, metric.OutputThroughput.Unit))
		}
		if f := factsOf(r); f.goodput != nil {
			say("%.3g %% of the best throughput is within its limits", 100**f.goodput)
		}
	}
	if len(parts) == 0 {
		return "measured; its report has the figures"
	}
	return strings.Join(parts, "; ")
}

func sayCollectives(say func(string, ...any), r report.Report) {
	c := r.Collectives
	best := map[string]float64{}
	var order []string
	var wrong int64
	for _, row := range c.Rows {
		wrong += row.Wrong
		if row.BusBW == nil {
			continue
		}
		if _, seen := best[row.Op]; !seen {
			order = append(order, row.Op)
		}
		best[row.Op] = max(best[row.Op], row.BusBW.Value)
	}
	for _, op := range order {
		say("%s up to %s bus bandwidth", op, unit.Format(best[op], unit.BytePerSecond))
	}
	for _, s := range c.Stability {
		say("%s, p99 %.3g times the median", strings.ReplaceAll(s.Class, "_", " "), s.SlowTail)
	}
	for _, k := range c.Chunking {
		say("%d calls take %.3g times as long as one", k.Chunks, k.Ratio.Value)
	}
	for _, a := range c.Algorithms {
		say("best is %s, %.2g %% ahead of the worst", a.Best, 100*a.Spread)
	}
	for _, m := range c.Matrices {
		if m.Guess != "" {
			say("%s", m.Guess)
		}
	}
	if wrong > 0 {
		say("%d elements were wrong", wrong)
	}
}

// A bestRow is the best variant of a probe.
type bestRow struct{ name, what, value string }

// bestRows is the best figure of each kind that each probe has: the most of a rate,
// the least of a latency.
func bestRows(r report.Report) []bestRow {
	type kind struct{ probe, what string }
	at := map[kind]int{}
	var order []kind
	rows := r.Hardware.Rows
	for i, row := range rows {
		k := kind{row.Probe, row.What}
		held, seen := at[k]
		if !seen {
			order = append(order, k)
		}
		if better := row.Value > rows[held].Value; !seen || better != (row.What == "latency") {
			at[k] = i
		}
	}
	var list []bestRow
	for _, k := range order {
		row := rows[at[k]]
		list = append(list, bestRow{row.Probe + " " + row.Variant, row.What, unit.Format(row.Value, row.Unit)})
	}
	return list
}
