package report

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"assay/analysis/scaling"
	"assay/stats"
	"assay/unit"
)

// Scaling writes what a scaling study says.
func Scaling(w io.Writer, r scaling.Result) error {
	var b bytes.Buffer
	writeStudy(&b, r)
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s  %s: %s\n    to do: %s\n", f.Severity, f.Check, f.Message, f.Fix)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// writeScaling is the section of a report; its findings are among the others.
func writeScaling(b *bytes.Buffer, r *scaling.Report) {
	if r == nil {
		return
	}
	for _, s := range r.Studies {
		fmt.Fprintf(b, "\nhow it grows%s\n\n", inBrackets(s.Name))
		if s.Refused != "" {
			fmt.Fprintln(b, s.Refused)
			continue
		}
		writeStudy(b, *s.Result)
	}
}

func inBrackets(name string) string {
	if name == "" {
		return ""
	}
	return " (" + name + ")"
}

func writeStudy(b *bytes.Buffer, r scaling.Result) {
	fmt.Fprintln(b, ScalingTitle(r))
	if r.Held != "" {
		fmt.Fprintf(b, "held: %s\n", r.Held)
	}
	if r.Window != "" {
		fmt.Fprintf(b, "measured: %s\n", r.Window)
	}
	if r.Audit != "" {
		fmt.Fprintf(b, "base audited: %s\n", r.Audit)
	}
	fmt.Fprintln(b)
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	table := ScalingTable(r)
	for _, row := range append([][]string{table.Head}, table.Rows...) {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	t.Flush()
	for _, line := range ScalingLines(r) {
		fmt.Fprintln(b, line)
	}
}

// ScalingTitle says what was scaled, and against what.
func ScalingTitle(r scaling.Result) string {
	return fmt.Sprintf("%s scaling of %s against %s", r.Kind, r.Quantity, r.Baseline)
}

// ScalingTiles are the numbers that a study is made for: what the fastest size gives,
// and the largest size at which workers are still worth their price.
func ScalingTiles(r scaling.Result) (list []Tile) {
	worth := -1
	for i, row := range r.Rows {
		of := fmt.Sprintf("%d workers", row.Workers)
		if row.Workers == r.Fastest {
			list = append(list, Tile{Name: "speed-up, fastest size", Of: of, Unit: unit.Ratio, Estimate: row.Speedup}, Tile{Name: "efficiency, fastest size", Of: of, Unit: unit.Share, Estimate: row.Efficiency})
		}
		if row.Efficiency.Value >= r.Threshold {
			worth = i
		}
	}
	if worth >= 0 {
		row, of := r.Rows[worth], fmt.Sprintf("%d workers, the largest size above %.3g %%", r.Rows[worth].Workers, 100*r.Threshold)
		list = append(list, Tile{Name: "speed-up, still efficient", Of: of, Unit: unit.Ratio, Estimate: row.Speedup}, Tile{Name: "efficiency, still efficient", Of: of, Unit: unit.Share, Estimate: row.Efficiency})
	}
	return list
}

// ScalingTable is one row for each size.
func ScalingTable(r scaling.Result) Block {
	target := r.Rate != nil
	b := Block{Head: []string{"workers", string(r.Quantity), "speed-up", "efficiency", "class", "Karp–Flatt", "cost", "launches"}}
	if target {
		b.Head = append(b.Head, "samples to target", "of throughput", "of convergence")
	}
	for i, row := range r.Rows {
		cells := []string{
			fmt.Sprint(row.Workers), fmt.Sprintf("%.4g%s", row.Value.Value, unitSuffix(r.Unit)), between(row.Speedup, 1, ""), between(row.Efficiency, 100, " %"), row.Class,
			optional(row.KarpFlatt, "%.3g"), optional(row.Cost, "$%.4g"), fmt.Sprint(row.Launches),
		}
		if target {
			cells = append(cells, optional(row.Samples, "%.4g"), fmt.Sprintf("%.3g %%", 100*r.Rate.Rows[i].Efficiency.Value), fmt.Sprintf("%.3g %%", 100**row.Convergence))
		}
		b.Rows = append(b.Rows, cells)
	}
	return b
}

// ScalingLines are what follows from the sizes: classes, laws, where the curve bends,
// and what it would give elsewhere.
func ScalingLines(r scaling.Result) (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if r.Rate != nil {
		add("time = samples to target ÷ throughput: efficiency is that of throughput times that of convergence")
	}
	add("classes: %s", scaling.ClassScale)
	lines = append(lines, lawLines(r)...)
	if r.Reading != "" {
		add("%s", r.Reading)
	}
	if r.Bend != nil {
		add("the curve bends at %d workers: the first measured size below %.3g %% efficiency", *r.Bend, 100*r.Threshold)
	} else {
		add("no measured size is below %.3g %% efficiency", 100*r.Threshold)
	}
	add("fastest of the measured sizes: %d workers", r.Fastest)
	if r.Cheapest != nil {
		add("cheapest of the measured sizes: %d workers", *r.Cheapest)
	}
	return append(lines, beyondLines(r)...)
}

// lawLines are every law that was fitted to the sizes, and why others were not.
// Where times were to a target, those of throughput stand beside those of time: a
// law is about how work is shared, and not about how much of it a target takes.
func lawLines(r scaling.Result) (lines []string) {
	of := func(prefix string, r scaling.Result) {
		for _, f := range r.Fits {
			lines = append(lines, prefix+f.Sentence)
		}
		for _, reason := range r.Unfitted {
			lines = append(lines, prefix+reason)
		}
		for _, c := range r.Closed {
			lines = append(lines, fmt.Sprintf("%swith the base taken as exact: %s", prefix, c))
		}
	}
	if r.Rate == nil {
		of("", r)
		return lines
	}
	of("of time: ", r)
	of("of throughput: ", *r.Rate)
	return lines
}

// beyondLines are what follows from more than the curve.
func beyondLines(r scaling.Result) (lines []string) {
	for _, row := range r.Rows {
		if e := row.Exposed; e != nil {
			lines = append(lines, fmt.Sprintf("%d workers: exposed communication is %.3g of computation, which leaves %.3g %%: %s", row.Workers, e.Value, 100*e.Efficiency, e.Advice))
		}
	}
	for _, p := range r.Predictions {
		if p.Refused != "" {
			lines = append(lines, fmt.Sprintf("%d workers: not said: %s", p.Workers, p.Refused))
			continue
		}
		lines = append(lines, fmt.Sprintf("%d workers would give %s times by %s: a guess, nobody measured it", p.Workers, between(*p.Speedup, 1, ""), p.Law))
	}
	return lines
}

func unitSuffix(unit string) string {
	if unit == "" {
		return ""
	}
	return " " + unit
}

// between prints an estimate with its interval, where it has one.
func between(e stats.Estimate, by float64, suffix string) string {
	if math.IsInf(e.Interval.Lo, 0) || math.IsInf(e.Interval.Hi, 0) {
		return fmt.Sprintf("%.3g%s [no interval]", by*e.Value, suffix)
	}
	return fmt.Sprintf("%.3g%s [%.3g, %.3g]", by*e.Value, suffix, by*e.Interval.Lo, by*e.Interval.Hi)
}

func optional(v *float64, format string) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf(format, *v)
}
