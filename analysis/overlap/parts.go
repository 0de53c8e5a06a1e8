package overlap

import (
	"assay/metric/exchange"
	"assay/record"
	"assay/stats"
)

// partNames are the parts of a step in the order of a step.
var partNames = []string{"data", "h2d", "forward", "backward", "exposed_communication", "optimizer", "other"}

// partsOf are the parts of the mean step of the slowest rank, estimated over
// launches. Means add up where medians would not. A part that nothing was recorded of
// is left out.
func partsOf(list []measured, confidence float64) ([]Part, error) {
	perLaunch := make([][]float64, len(partNames))
	known := map[string]bool{"other": true}
	for _, m := range list {
		m.knownParts(known)
		for i, v := range m.parts() {
			perLaunch[i] = append(perLaunch[i], v)
		}
	}
	var out []Part
	total := 0.0
	for i, name := range partNames {
		if len(perLaunch[i]) == 0 {
			return nil, nil // no launch has a counted step
		}
		if !known[name] {
			continue
		}
		est, err := stats.Mean(perLaunch[i], confidence)
		if err != nil {
			return nil, err
		}
		if name != "other" { // which is negative where phases overlap
			est.Interval.Lo = max(0, est.Interval.Lo)
		}
		total += est.Value
		out = append(out, Part{Name: name, Estimate: est})
	}
	for i := range out {
		out[i].Share = out[i].Value / total
	}
	return out, nil
}

// knownParts notes which parts were recorded.
func (m measured) knownParts(known map[string]bool) {
	for _, s := range m.counted {
		for i, row := range s.Rows {
			_, exchanged := s.Figures(i)
			for name, there := range map[string]bool{
				"data": row.Data != nil, "h2d": row.H2D != nil, "forward": row.Forward != nil, "backward": row.Backward != nil,
				"optimizer": row.Optimizer != nil, "exposed_communication": exchanged,
			} {
				known[name] = known[name] || there
			}
		}
	}
}

// parts are those of the mean step of the rank whose mean step is the longest; nil
// without counted steps.
func (m measured) parts() []float64 {
	took, n := map[int32]int64{}, map[int32]int{}
	for _, s := range m.counted {
		for _, row := range s.Rows {
			took[row.Rank] += row.End - row.Start
			n[row.Rank]++
		}
	}
	slowest, longest := int32(-1), -1.0
	for rank, sum := range took {
		if mean := float64(sum) / float64(n[rank]); mean > longest || mean == longest && rank < slowest {
			slowest, longest = rank, mean
		}
	}
	if slowest < 0 {
		return nil
	}
	sums := make([]float64, len(partNames))
	for _, s := range m.counted {
		for i, row := range s.Rows {
			if row.Rank == slowest {
				addParts(sums, s, i)
			}
		}
	}
	for i := range sums {
		sums[i] /= float64(n[slowest])
	}
	return sums
}

// addParts adds the parts of rank i's step, in seconds.
func addParts(sums []float64, s exchange.Step, i int) {
	row := s.Rows[i]
	exposed := int64(0)
	if f, ok := s.Figures(i); ok {
		exposed = f.Exposed
	}
	of := []int64{value(row.Data), value(row.H2D), value(row.Forward), 0, exposed, value(row.Optimizer)}
	of[3] = max(0, value(row.Backward)-exposed)
	rest := row.End - row.Start
	for j, v := range of {
		sums[j] += seconds(v)
		rest -= v
	}
	sums[len(of)] += seconds(rest)
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
