package lint

import (
	"slices"

	"assay/finding"
	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/spec"
)

// A placeTally is one point of one side, over its launches.
type placeTally struct {
	name     string // of the point, and of the side where there are several
	side     string
	point    plan.Point
	launches []PointTally
}

// scope is the place, for a finding that forbids what was measured there and nothing else.
func (p placeTally) scope() finding.Scope {
	return finding.Scope{Points: []string{p.point.Name}, Side: p.side}
}

// places lists every point of every side with its launches.
func (f *Facts) places() []placeTally {
	var list []placeTally
	for _, t := range f.Tally.Points {
		i := slices.IndexFunc(list, func(p placeTally) bool { return p.point.Index == t.Point && p.side == t.Side })
		if i < 0 {
			point, _ := f.Plan.PointByIndex(t.Point)
			i = len(list)
			list = append(list, placeTally{name: placeName(point.Name, t.Side), side: t.Side, point: point})
		}
		list[i].launches = append(list[i].launches, t)
	}
	return list
}

// placeName names a point of a side.
func placeName(point, side string) string {
	if side == "" {
		return point
	}
	return side + ", " + point
}

// sum adds a count over the launches of a place.
func (p placeTally) sum(of func(PointTally) int) (total int) {
	for _, t := range p.launches {
		total += of(t)
	}
	return total
}

// outcomes adds the outcomes of the launches.
func (p placeTally) outcomes() map[record.Outcome]int {
	all := map[record.Outcome]int{}
	for _, t := range p.launches {
		for outcome, n := range t.Outcomes {
			all[outcome] += n
		}
	}
	return all
}

func measuredOf(t PointTally) int { return t.Measured }

// find returns the row of one statistic of one metric at a place.
func find(f *Facts, id, statistic string, p placeTally) (metric.Row, bool) {
	for _, row := range f.Estimates.Rows {
		if row.Metric == id && row.Statistic == statistic && row.Point == p.point.Index && row.Side == p.side {
			return row, true
		}
	}
	return metric.Row{}, false
}

// A quantiler is a distribution.
type quantiler interface{ Quantile(q float64) float64 }

// quantile is the mean over launches, as estimates have it.
func (p placeTally) quantile(q float64, of func(PointTally) quantiler) float64 {
	sum := 0.0
	for _, t := range p.launches {
		sum += of(t).Quantile(q)
	}
	return sum / float64(len(p.launches))
}

// rowsOf lists one statistic of one metric at every place.
func rowsOf(f *Facts, id, statistic string) []metric.Row {
	var list []metric.Row
	for _, row := range f.Estimates.Rows {
		if row.Metric == id && row.Statistic == statistic {
			list = append(list, row)
		}
	}
	return list
}

// rowName names the point and side of a row.
func rowName(f *Facts, row metric.Row) string { return placeName(pointName(f, row.Point), row.Side) }

// sides lists the names of the run's sides; a run of one side has one nameless.
func (f *Facts) sides() []string {
	var names []string
	for _, s := range f.Plan.Sides() {
		names = append(names, s.Name)
	}
	if len(names) == 0 {
		return []string{""}
	}
	return names
}

// serverFact is what the server of a side said of itself; false where it is not
// known.
func (f *Facts) serverFact(side, name string) (text string, known bool) {
	if side != "" && side != spec.BaselineSide {
		name = "side." + side + "." + name
	}
	return f.fact(name)
}

// target is the system that a side measures; the zero Target where the plan has
// none.
func (f *Facts) target(side string) spec.Target {
	for _, s := range f.Plan.Sides() {
		if s.Name == side {
			return *s.Target
		}
	}
	return spec.Target{}
}

// targetOf names the target of a side in a sentence.
func targetOf(side string) string {
	if side == "" {
		return "the target"
	}
	return "the target of " + side
}
