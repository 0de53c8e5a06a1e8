package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"assay/metric"
	"assay/plan"
	"assay/spec"
	"assay/unit"
)

// writeEconomics shows what rests on prices, power and bounds that the spec
// declares, after what it declares; nothing where it declares nothing.
func writeEconomics(b *bytes.Buffer, r Report, point plan.Point) {
	s := r.Plan.Decided()
	if s.Cost == nil && s.Bounds == nil {
		return
	}
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	_, measured := r.Estimates.Find(metric.GPUEnergy.ID, "value", point.Index)
	fmt.Fprintf(t, "  economics\tas declared: %s\n", strings.Join(append(CostText(s.Cost, measured), BoundsText(s.Bounds)...), ", "))
	for _, m := range metric.All {
		if !m.Only(metric.Declarations) || !r.Shown(m) {
			continue
		}
		if row, ok := r.Estimates.Find(m.ID, "value", point.Index); ok {
			fmt.Fprintf(t, "    %s\t%s\tCV %s\n", m.Name, Value(row), Percent(row.CV))
		}
	}
	t.Flush()
}

// CostText says what spec.cost declares; the power of the GPUs only where it was
// not measured.
func CostText(c *spec.Cost, measured bool) (parts []string) {
	if c == nil {
		return nil
	}
	parts = append(parts, fmt.Sprintf("%d GPU%s", c.GPUCount, numbered(c.GPUCount, "", "s")))
	say := func(v float64, format string) {
		if v > 0 {
			parts = append(parts, fmt.Sprintf(format, v))
		}
	}
	say(c.GPUHourlyUSD, "$%g for one of them an hour")
	say(c.InputPerMillionUSD, "$%g for a million prompt tokens")
	say(c.OutputPerMillionUSD, "$%g for a million output tokens")
	if !measured {
		say(c.PowerWatts, "%g W each (not measured)")
	}
	if c.PUE > 1 {
		say(c.PUE, "PUE %g")
	}
	say(c.GramsCO2PerKWh, "%g g CO₂e per kWh")
	return parts
}

// BoundsText lists the declared bounds of the hardware.
func BoundsText(b *spec.Bounds) (parts []string) {
	if b == nil {
		return nil
	}
	if b.PeakFLOPS > 0 {
		parts = append(parts, fmt.Sprintf("%.4g FLOP/s each", b.PeakFLOPS))
	}
	if b.MemoryPerSecond > 0 {
		parts = append(parts, unit.Format(float64(b.MemoryPerSecond), unit.BytePerSecond)+" of memory each")
	}
	if b.Parameters > 0 {
		parts = append(parts, fmt.Sprintf("%.4g active parameters", b.Active()))
	}
	return parts
}

// Shown reports whether a face for people shows m: everything, if all is asked
// for.
func (r Report) Shown(m metric.Metric) bool {
	return r.All || !m.Detail || r.StandsIn(m) || r.seenLater(m)
}

// seenLater reports whether m is when a person saw something, and that was later than the first
// output: by a tenth, at the median of some point.
func (r Report) seenLater(m metric.Metric) bool {
	const later = 1.1
	if m.ID != metric.TTFTVisible.ID && m.ID != metric.AnswerTTFTVisible.ID {
		return false
	}
	return slices.ContainsFunc(r.Plan.Points, func(p plan.Point) bool {
		seen, known := r.Estimates.Find(m.ID, "p50", p.Index)
		first, both := r.Estimates.Find(metric.TTFT.ID, "p50", p.Index)
		return known && both && seen.Value > later*first.Value
	})
}

// writeMore says how many metrics of a point only the JSON and --all show.
func writeMore(b *bytes.Buffer, r Report, point plan.Point) {
	more := 0
	for _, m := range metric.All {
		if r.Shown(m) {
			continue
		}
		for _, statistic := range []string{"mean", "value"} {
			if _, ok := r.Estimates.Find(m.ID, statistic, point.Index); ok {
				more++
			}
		}
	}
	if more > 0 {
		fmt.Fprintf(b, "  %d more metrics in the JSON; assay report --all shows them\n", more)
	}
}
