package collectives

import (
	"cmp"
	"fmt"
	"slices"

	"assay/bundle"
	"assay/metric"
	"assay/plan"
	"assay/record"
)

// A launch is what the ranks of one completed launch recorded.
type launch struct {
	index  int
	points map[int][]record.Collective // by index of the point, in the order of Seq
	worlds map[int][]record.Rank       // by index of the point: who measured it
}

// A study is a plan with the records that answer it.
type study struct {
	plan       plan.Plan
	launches   []launch
	confidence float64
	facts      record.Environment
}

// Read judges the records of the completed launches of b.
func Read(b *bundle.Bundle, p plan.Plan) (Report, error) {
	s := study{plan: p, confidence: p.Trials().ConfidenceLevel, facts: b.Manifest.Environment}
	for _, info := range b.Launches() {
		if info.Outcome != bundle.LaunchCompleted {
			continue
		}
		one, err := readLaunch(b, p, info.Index)
		if err != nil {
			return Report{}, fmt.Errorf("collectives of launch %d: %w", info.Index+1, err)
		}
		s.launches = append(s.launches, one)
	}
	return s.report()
}

func (s study) report() (Report, error) {
	r := Report{Version: Version, Rows: []Row{}}
	var err error
	if r.Rows, err = s.rows(); err != nil {
		return r, err
	}
	r.Fits = fits(r.Rows)
	r.Stability = s.stability()
	if r.Chunking, err = s.chunking(); err != nil {
		return r, err
	}
	r.Algorithms = algorithms(r.Rows)
	r.Matrices = s.matrices()
	r.Ranks = s.ranks()
	r.Link = s.link(r.Rows)
	r.Findings = s.findings(r)
	return r, nil
}

func readLaunch(b *bundle.Bundle, p plan.Plan, index int) (launch, error) {
	l := launch{index: index, points: map[int][]record.Collective{}, worlds: map[int][]record.Rank{}}
	for row, err := range bundle.Rows[record.Collective](b, index, bundle.Collectives) {
		if err != nil {
			return l, err
		}
		if row.Phase == record.Measure {
			l.points[int(row.Point)] = append(l.points[int(row.Point)], row)
		}
	}
	for _, rows := range l.points {
		slices.SortStableFunc(rows, func(a, b record.Collective) int {
			return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Rank, b.Rank))
		})
	}
	var order []plan.World
	for _, planned := range p.Launches {
		if planned.Index == index {
			order = p.Worlds(planned)
		}
	}
	for row, err := range bundle.Rows[record.Rank](b, index, bundle.Ranks) {
		if err != nil {
			return l, err
		}
		if int(row.World) >= len(order) {
			continue
		}
		for _, point := range order[row.World].Points {
			l.worlds[point.Index] = append(l.worlds[point.Index], row)
		}
	}
	return l, nil
}

// times are those of the measured operations of a point, launch by launch; launches
// without any are left out.
func (s study) times(point int) (list [][]float64) {
	for _, l := range s.launches {
		if times := metric.CollectiveTimes(l.points[point]); len(times) > 0 {
			list = append(list, times)
		}
	}
	return list
}

// planned are the points of one operation at one size that are of a profile.
func (s study) planned(profile string) (list []plan.Point) {
	for _, p := range s.plan.Points {
		if p.Kind() != plan.KindCollective {
			continue
		}
		own := p.Collective.Profile
		if own == profile || own == "" && profile == plan.ProfileSize {
			list = append(list, p)
		}
	}
	return list
}
