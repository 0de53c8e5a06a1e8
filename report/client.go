package report

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"

	"assay/metric"
	"assay/record"
	"assay/unit"
)

// OwnError says how wrong the client was about a known stream, and what that
// does not cover.
func OwnError(r Report) []string {
	b := r.Client.Bounds
	if r.Source != nil && b == nil {
		return []string{"not known: " + r.Source.Tool + " does not measure its own"}
	}
	if b == nil {
		return []string{"not measured: TTFT and gaps include the client's own delay (see assay calibrate)"}
	}
	made, when := r.Client.After, "after the run only"
	switch before, after := b.TTFT.Before != nil, b.TTFT.After != nil; {
	case before && after:
		when = "before and after the run"
	case before:
		made, when = r.Client.Before, "before the run only"
	}
	list := []string{fmt.Sprintf("TTFT ≤ %s (%s), gaps ≤ %s (%s); a known stream, %s, %s",
		boundText(b.TTFT), statisticOf(b.TTFT), boundText(b.Gap), statisticOf(b.Gap), demandText(*made), when)}
	if text := movedText(r.Client); text != "" {
		list = append(list, text)
	}
	if len(made.NotCovered) > 0 {
		list = append(list, "not covered: "+strings.Join(made.NotCovered, "; "))
	}
	return list
}

// movedText says how much later the client saw the first tokens of the run, in the point and
// launch where it was most.
func movedText(c metric.Client) string {
	var usual, tail float64
	n := 0
	for _, h := range c.Launches {
		for _, m := range h.Moved {
			usual, tail, n = max(usual, m.P50), max(tail, m.P99), n+m.N
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("in the run it moved first tokens by ≤ %s at the median and ≤ %s at the p99, as far as its %d requests show",
		unit.Format(usual, unit.Second), unit.Format(tail, unit.Second), n)
}

func statisticOf(b metric.Bound) string { return fmt.Sprintf("%s of %d", b.Statistic, b.N) }

func boundText(b metric.Bound) string { return unit.Format(b.Seconds, metric.TTFT.Unit) }

func demandText(c record.Calibration) string {
	if c.Loop == "open" {
		return fmt.Sprintf("open loop of %.4g/s", c.Rate)
	}
	return fmt.Sprintf("closed loop of %d", c.Streams)
}

// BoundOf is the client's error beside a metric that has it inside.
func BoundOf(r Report, m metric.Metric) string {
	if r.Client.Bounds == nil {
		return "–"
	}
	switch m.ID {
	case metric.TTFT.ID:
		return "≤ " + boundText(r.Client.Bounds.TTFT)
	case metric.ITL.ID:
		return "≤ " + boundText(r.Client.Bounds.Gap)
	}
	return "–"
}

// writeClient shows the client's health by launch, and every finding.
func writeClient(b *bytes.Buffer, r Report) {
	if len(r.Client.Launches) > 0 && r.Serves() {
		fmt.Fprintln(b, "\nclient")
		t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "  launch\tlag p50\tlag p99\tlate > 1 ms\tshared reads\tCPU\tbusiest\tGC pause\trun queue\tsteal\tpressure\tmemory\tfiles")
		for _, h := range r.Client.Launches {
			fmt.Fprintf(t, "  %d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", h.Launch+1,
				Quantity(h.LagP50, metric.TTFT.Unit), Quantity(h.LagP99, metric.TTFT.Unit), Percent(h.LateShare), Percent(h.SharedRead),
				Percent(h.CPUShare), Percent(h.CPUShareMax), Quantity(h.GCPauseMax, metric.TTFT.Unit),
				Percent(h.RunQueue), Percent(h.Steal), Percent(h.CPUPressure), Quantity(h.ResidentMax, unit.Byte), Count(h.OpenFilesMax))
		}
		t.Flush()
	}
	writeGenerators(b, r)
	if len(r.Findings) > 0 {
		fmt.Fprintln(b, "\nfindings")
	}
	for _, f := range r.Findings {
		fmt.Fprintf(b, "  %s  %s: %s\n", f.Severity, f.Check, f.Message)
		if f.Why != "" {
			fmt.Fprintf(b, "    why: %s\n", f.Why)
		}
		if f.Fix != "" {
			fmt.Fprintf(b, "    to do: %s\n", f.Fix)
		}
	}
}

// Quantity shows a value that may be missing.
func Quantity(v *float64, u unit.Unit) string {
	if v == nil {
		return "–"
	}
	return unit.Format(*v, u)
}

// Count shows a whole number that may be missing.
func Count(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.0f", *v)
}
