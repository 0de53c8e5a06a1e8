package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/analysis/overlap"
	"assay/report"
	"assay/unit"
)

// longTable is how many rows a table has that is folded: charts above it show the
// same.
const longTable = 24

// blockPart is a block of text as a part of the page.
func blockPart(b report.Block) part {
	p := part{Title: b.Title, Lines: b.Lines, Points: b.Points, Head: b.Head, Rows: b.Rows}
	if len(b.Rows) > longTable {
		p.Title, p.Fold = "", fmt.Sprintf("%s: %d rows", b.Title, len(b.Rows))
	}
	return p
}

// blockParts are blocks below each other; those without anything to say are left out.
func blockParts(list []report.Block) (parts []part) {
	for _, b := range list {
		if len(b.Lines)+len(b.Points)+len(b.Rows) > 0 {
			parts = append(parts, blockPart(b))
		}
	}
	return parts
}

// training shows where the time of steps went, point by point.
func (x exhibit) training() part {
	if x.Training == nil {
		return part{}
	}
	p := part{ID: "training", Title: "Training", Lines: []string{"A step ends when its slowest rank does. Exposed communication is what no computation hides."}}
	points := x.Training.Points
	switch len(points) {
	case 0:
		p.Lines = []string{"No completed launch measured any step."}
	case 1:
		p.Charts = breakdownChart(points[0])
	default:
		p.Charts = partsChart(points)
	}
	p.Parts = append(p.Parts, blockParts(x.GridBlocks())...)
	for i, one := range points {
		inner := part{ID: fmt.Sprintf("training-%d", one.Point), Class: "point", Fold: one.Name, Open: i == 0}
		if len(points) > 1 {
			inner.Charts = breakdownChart(one)
		}
		inner.Charts = slices.Concat(inner.Charts, timelineChart(one), memoryChart(one))
		inner.Parts = blockParts(x.StepBlocks(one))
		for i := range inner.Parts { // the fold has the name of the point
			inner.Parts[i].Title = strings.TrimPrefix(inner.Parts[i].Title, one.Name+": ")
		}
		inner.Parts[0].Title = ""
		p.add(inner)
	}
	return p
}

// The parts of a step and of memory, in the order in which they are drawn.
var (
	stepParts   = []string{"host", "data", "h2d", "forward", "backward", "exposed_communication", "optimizer", "other"}
	rankParts   = []string{"data", "h2d", "forward", "backward", "exposed: transfer", "exposed: peers", "optimizer", "rest of the median step"}
	lineParts   = []string{"data", "h2d", "forward", "backward", "optimizer", "bucket", "other"}
	memoryParts = []string{"parameters", "gradients", "optimizer", "activations", "rest of the peak"}
)

// partColours are the same in every chart, so that one legend teaches all.
var partColours = map[string]int{
	"host": 4, "data": 0, "h2d": 7, "forward": 2, "backward": 3, "exposed_communication": 1, "exposed: transfer": 1, "exposed: peers": 4, "bucket": 1, "optimizer": 5, "other": 6,
	"parameters": 0, "gradients": 3, "activations": 2, "rest of the peak": 6, "rest of the median step": 6,
}

// partsChart is the mean step of every point, part by part.
func partsChart(points []overlap.Point) []chart {
	c := chart{Kind: boxChart, Title: "Where a step goes, point by point", X: []axis{{Label: "time of a step"}}}
	for row, p := range points {
		c.Rows = append(c.Rows, p.Name)
		at := 0.0
		for _, one := range p.Parts {
			at = c.stack(row, at, one.Value, one.Name, unit.Second)
		}
	}
	return c.boxed(stepParts, unit.Second)
}

// breakdownChart is the median step of every rank, part by part.
func breakdownChart(p overlap.Point) []chart {
	c := chart{Kind: boxChart, Title: "The step of every rank", X: []axis{{Label: "time: medians, which need not add up"}}}
	var hosts []string
	for _, r := range p.PerRank {
		hosts = append(hosts, r.Host)
	}
	for row, r := range p.PerRank {
		c.Rows = append(c.Rows, rankText(r.Rank, hosts))
		backward := r.Compute
		if backward == nil && r.Backward != nil {
			left := *r.Backward - report.OrZero(r.Exposed)
			backward = &left
		}
		transfer, wait := r.ByTransfer, r.ByWait
		if transfer == nil && wait == nil {
			transfer = r.Exposed
		}
		at := 0.0
		for i, v := range []*float64{r.Data, r.H2D, r.Forward, backward, transfer, wait, r.Optimizer} {
			if v != nil && *v > 0 {
				at = c.stack(row, at, *v, rankParts[i], unit.Second)
			}
		}
		if rest := r.Step - at; rest > 0 {
			c.stack(row, at, rest, "rest of the median step", unit.Second)
		}
	}
	return c.boxed(rankParts, unit.Second)
}

// rankText names a rank, with its host where there are several.
func rankText(rank int, hosts []string) string {
	text := fmt.Sprintf("rank %d", rank)
	if rank < len(hosts) && slices.ContainsFunc(hosts, func(h string) bool { return h != hosts[0] }) {
		text += ", " + hosts[rank]
	}
	return text
}

// timelineChart is one typical step: phases, and below them gradient buckets on
// their way.
func timelineChart(p overlap.Point) []chart {
	c := chart{Kind: boxChart, Title: "One typical step: phases, and buckets from ready to exchanged", X: []axis{{Label: "time since the first rank began"}}}
	for row, t := range p.Timeline {
		c.Rows = append(c.Rows, fmt.Sprintf("rank %d", t.Rank))
		for _, s := range t.Spans {
			c.put(row, s.Begin, s.End-s.Begin, s.Name, unit.Second)
		}
		var free []float64 // when each lane is free again
		for i, b := range t.Buckets {
			lane := slices.IndexFunc(free, func(at float64) bool { return at <= b[0] })
			if lane < 0 {
				free = append(free, 0)
				lane = len(free) - 1
			}
			free[lane] = b[1]
			c.Boxes = append(c.Boxes, box{
				Row: row, Lane: lane + 1, From: num(b[0]), To: num(b[1]), Style: partColours["bucket"], Name: fmt.Sprint(i),
				Note: fmt.Sprintf("bucket %d, %s, %s", i, unit.Format(b[2], unit.Byte), unit.Format(b[1]-b[0], unit.Second)),
			})
		}
	}
	return c.boxed(lineParts, unit.Second)
}

// memoryChart is what each rank held at its peak.
func memoryChart(p overlap.Point) []chart {
	c := chart{Kind: boxChart, Title: "Memory of every rank", X: []axis{{Label: "memory"}}}
	for _, m := range p.Memory {
		if m.Outcome == "out_of_memory" {
			continue // there is no peak to show
		}
		row, at := len(c.Rows), 0.0
		c.Rows = append(c.Rows, fmt.Sprintf("rank %d", m.Rank))
		for i, v := range []*int64{m.Parameters, m.Gradients, m.Optimizer, m.Activations} {
			if v != nil && *v > 0 {
				at = c.stack(row, at, float64(*v), memoryParts[i], unit.Byte)
			}
		}
		if m.PeakAllocated != nil && float64(*m.PeakAllocated) > at {
			c.stack(row, at, float64(*m.PeakAllocated)-at, "rest of the peak", unit.Byte)
		}
	}
	return c.boxed(memoryParts, unit.Byte)
}

// stack puts a box at the end of a row and returns the new end.
func (c *chart) stack(row int, at, much float64, name string, u unit.Unit) float64 {
	c.put(row, at, much, name, u)
	return at + much
}

// put puts a box into a row. What has no colour of its own is other.
func (c *chart) put(row int, at, much float64, name string, u unit.Unit) {
	style, ok := partColours[name]
	if !ok {
		style = partColours["other"]
	}
	c.Boxes = append(c.Boxes, box{Row: row, From: num(at), To: num(at + much), Style: style, Name: report.PartText(name), Note: report.PartText(name) + " " + unit.Format(much, u)})
}

// boxed ends a chart of boxes: one readable unit, and a legend of what it has. A
// chart without boxes is none.
func (c chart) boxed(names []string, u unit.Unit) []chart {
	top := 0.0
	for _, b := range c.Boxes {
		top = math.Max(top, float64(b.To))
	}
	if top == 0 {
		return nil
	}
	divisor, suffix := unit.Axis(top, u)
	c.X[0].Unit = suffix
	for i := range c.Boxes {
		c.Boxes[i].From /= num(divisor)
		c.Boxes[i].To /= num(divisor)
	}
	for _, name := range names {
		if style := partColours[name]; slices.ContainsFunc(c.Boxes, func(b box) bool { return b.Style == style }) {
			c.Series = append(c.Series, line{Name: report.PartText(name), Style: style, Y: nums{}})
		}
	}
	return []chart{c}
}
