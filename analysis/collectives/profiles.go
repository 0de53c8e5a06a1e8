package collectives

import (
	"math"
	"slices"

	"assay/plan"
	"assay/stats"
)

// drawn is how many values of a series are kept for drawing.
const drawn = 400

// stability says how steady the payloads of the stability profile were.
func (s study) stability() (list []Stability) {
	for _, p := range s.planned(plan.ProfileStability) {
		times := s.times(p.Index)
		if len(times) == 0 {
			continue
		}
		all := slices.Sorted(slices.Values(slices.Concat(times...)))
		one := Stability{
			Op: p.Collective.Op, Algorithm: p.Collective.Asked(), Ranks: p.Ranks, Bytes: p.Collective.Bytes,
			Iterations: len(all), P50: stats.OfRank(all, .5), P99: stats.OfRank(all, .99), Series: thinned(times[0]),
		}
		one.SlowTail = one.P99 / one.P50
		// Launches differ by themselves; jitter is what happens inside of one.
		var spreads []float64
		for _, launch := range times {
			rates := make([]float64, len(launch))
			for i, t := range launch {
				rates[i] = 1 / t
			}
			if cv := stats.CV(rates); !math.IsNaN(cv) {
				spreads = append(spreads, cv)
			}
		}
		one.CV = stats.Middle(spreads)
		one.Class = classOf(one.CV)
		list = append(list, one)
	}
	return list
}

// classOf names the jitter of a bandwidth by its coefficient of variation.
func classOf(cv float64) string {
	switch {
	case cv < .01:
		return "excellent"
	case cv < .02:
		return "good"
	case cv < .05:
		return "moderate_jitter"
	}
	return "high_jitter"
}

// thinned keeps the slowest of each stretch, so that no spike is lost.
func thinned(times []float64) []float64 {
	if len(times) <= drawn {
		return times
	}
	out := make([]float64, drawn)
	for i := range out {
		out[i] = slices.Max(times[i*len(times)/drawn : (i+1)*len(times)/drawn])
	}
	return out
}

// chunking compares buffers that were cut with the same ones whole.
func (s study) chunking() (list []Chunking, err error) {
	whole := s.planned(plan.ProfileSize)
	for _, p := range s.planned(plan.ProfileChunking) {
		c := p.Collective
		i := slices.IndexFunc(whole, func(q plan.Point) bool {
			w := q.Collective
			return w.Op == c.Op && q.Ranks == p.Ranks && w.Bytes == c.Bytes && w.Asked() == c.Asked() && w.InPlace == c.InPlace
		})
		if i < 0 {
			continue
		}
		one := Chunking{Op: c.Op, Ranks: p.Ranks, Bytes: c.Bytes, Chunks: c.Chunks}
		a, b := s.times(whole[i].Index), s.times(p.Index)
		if len(a) == 0 || len(a) != len(b) {
			continue
		}
		if one.Whole, err = typical(a, s.confidence); err != nil {
			return nil, err
		}
		if one.Cut, err = typical(b, s.confidence); err != nil {
			return nil, err
		}
		if one.Ratio, err = stats.PairedRatio(medians(a), medians(b), s.confidence); err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// algorithms compares the algorithms of one operation at one size, out of place
// where both were measured.
func algorithms(rows []Row) (list []Algorithms) {
	type key struct {
		op    string
		ranks int
		bytes int64
	}
	var order []key
	found := map[key]map[string]Row{}
	for _, r := range rows {
		if r.BusBW == nil {
			continue
		}
		k := key{r.Op, r.Ranks, r.Bytes}
		if found[k] == nil {
			found[k] = map[string]Row{}
			order = append(order, k)
		}
		if known, ok := found[k][r.Asked]; !ok || known.InPlace {
			found[k][r.Asked] = r
		}
	}
	for _, k := range order {
		if len(found[k]) < 2 {
			continue
		}
		one := Algorithms{Op: k.op, Ranks: k.ranks, Bytes: k.bytes, BusBW: map[string]float64{}}
		least := math.Inf(1)
		for name, r := range found[k] {
			v := r.BusBW.Value
			one.BusBW[name] = v
			least = min(least, v)
			if best := one.BusBW[one.Best]; one.Best == "" || v > best || v == best && name < one.Best {
				one.Best = name
			}
		}
		best := one.BusBW[one.Best]
		one.Spread = (best - least) / best
		if auto, ok := one.BusBW["auto"]; ok {
			gap := (best - auto) / best
			one.AutoGap = &gap
		}
		list = append(list, one)
	}
	return list
}
