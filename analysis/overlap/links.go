package overlap

import (
	"cmp"
	"slices"
	"strings"

	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/stats"
)

// links is what other points of the same launch say about the hardware.
type links struct {
	directions []direction
	matmul     []product
}

// A direction is how fast one rank sends to another, in bytes per second.
type direction struct {
	from, to int
	rate     float64
}

// A product is the rate of one matrix product that was probed, in FLOP/s.
type product struct {
	variant string
	rate    float64
}

// linksOf reads the points of pairs, and the matrix products of probes.
func linksOf(l metric.Launch) (out links) {
	type key struct{ from, to int }
	rates := map[key][]float64{}
	for _, p := range l.Points {
		if p.Ranked == nil {
			continue
		}
		if p.Kind == plan.KindPairs {
			for _, c := range p.Ranked.Collectives {
				if c.Op == "pair_bandwidth" && c.Phase == record.Measure && c.Peer != nil && c.End > c.Start {
					k := key{int(c.Rank), int(*c.Peer)}
					rates[k] = append(rates[k], float64(c.Bytes)/seconds(c.End-c.Start))
				}
			}
		}
		for _, t := range p.Ranked.Trials {
			if t.Probe == "matmul" && t.Phase == record.Measure && t.FLOP != nil && t.End > t.Start {
				out.matmul = append(out.matmul, product{t.Variant, *t.FLOP / seconds(t.End-t.Start)})
			}
		}
	}
	for k, list := range rates {
		out.directions = append(out.directions, direction{k.from, k.to, stats.Middle(list)})
	}
	slices.SortFunc(out.directions, func(a, b direction) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	return out
}

// fastest is the rate of the fastest matrix product at a precision; nil without one.
func (l links) fastest(precision string) (rate *float64) {
	for _, one := range l.matmul {
		if strings.Contains(one.variant, precision) && (rate == nil || one.rate > *rate) {
			rate = new(one.rate)
		}
	}
	return rate
}

// slowFactor is how far below others a direction must be to be named: rates between
// equal links differ by tens of percent, a broken one by more than half.
const slowFactor = .5

// slowest is the slowest direction that stands out, from its way back or, of more
// than two, from the median of all; oneWay says that its way back is not as slow.
func (l links) slowest() (d direction, oneWay, ok bool) {
	if len(l.directions) == 0 {
		return d, false, false
	}
	var rates []float64
	for _, one := range l.directions {
		rates = append(rates, one.rate)
	}
	d = slices.MinFunc(l.directions, func(a, b direction) int { return cmp.Compare(a.rate, b.rate) })
	back := slices.IndexFunc(l.directions, func(b direction) bool { return b.from == d.to && b.to == d.from })
	oneWay = back >= 0 && d.rate < slowFactor*l.directions[back].rate
	apart := len(rates) > 2 && d.rate < slowFactor*stats.Middle(rates)
	return d, oneWay, oneWay || apart
}
