package metric

import (
	"slices"

	"assay/plan"
	"assay/record"
	"assay/stats"
	"assay/unit"
)

// collectiveMetrics are what operations among ranks take.
var collectiveMetrics = []Metric{CollectiveTime, AlgorithmBandwidth, BusBandwidth, PairLatency, PairBandwidth}

// CollectiveTime is what an operation among ranks takes.
var CollectiveTime = Metric{
	ID:     "collective_time.v1",
	Name:   "collective time",
	Unit:   unit.Second,
	Better: Lower,
	Scope:  Scope{Kinds: []plan.Kind{plan.KindCollective}},
	Doc:    "Time of one measured operation, from its begin to its end on the rank that took longest, each rank by its own clock.",
	Of: Many(func(p *Point) []float64 {
		if p.Ranked == nil {
			return nil
		}
		return CollectiveTimes(p.Ranked.Collectives)
	}),
}

// AlgorithmBandwidth is how fast the buffer of a collective was dealt with.
var AlgorithmBandwidth = Metric{
	ID:     "algbw.v1",
	Name:   "algorithm bandwidth",
	Unit:   unit.BytePerSecond,
	Better: Higher,
	Scope:  Scope{Kinds: []plan.Kind{plan.KindCollective}},
	Doc:    "Bytes of the buffer, as nccl-tests counts them, over the median collective time of the launch. A barrier has none.",
	Of: Whole(func(p *Point) (float64, bool) {
		return p.bandwidth(func(string, int) (float64, bool) { return 1, true })
	}),
}

// BusBandwidth is what a link carried, comparable over operations and ranks.
var BusBandwidth = Metric{
	ID:     "busbw.v1",
	Name:   "bus bandwidth",
	Unit:   unit.BytePerSecond,
	Better: Higher,
	Scope:  Scope{Kinds: []plan.Kind{plan.KindCollective}},
	Doc:    "Algorithm bandwidth times the factor of nccl-tests for the operation and the number of ranks; to be held against one direction of a link. One rank and a barrier have none.",
	Of:     Whole(func(p *Point) (float64, bool) { return p.bandwidth(BusFactor) }),
}

// PairLatency is how far ranks are from each other.
var PairLatency = Metric{
	ID:     "pair_latency.v1",
	Name:   "pair latency",
	Unit:   unit.Second,
	Better: Lower,
	Scope:  Scope{Kinds: []plan.Kind{plan.KindPairs}},
	Doc:    "Half of a round trip of a small message between two ranks, of every two ranks of the world.",
	Of: Many(func(p *Point) []float64 {
		return p.pairs("pair_latency", func(row record.Collective) float64 { return seconds(row.End-row.Start) / 2 })
	}),
}

// PairBandwidth is what goes from one rank to another.
var PairBandwidth = Metric{
	ID:     "pair_bandwidth.v1",
	Name:   "pair bandwidth",
	Unit:   unit.BytePerSecond,
	Better: Higher,
	Scope:  Scope{Kinds: []plan.Kind{plan.KindPairs}},
	Doc:    "Bytes of a large message from one rank to another over the time until it is confirmed, of every two ranks of the world in both directions.",
	Of: Many(func(p *Point) []float64 {
		return p.pairs("pair_bandwidth", func(row record.Collective) float64 { return float64(row.Bytes) / seconds(row.End-row.Start) })
	}),
}

// pairs are the values of the measured exchanges between two ranks.
func (p *Point) pairs(op string, value func(record.Collective) float64) (list []float64) {
	if p.Ranked == nil {
		return nil
	}
	for _, row := range p.Ranked.Collectives {
		if row.Op == op && row.Phase == record.Measure && row.End > row.Start {
			list = append(list, value(row))
		}
	}
	return list
}

func (p *Point) bandwidth(factor func(op string, ranks int) (float64, bool)) (float64, bool) {
	if p.Ranked == nil || p.Ranked.Plan.Collective == nil {
		return 0, false
	}
	c := p.Ranked.Plan.Collective
	f, ok := factor(c.Op, p.Ranked.Plan.Ranks)
	took := stats.Middle(CollectiveTimes(p.Ranked.Collectives))
	return f * float64(c.Bytes) / took, ok && took > 0 && c.Bytes > 0
}

// BusFactor is what makes bus bandwidth of algorithm bandwidth, as in the GetBw
// functions of nccl-tests; false for operations and worlds without a bus.
func BusFactor(op string, ranks int) (float64, bool) {
	n := float64(ranks)
	switch op {
	case "all_reduce":
		return 2 * (n - 1) / n, ranks > 1
	case "all_gather", "reduce_scatter", "all_to_all", "gather", "scatter":
		return (n - 1) / n, ranks > 1
	case "broadcast", "reduce", "point_to_point":
		return 1, ranks > 1
	}
	return 0, false
}

// CollectiveTimes are the times of the measured operations among rows, in seconds
// and in their order: of each the time of the rank that took longest.
func CollectiveTimes(rows []record.Collective) []float64 {
	longest := map[int64]int64{}
	var order []int64
	for _, row := range rows {
		if row.Phase != record.Measure {
			continue
		}
		took, seen := longest[row.Seq]
		if !seen {
			order = append(order, row.Seq)
		}
		longest[row.Seq] = max(took, row.End-row.Start)
	}
	slices.Sort(order)
	times := make([]float64, len(order))
	for i, seq := range order {
		times[i] = seconds(longest[seq])
	}
	return times
}
