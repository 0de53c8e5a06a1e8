package collectives

import (
	"slices"

	"assay/plan"
	"assay/record"
	"assay/stats"
)

// A rank is an outlier when it enters most collectives last, beyond what clocks can
// be off, and late by a part of the collective that matters; or when its own time is
// by so much longer than the median rank's.
const (
	mostlyLast = .5
	lateShare  = .1
	ownFactor  = 1.25
	fewestSeen = 20 // collectives before anybody is accused
)

// A watched is one rank over the collectives of a world.
type watched struct {
	host           string
	late, own      []float64
	last, seen     int
	aligned, shown bool
}

// ranks says how the ranks of the largest world kept up with each other.
func (s study) ranks() (list []Rank) {
	world := 0
	for _, p := range s.plan.Points {
		if p.Kind() == plan.KindCollective {
			world = max(world, p.Ranks)
		}
	}
	if world < 2 {
		return nil
	}
	all := make([]watched, world)
	for i := range all {
		all[i].aligned = true
	}
	var typical []float64 // the time of each collective
	for _, l := range s.launches {
		for _, p := range s.plan.Points {
			if p.Kind() == plan.KindCollective && p.Ranks == world {
				typical = append(typical, watch(all, l.points[p.Index], l.worlds[p.Index])...)
			}
		}
	}
	took := stats.Middle(typical)
	for i, w := range all {
		if !w.shown {
			continue
		}
		r := Rank{Rank: i, Host: w.host, Own: stats.Middle(w.own)}
		if w.aligned && w.seen > 0 {
			late := stats.Middle(w.late)
			r.Lateness, r.Last = &late, float64(w.last)/float64(w.seen)
			r.Outlier = w.seen >= fewestSeen && r.Last > mostlyLast && late > lateShare*took
		}
		r.Outlier = r.Outlier || len(w.own) >= fewestSeen && r.Own > ownFactor
		list = append(list, r)
	}
	return list
}

// watch looks at every collective that all ranks have a row of.
func watch(all []watched, rows []record.Collective, world []record.Rank) (took []float64) {
	bounds := make([]int64, len(all))
	aligned := len(world) == len(all)
	for _, r := range world {
		if int(r.Rank) >= len(all) {
			continue
		}
		all[r.Rank].host = r.Host
		if r.Bound == nil {
			aligned = false
		} else {
			bounds[r.Rank] = *r.Bound
		}
	}
	for begin := 0; begin < len(rows); {
		end := begin + 1
		for end < len(rows) && rows[end].Seq == rows[begin].Seq {
			end++
		}
		if own := rows[begin:end]; len(own) == len(all) {
			took = append(took, see(all, own, bounds, aligned))
		}
		begin = end
	}
	return took
}

// see takes over one collective and returns its time.
func see(all []watched, rows []record.Collective, bounds []int64, aligned bool) float64 {
	var times []float64
	for _, row := range rows {
		times = append(times, float64(row.End-row.Start)/1e9)
	}
	middle := stats.Middle(times)
	for i, row := range rows {
		w := &all[row.Rank]
		w.shown = true
		if middle > 0 {
			w.own = append(w.own, times[i]/middle)
		}
		w.aligned = w.aligned && aligned
	}
	if !aligned {
		return slices.Max(times)
	}
	byStart := slices.SortedFunc(slices.Values(rows), func(a, b record.Collective) int { return int(a.Start - b.Start) })
	first, last := byStart[0], byStart[len(byStart)-1]
	before := byStart[len(byStart)-2]
	for _, row := range rows {
		w := &all[row.Rank]
		w.seen++
		w.late = append(w.late, float64(row.Start-first.Start)/1e9)
	}
	if last.Start-before.Start > bounds[last.Rank]+bounds[before.Rank] {
		all[last.Rank].last++
	}
	return slices.Max(times)
}
