package report

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"text/tabwriter"

	"assay/metric"
	"assay/plan"
	"assay/stats"
	"assay/unit"
)

// SideHead is what the head calls a side.
func SideHead(name string) string {
	if name == "" {
		return "target"
	}
	return "side " + name
}

// writeSides writes one point: each side by itself, then candidates beside the
// baseline.
func writeSides(b *bytes.Buffer, r Report, point plan.Point) {
	sides := r.Plan.Sides()
	if len(sides) < 2 {
		fmt.Fprintf(b, "\n%s\n", point.Name)
		writePoint(b, r, point)
		return
	}
	for _, side := range sides {
		fmt.Fprintf(b, "\n%s, %s\n", point.Name, side.Name)
		one := r
		one.Estimates = r.Estimates.Of(side.Name)
		writePoint(b, one, point)
	}
	for _, candidate := range sides[1:] {
		writePaired(b, r, point, candidate.Name)
	}
}

// writeEachApart writes what each side did outside of points.
func writeEachApart(b *bytes.Buffer, r Report) {
	sides := r.Plan.Sides()
	if len(sides) < 2 {
		writeApart(b, r, "")
		return
	}
	for _, side := range sides {
		one := r
		one.Estimates = r.Estimates.Of(side.Name)
		writeApart(b, one, side.Name+": ")
	}
}

// PairedStatistics are the statistics shown of a distribution.
var PairedStatistics = map[string]bool{"p50": true, "p99": true, "value": true}

// writePaired writes a candidate beside the baseline, block by block. It states
// what was measured; whether a difference matters is not for it to say.
func writePaired(b *bytes.Buffer, r Report, point plan.Point, side string) {
	hidden := map[string]bool{}
	for _, m := range metric.All {
		hidden[m.ID] = !r.Shown(m)
	}
	var rows []metric.Paired
	for _, p := range r.Estimates.Paired {
		if p.Point == point.Index && p.Side == side && PairedStatistics[p.Statistic] && !hidden[p.Metric] {
			rows = append(rows, p)
		}
	}
	fmt.Fprintf(b, "\n%s, %s beside baseline, paired by block\n", point.Name, side)
	if len(rows) == 0 {
		fmt.Fprintln(b, "  no block has a completed launch of both sides")
		return
	}
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "  metric\tratio\tdifference\tblocks\tdifference in each block\n")
	for _, p := range rows {
		name := p.Name
		if p.Statistic != "value" {
			name += " " + p.Statistic
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\t%d\t%s\n", name, PairedRatio(p), PairedDifference(p), len(p.Blocks), BlockDifferences(p))
	}
	t.Flush()
}

// PairedRatio shows a ratio with its interval: 0.951 [0.93, 0.972].
func PairedRatio(p metric.Paired) string {
	if p.Ratio == nil {
		return "–"
	}
	if math.IsInf(p.Ratio.Interval.Hi, 1) {
		return Unbounded(fmt.Sprintf("%.3g", p.Ratio.Value), p.Ratio.Warnings)
	}
	return fmt.Sprintf("%.3g [%.3g, %.3g]", p.Ratio.Value, p.Ratio.Interval.Lo, p.Ratio.Interval.Hi)
}

// PairedDifference shows the difference of a pair with its interval.
func PairedDifference(p metric.Paired) string {
	d := p.Difference
	if math.IsInf(d.Interval.Hi, 1) {
		return Unbounded(unit.Format(d.Value, p.Unit), d.Warnings)
	}
	return unit.FormatInterval(d.Value, d.Interval.Lo, d.Interval.Hi, p.Unit)
}

// Unbounded shows a value without an interval, or that it cannot be shown.
func Unbounded(value string, warnings []string) string {
	for _, warning := range warnings {
		if text, _, found := strings.Cut(warning, ","); found && stats.IsTooFew(text) {
			return text
		}
	}
	return value + " [no interval]"
}

// BlockDifferences lists the differences of single blocks.
func BlockDifferences(p metric.Paired) string {
	var list []string
	for _, block := range p.Blocks {
		list = append(list, unit.Format(block.Candidate-block.Baseline, p.Unit))
	}
	return strings.Join(list, "  ")
}
