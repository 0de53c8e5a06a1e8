package page

import (
	"fmt"
	"math"
	"slices"

	"assay/analysis/hardware"
	"assay/report"
	"assay/unit"
)

// hardware shows what the parts of the machine can do.
func (x exhibit) hardware() part {
	h := x.Hardware
	if h == nil {
		return part{}
	}
	return part{
		ID: "hardware", Title: "Hardware",
		Charts: slices.Concat(ladderChart(h), rooflineChart(h.Roofline)),
		Parts:  blockParts(x.HardwareBlocks()),
	}
}

// ladderChart is the latency of memory over the size of what is walked over: every
// step is a level.
func ladderChart(h *hardware.Report) []chart {
	c := chart{Kind: curveChart, Title: "Latency of memory by working set", X: []axis{{Label: "working set", Log: true, Bytes: true}}, Y: axis{Label: "latency", Log: true}}
	one := line{Name: "latency", X: []nums{nil}}
	for _, r := range h.Rows {
		if r.Probe != "cache" || r.Unit != unit.Second || r.Size == 0 {
			continue
		}
		one.X[0] = append(one.X[0], float64(r.Size))
		one.Y = append(one.Y, r.Value)
		one.Lo, one.Hi = append(one.Lo, r.Interval.Lo), append(one.Hi, r.Interval.Hi)
		one.Points, one.Notes = append(one.Points, r.Variant), append(one.Notes, fmt.Sprintf("n = %d", r.Samples))
	}
	if len(one.Y) < 2 {
		return nil
	}
	for _, l := range h.Levels {
		if l.Name != "memory" {
			c.Limits = append(c.Limits, limit{At: num(l.Size), Along: true, Label: l.Name})
		}
	}
	c.Series = []line{one}
	c.scaleY(unit.Second)
	return []chart{c}
}

// rooflineChart is what kernels reach below the roofs that were measured.
func rooflineChart(r *hardware.Roofline) []chart {
	if r == nil || r.Peak <= 0 || r.Memory <= 0 {
		return nil
	}
	c := chart{Kind: curveChart, Title: "Roofline of " + r.Device, X: []axis{{Label: "intensity", Unit: "FLOP/B", Log: true}}, Y: axis{Label: "rate", Log: true}}
	lo, hi := r.Ridge/16, r.Ridge*16
	for _, p := range r.Points {
		lo, hi = math.Min(lo, p.Intensity/2), math.Max(hi, p.Intensity*2)
	}
	roof := line{Name: "roof", X: []nums{nil}, Note: "measured"}
	for i := range modelSteps + 1 {
		at := math.Exp(math.Log(lo) + math.Log(hi/lo)*float64(i)/modelSteps)
		roof.X[0], roof.Y = append(roof.X[0], at), append(roof.Y, math.Min(r.Peak, at*r.Memory))
	}
	c.Series = []line{roof}
	for _, p := range r.Points {
		c.Series = append(c.Series, line{
			Name: p.Name, Style: len(c.Series), X: []nums{{p.Intensity}}, Y: nums{p.Reached}, Points: []string{p.Name},
			Notes: []string{report.Share(report.FiniteOr(p.Reached/p.Roof, 0)) + " of its roof"},
		})
	}
	c.scaleY(unit.FLOPPerSecond)
	return []chart{c}
}
