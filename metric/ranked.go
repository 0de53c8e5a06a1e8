package metric

import (
	"fmt"
	"slices"

	"assay/bundle"
	"assay/plan"
	"assay/record"
)

// Ranked is what ranks and probes recorded at one point of a launch.
type Ranked struct {
	Plan        plan.Point
	Steps       []record.Step
	Buckets     []record.Bucket
	Collectives []record.Collective
	Memory      []record.Memory
	Trials      []record.Trial
	World       []record.Rank // the processes that measured the point
}

// about says whether m has a meaning at points of kind k.
func (m Metric) about(k plan.Kind) bool {
	if len(m.Kinds) == 0 {
		return k == plan.KindServing
	}
	return slices.Contains(m.Kinds, k)
}

// ranked gives the points of a launch what ranks and probes recorded of them.
func (r *launchReader) ranked(p plan.Plan) error {
	any := false
	for _, point := range r.launch.Points {
		planned, _ := p.PointByIndex(point.Index)
		if point.Kind = planned.Kind(); point.Kind != plan.KindServing {
			point.Ranked, any = &Ranked{Plan: planned}, true
		}
	}
	if !any {
		return nil
	}
	at := func(index int32) *Ranked {
		if point := r.points[index]; point != nil {
			return point.Ranked
		}
		return nil
	}
	index := r.launch.Index
	if err := eachRow(r.from, index, bundle.Steps, func(row record.Step) {
		if to := at(row.Point); to != nil {
			to.Steps = append(to.Steps, row)
		}
	}); err != nil {
		return err
	}
	if err := eachRow(r.from, index, bundle.Buckets, func(row record.Bucket) {
		if to := at(row.Point); to != nil {
			to.Buckets = append(to.Buckets, row)
		}
	}); err != nil {
		return err
	}
	if err := eachRow(r.from, index, bundle.Collectives, func(row record.Collective) {
		if to := at(row.Point); to != nil {
			to.Collectives = append(to.Collectives, row)
		}
	}); err != nil {
		return err
	}
	if err := eachRow(r.from, index, bundle.Memory, func(row record.Memory) {
		if to := at(row.Point); to != nil {
			to.Memory = append(to.Memory, row)
		}
	}); err != nil {
		return err
	}
	if err := eachRow(r.from, index, bundle.Trials, func(row record.Trial) {
		if to := at(row.Point); to != nil {
			to.Trials = append(to.Trials, row)
		}
	}); err != nil {
		return err
	}
	return r.worlds(p)
}

// worlds gives points the processes that measured them.
func (r *launchReader) worlds(p plan.Plan) error {
	var order []plan.World
	for _, l := range p.Launches {
		if l.Index == r.launch.Index {
			order = p.Worlds(l)
		}
	}
	return eachRow(r.from, r.launch.Index, bundle.Ranks, func(row record.Rank) {
		if int(row.World) >= len(order) {
			return
		}
		for _, planned := range order[row.World].Points {
			if point := r.points[int32(planned.Index)]; point != nil && point.Ranked != nil {
				point.Ranked.World = append(point.Ranked.World, row)
			}
		}
	})
}

func eachRow[T any](b *bundle.Bundle, launch int, table string, visit func(T)) error {
	for row, err := range bundle.Rows[T](b, launch, table) {
		if err != nil {
			return fmt.Errorf("table %s: %w", table, err)
		}
		visit(row)
	}
	return nil
}
