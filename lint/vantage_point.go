package lint

import (
	"fmt"
	"maps"
	"slices"

	"assay/finding"
	"assay/record"
	"assay/stats"
)

// VantagePoint fires when one load generator sees another target than the rest.
var VantagePoint = Check{
	ID: "vantage-point", Severity: finding.Caution, About: finding.Speed,
	Doc: "From where one load generator stands, answers begin sooner or later than for the others: percentiles over all describe no place.",
	When: "the median time from sending to the first byte of one load generator lies 10 % or more beside that of the others at a point, on " +
		"the same side in every launch, and ranks tell them apart (Mann–Whitney, p ≤ 0.1 % after Holm's correction for generators and points), " +
		"of at least 20 answers of each launch. Of at most 512 answers of each launch and generator",
	Applies: func(f *Facts) bool { return serves(f) && sentByOthers(f) && f.Plan.Generators() > 1 },
	Run:     vantagePoint,
}

const (
	vantageLevel  = 1e-3
	vantageMatter = .1
	fewestSeen    = 20
	mostVantage   = 512
)

// Vantages are the seconds to the first byte of measured answers, by load generator.
type Vantages map[int32]*vantage

type vantage struct {
	host string
	took []float64
}

func (v Vantages) add(r *record.Request) {
	if r.Host == "" || r.First == nil {
		return
	}
	if v[r.Shard] == nil {
		v[r.Shard] = &vantage{host: r.Host}
	}
	if one := v[r.Shard]; len(one.took) < mostVantage {
		one.took = append(one.took, float64(*r.First-r.Sent)/1e9)
	}
}

// A view is what one generator saw at a point, beside what the others did.
type view struct {
	place, from  string
	own, rest, p float64
}

func vantagePoint(f *Facts) Answer {
	var views []view
	var chances []float64
	looked := false
	for _, p := range f.places() {
		for _, shard := range p.shards() {
			v, enough, oneSided := p.from(shard)
			looked = looked || enough
			if !enough {
				continue
			}
			if !oneSided {
				v.p = 1
			}
			views, chances = append(views, v), append(chances, v.p)
		}
	}
	if !looked {
		return missing(fmt.Sprintf("%d answers of two load generators in each launch", fewestSeen))
	}
	var list []finding.Finding
	for i, p := range stats.Holm(chances) {
		v := views[i]
		if p > vantageLevel || max(v.own, v.rest) < (1+vantageMatter)*min(v.own, v.rest) {
			continue
		}
		list = append(list, finding.Finding{
			Severity: finding.Caution,
			Message: fmt.Sprintf("%s: %s sees the first byte after %s in the middle, and the others after %s (p = %.1g)",
				v.place, v.from, duration(v.own), duration(v.rest), p),
			Why: "its way to the target, its own load, or what the target makes of its address differs: a percentile over all generators is one of a mixture",
			Fix: "look at its network and its host, measure from it alone, and report the places apart",
		})
	}
	return found(list...)
}

// shards are the load generators that a place was measured by.
func (p placeTally) shards() []int32 {
	all := map[int32]bool{}
	for _, t := range p.launches {
		for shard := range t.Vantages {
			all[shard] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// from compares what one generator saw with what the others did: whether there is enough of
// both in every launch, and whether it is on the same side of them in all.
func (p placeTally) from(shard int32) (v view, enough, oneSided bool) {
	v.place = p.name
	var own, rest []float64
	sooner, later := 0, 0
	for _, t := range p.launches {
		var mine, others []float64
		for at, seen := range t.Vantages {
			if at == shard {
				v.from = fmt.Sprintf("load generator %d on %s", at, seen.host)
				mine = seen.took
			} else {
				others = append(others, seen.took...)
			}
		}
		if len(mine) < fewestSeen || len(others) < fewestSeen {
			return v, false, false
		}
		if middle(mine) < middle(others) {
			sooner++
		} else {
			later++
		}
		own, rest = append(own, mine...), append(rest, others...)
	}
	test, err := stats.MannWhitney(rest, own)
	if err != nil {
		return v, false, false
	}
	v.own, v.rest, v.p = middle(own), middle(rest), test.P
	return v, true, sooner == 0 || later == 0
}
