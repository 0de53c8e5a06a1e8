package overlap

import (
	"slices"

	"assay/metric/exchange"
	"assay/record"
	"assay/stats"
)

// An observed is what one rank did, step by step, over all launches; seconds.
type observed struct {
	rank  int32
	host  string
	bound float64 // of its clock, the worst

	step, data, h2d, forward, backward, unsynced, optimizer []float64
	compute, exposed, comm, overlap                         []float64
	transfer, wait, byWait, byTransfer                      []float64
	alone                                                   []float64
	lateness, lateStart                                     []float64
	perBucket                                               [][]float64 // lateness, by bucket
	last, buckets                                           int         // how often it was last beyond the bounds, of how many
}

// gather puts together what every rank did.
func gather(list []measured) []*observed {
	of := map[int32]*observed{}
	var order []int32
	rank := func(n int32) *observed {
		if of[n] == nil {
			of[n] = &observed{rank: n}
			order = append(order, n)
		}
		return of[n]
	}
	for _, m := range list {
		for _, row := range m.ranked.World {
			one := rank(row.Rank)
			one.host, one.bound = row.Host, max(one.bound, seconds(m.ranked.Clock(row.Rank).Bound))
		}
		for _, s := range m.steps {
			if s.Phase != record.Measure {
				continue
			}
			for i, row := range s.Rows {
				rank(row.Rank).see(s, i)
			}
			if s.Synced && m.aligned {
				compare(s, rank)
			}
		}
		for n, took := range aloneOf(m.ranked.Buckets) {
			rank(n).alone = append(rank(n).alone, took...)
		}
	}
	slices.Sort(order)
	var out []*observed
	for _, n := range order {
		out = append(out, of[n])
	}
	return out
}

// see notes what rank i of a measured step says by its own clock.
func (o *observed) see(s exchange.Step, i int) {
	row := s.Rows[i]
	if !s.Synced {
		note(&o.unsynced, row.Backward)
		return
	}
	o.step = append(o.step, seconds(row.End-row.Start))
	note(&o.data, row.Data)
	note(&o.h2d, row.H2D)
	note(&o.forward, row.Forward)
	note(&o.backward, row.Backward)
	note(&o.optimizer, row.Optimizer)
	f, ok := s.Figures(i)
	if !ok {
		return
	}
	o.exposed, o.comm = append(o.exposed, seconds(f.Exposed)), append(o.comm, seconds(f.Comm))
	if share, ok := f.Overlap(); ok && len(s.Rows) > 1 {
		o.overlap = append(o.overlap, share)
	}
	if f.Compute > 0 {
		o.compute = append(o.compute, seconds(f.Compute))
	}
}

// compare notes what the ranks of a step say by a common clock.
func compare(s exchange.Step, rank func(int32) *observed) {
	shared, ok := exchange.Aligned(s.Sides)
	if !ok {
		return
	}
	for i, one := range shared {
		o := rank(s.Rows[i].Rank)
		exposed, _ := s.Figures(i)
		o.wait, o.transfer = append(o.wait, seconds(one.Wait)), append(o.transfer, seconds(one.Transfer))
		o.byWait, o.byTransfer = append(o.byWait, seconds(one.ByWait)), append(o.byTransfer, seconds(exposed.Exposed-one.ByWait))
		o.lateStart = append(o.lateStart, seconds(one.Late))
		for j, late := range one.Lateness {
			if j == len(o.perBucket) {
				o.perBucket = append(o.perBucket, nil)
			}
			o.perBucket[j] = append(o.perBucket[j], seconds(late))
			o.lateness = append(o.lateness, seconds(late))
		}
		o.buckets += len(one.Lateness)
	}
	for j := range s.Sides[0].Buckets {
		if o := lastOf(s, j, rank); o != nil {
			o.last++
		}
	}
}

// lastOf is the rank that had bucket j last, and nil when the next to last may have
// been later by the bounds of the two clocks.
func lastOf(s exchange.Step, j int, rank func(int32) *observed) *observed {
	last, next := 0, -1
	for i := 1; i < len(s.Sides); i++ {
		switch ready := s.Sides[i].Buckets[j].Ready; {
		case ready > s.Sides[last].Buckets[j].Ready:
			last, next = i, last
		case next < 0 || ready > s.Sides[next].Buckets[j].Ready:
			next = i
		}
	}
	if next < 0 {
		return nil
	}
	a, b := rank(s.Rows[last].Rank), rank(s.Rows[next].Rank)
	if seconds(s.Sides[last].Buckets[j].Ready-s.Sides[next].Buckets[j].Ready) <= a.bound+b.bound {
		return nil
	}
	return a
}

// aloneOf is how long each rank took for its buckets without computation, repeat by
// repeat.
func aloneOf(buckets []record.Bucket) map[int32][]float64 {
	type key struct {
		rank int32
		step int64
	}
	spans := map[key][2]int64{}
	var order []key
	for _, b := range buckets {
		if !b.Alone {
			continue
		}
		k := key{b.Rank, b.Step}
		span, known := spans[k]
		if !known {
			span = [2]int64{b.Ready, b.End}
			order = append(order, k)
		}
		spans[k] = [2]int64{min(span[0], b.Ready), max(span[1], b.End)}
	}
	out := map[int32][]float64{}
	for _, k := range order {
		out[k.rank] = append(out[k.rank], seconds(spans[k][1]-spans[k][0]))
	}
	return out
}

// figures are the medians of what was observed.
func (o *observed) figures() Rank {
	r := Rank{
		Rank: int(o.rank), Host: o.host,
		Data: middle(o.data), H2D: middle(o.h2d), Forward: middle(o.forward), Backward: middle(o.backward),
		Unsynced: middle(o.unsynced), Optimizer: middle(o.optimizer),
		Compute: middle(o.compute), Exposed: middle(o.exposed), Comm: middle(o.comm), Overlap: middle(o.overlap),
		Transfer: middle(o.transfer), PeerWait: middle(o.wait), ByWait: middle(o.byWait), ByTransfer: middle(o.byTransfer),
		Alone: middle(o.alone), Lateness: middle(o.lateness), LateStart: middle(o.lateStart),
	}
	if len(o.step) > 0 {
		r.Step = stats.Middle(o.step)
		sorted := slices.Sorted(slices.Values(o.step))
		r.Spread = [2]float64{stats.OfRank(sorted, .05), stats.OfRank(sorted, .95)}
	}
	if r.Backward != nil && r.Unsynced != nil && r.Exposed != nil {
		r.Interfere = new(*r.Backward - *r.Unsynced - *r.Exposed)
	}
	if o.buckets > 0 {
		r.Last = new(float64(o.last) / float64(o.buckets))
		r.Score = new(*r.Last * *r.Lateness)
	}
	return r
}

func note(to *[]float64, ns *int64) {
	if ns != nil {
		*to = append(*to, seconds(*ns))
	}
}

func middle(xs []float64) *float64 {
	if len(xs) == 0 {
		return nil
	}
	return new(stats.Middle(xs))
}

func seconds(ns int64) float64 { return float64(ns) / 1e9 }
