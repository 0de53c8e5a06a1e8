package report

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"assay/analysis/scaling"
	"assay/stats"
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
	fmt.Fprintf(b, "%s scaling of %s against %s\n", r.Kind, r.Quantity, r.Baseline)
	if r.Held != "" {
		fmt.Fprintf(b, "held: %s\n", r.Held)
	}
	fmt.Fprintln(b)
	writeSizes(b, r)
	fmt.Fprintf(b, "classes: %s\n", scaling.ClassScale)
	writeLaws(b, r)
	if r.Reading != "" {
		fmt.Fprintln(b, r.Reading)
	}
	if r.Bend != nil {
		fmt.Fprintf(b, "the curve bends at %d workers: the first measured size below %.3g %% efficiency\n", *r.Bend, 100*r.Threshold)
	} else {
		fmt.Fprintf(b, "no measured size is below %.3g %% efficiency\n", 100*r.Threshold)
	}
	fmt.Fprintf(b, "fastest of the measured sizes: %d workers\n", r.Fastest)
	if r.Cheapest != nil {
		fmt.Fprintf(b, "cheapest of the measured sizes: %d workers\n", *r.Cheapest)
	}
	writeBeside(b, r)
}

// writeLaws is every law that was laid through the sizes, and why others were not.
// Where times were to a target, those of throughput stand beside those of time: a
// law is about how work is shared, and not about how much of it a target takes.
func writeLaws(b *bytes.Buffer, r scaling.Result) {
	of := func(prefix string, r scaling.Result) {
		for _, f := range r.Fits {
			fmt.Fprintf(b, "%s%s\n", prefix, f.Sentence)
		}
		for _, reason := range r.Unfitted {
			fmt.Fprintf(b, "%s%s\n", prefix, reason)
		}
		for _, c := range r.Closed {
			fmt.Fprintf(b, "%swith the base taken as exact: %s\n", prefix, c)
		}
	}
	if r.Rate == nil {
		of("", r)
		return
	}
	of("of time: ", r)
	of("of throughput: ", *r.Rate)
}

func writeSizes(b *bytes.Buffer, r scaling.Result) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	target := r.Rate != nil
	fmt.Fprintf(t, "workers\t%s\tspeed-up\tefficiency\tclass\tKarp–Flatt\tcost\tlaunches", r.Quantity)
	if target {
		fmt.Fprint(t, "\tsamples to target\tof throughput\tof convergence")
	}
	fmt.Fprintln(t)
	for i, row := range r.Rows {
		fmt.Fprintf(t, "%d\t%.4g%s\t%s\t%s\t%s\t%s\t%s\t%d", row.Workers, row.Value.Value, unitSuffix(r.Unit), between(row.Speedup, 1, ""),
			between(row.Efficiency, 100, " %"), row.Class, optional(row.KarpFlatt, "%.3g"), optional(row.Cost, "$%.4g"), row.Launches)
		if target {
			fmt.Fprintf(t, "\t%s\t%.3g %%\t%.3g %%", optional(row.Samples, "%.4g"), 100*r.Rate.Rows[i].Efficiency.Value, 100**row.Convergence)
		}
		fmt.Fprintln(t)
	}
	t.Flush()
	if target {
		fmt.Fprintln(b, "time = samples to target ÷ throughput: efficiency is that of throughput times that of convergence")
	}
}

// writeBeside is what follows from more than the curve.
func writeBeside(b *bytes.Buffer, r scaling.Result) {
	for _, row := range r.Rows {
		if e := row.Exposed; e != nil {
			fmt.Fprintf(b, "%d workers: exposed communication is %.3g of computation, which leaves %.3g %%: %s\n", row.Workers, e.Value, 100*e.Efficiency, e.Advice)
		}
	}
	for _, p := range r.Predictions {
		if p.Refused != "" {
			fmt.Fprintf(b, "%d workers: not said: %s\n", p.Workers, p.Refused)
			continue
		}
		fmt.Fprintf(b, "%d workers would give %s times by %s: a guess, nobody measured it\n", p.Workers, between(*p.Speedup, 1, ""), p.Law)
	}
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
