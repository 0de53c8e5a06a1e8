package overlap

import (
	"slices"

	"assay/metric"
	"assay/metric/exchange"
	"assay/record"
	"assay/stats"
)

// partNames are the parts of a step in the order of a step, which is that of
// metric.StepParts.
var partNames = []string{"host", "data", "h2d", "forward", "backward", exposedName, "optimizer", "other"}

// exposedName is the part that waits for gradients alone, and dataName the one that
// waits for input.
const (
	exposedName = "exposed_communication"
	dataName    = "data"
)

// partsOf are the parts of the mean step, each step's on its slowest rank, estimated
// over launches. They are the means of metric.StepParts, so that every reader of a
// bundle sees the same numbers. A part that nothing was recorded of is left out.
func partsOf(list []measured, confidence float64) ([]Part, error) {
	metrics := metric.StepParts()
	perLaunch, known := make([][]float64, len(metrics)), make([]bool, len(metrics))
	for _, m := range list {
		if len(m.counted) == 0 {
			continue
		}
		means := metric.MeanStepParts(m.point)
		for i, one := range metrics {
			mean, there := means[one.ID] // zero of a part that only other launches have
			perLaunch[i], known[i] = append(perLaunch[i], mean), known[i] || there
		}
	}
	var out []Part
	total := 0.0
	for i, one := range metrics {
		if !known[i] {
			continue
		}
		over := stats.OverLaunches
		if one.Signed {
			over = stats.Mean
		}
		est, err := over(perLaunch[i], confidence)
		if err != nil {
			return nil, err
		}
		if !one.Signed {
			est.Interval.Lo = max(0, est.Interval.Lo)
		}
		total += est.Value
		out = append(out, Part{Name: partNames[i], Metric: one.ID, Estimate: est, PerLaunch: perLaunch[i]})
	}
	for i := range out {
		out[i].Share = out[i].Value / total
	}
	return out, nil
}

// Part is one part of the point's step by its name; false where nothing was recorded
// of it.
func (p Point) Part(name string) (Part, bool) {
	i := slices.IndexFunc(p.Parts, func(one Part) bool { return one.Name == name })
	if i < 0 {
		return Part{}, false
	}
	return p.Parts[i], true
}

// StepMean is the mean step that the parts add up to, in seconds.
func (p Point) StepMean() (sum float64) {
	for _, one := range p.Parts {
		sum += one.Value
	}
	return sum
}

func value(ns *int64) int64 {
	if ns == nil {
		return 0
	}
	return *ns
}

// timelineOf draws the step of m whose time is the median: a typical one.
func timelineOf(m measured) []Timeline {
	if len(m.counted) == 0 {
		return nil
	}
	var times []float64
	for _, s := range m.counted {
		times = append(times, seconds(s.Slowest()))
	}
	middle := stats.Middle(times)
	typical, off := m.counted[0], -1.0
	for i, s := range m.counted {
		if d := abs(times[i] - middle); off < 0 || d < off {
			typical, off = s, d
		}
	}
	zero := typical.Rows[0].Start
	for i, row := range typical.Rows {
		zero = min(zero, m.ranked.Clock(typical.Rows[i].Rank).Right(row.Start))
	}
	var out []Timeline
	for i, row := range typical.Rows {
		clock := m.ranked.Clock(row.Rank)
		out = append(out, drawn(row, typical.Sides[i], m.ranked.Buckets, func(at int64) float64 { return seconds(clock.Right(at) - zero) }, zero))
	}
	return out
}

func drawn(row record.Step, side exchange.Side, buckets []record.Bucket, at func(int64) float64, zero int64) Timeline {
	t := Timeline{Rank: int(row.Rank)}
	add := func(name string, begin, end int64) {
		if end > begin {
			t.Spans = append(t.Spans, Span{name, at(begin), at(end)})
		}
	}
	if row.Data != nil {
		add("data", row.Start, row.Start+*row.Data)
	}
	if row.H2D != nil {
		add("h2d", row.Start+value(row.Data), row.Start+value(row.Data)+*row.H2D)
	}
	if row.ForwardStart != nil && row.Forward != nil {
		add("forward", *row.ForwardStart, *row.ForwardStart+*row.Forward)
	}
	if row.BackwardStart != nil && row.BackwardEnd != nil {
		add("backward", *row.BackwardStart, *row.BackwardEnd)
		if row.Optimizer != nil {
			add("optimizer", *row.BackwardEnd, min(row.End, *row.BackwardEnd+*row.Optimizer))
		}
	}
	bytes := map[int]int64{}
	for _, b := range buckets {
		if b.Rank == row.Rank && b.Step == row.Step && !b.Alone {
			bytes[int(b.Bucket)] = b.Bytes
		}
	}
	for j, b := range side.Buckets { // these stand on the common clock already
		t.Buckets = append(t.Buckets, [3]float64{seconds(b.Ready - zero), seconds(b.End - zero), float64(bytes[j])})
	}
	return t
}

func abs(v float64) float64 { return max(v, -v) }
