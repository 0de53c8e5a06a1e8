package metric

import (
	"fmt"
	"slices"
	"sync"

	"assay/bundle"
	"assay/metric/exchange"
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
	Pings       []record.Ping // exchanges of stamps with them

	Asked []int64 // when ranks were asked for at this point; none where those of the point before went on
	Begun []int64 // when the point was handed to them, each time that it was
	Timed bool    // the launch says when ranks were asked for; older ones do not

	once   sync.Once
	byStep []exchange.Step
}

// ByStep puts the rows of training steps together, every stamp on one clock. It may
// be called at once by several.
func (r *Ranked) ByStep() []exchange.Step {
	r.once.Do(func() { r.byStep = exchange.Steps(r.Steps, r.Buckets, r.Clock) })
	return r.byStep
}

// Clock is that of one rank.
func (r *Ranked) Clock(rank int32) exchange.Clock {
	for _, row := range slices.Backward(r.World) { // of a world that was started again, the last
		if row.Rank == rank {
			return exchange.ClockOf(row, r.Pings)
		}
	}
	return exchange.Clock{}
}

// Aligned says that the stamps of different ranks may be compared: the clock of
// each is known, and no bucket was over before the last rank had it, but for what
// the two clocks' bounds allow.
func (r *Ranked) Aligned() bool {
	worst := int64(0)
	for _, row := range r.World {
		clock := r.Clock(row.Rank)
		if !clock.Known {
			return false
		}
		worst = max(worst, clock.Bound)
	}
	for _, s := range r.ByStep() {
		if s.Counted() && exchange.Early(s.Sides) > 2*worst {
			return false
		}
	}
	return len(r.World) > 0
}

// About says whether m has a meaning at points of kind k.
func (m Metric) About(k plan.Kind) bool {
	if len(m.Scope.Kinds) == 0 {
		return k == plan.KindServing
	}
	return slices.Contains(m.Scope.Kinds, k)
}

// ranked gives the points of a launch what ranks and probes recorded of them.
func (r *launchReader) ranked(p plan.Plan) error {
	any := false
	for _, point := range r.launch.Points {
		planned, _ := p.PointByIndex(point.Index)
		if point.Kind = planned.Kind(); point.Kind != plan.KindServing {
			point.Ranked, any = &Ranked{Plan: planned, Asked: r.asked[int32(point.Index)], Begun: r.begun[int32(point.Index)], Timed: len(r.asked) > 0}, true
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

// ReadRanks gathers what ranks and probes recorded in one launch, by point; Ranked
// of its points holds it. A point of training without a measured step, because it
// ran out of memory, is there with an empty window.
func ReadRanks(b *bundle.Bundle, p plan.Plan, info bundle.LaunchInfo) (Launch, error) {
	r, err := openLaunch(b, info.Index)
	if err == nil {
		for _, planned := range p.Points {
			if index := int32(planned.Index); planned.Kind() == plan.KindSteps && r.points[index] == nil {
				r.points[index] = &Point{Index: planned.Index}
				r.launch.Points = append(r.launch.Points, r.points[index])
			}
		}
		err = r.prepare(p, info.Side)
	}
	if err != nil {
		return Launch{}, fmt.Errorf("launch %d: %w", info.Index+1, err)
	}
	return r.launch, nil
}

// worlds gives points the processes that measured them.
func (r *launchReader) worlds(p plan.Plan) error {
	var order []plan.World
	for _, l := range p.Launches {
		if l.Index == r.launch.Index {
			order = p.Worlds(l)
		}
	}
	each := func(world int32, visit func(*Ranked)) {
		if int(world) >= len(order) {
			return
		}
		for _, planned := range order[world].Points {
			if point := r.points[int32(planned.Index)]; point != nil && point.Ranked != nil {
				visit(point.Ranked)
			}
		}
	}
	if err := eachRow(r.from, r.launch.Index, bundle.Ranks, func(row record.Rank) {
		each(row.World, func(to *Ranked) { to.World = append(to.World, row) })
	}); err != nil {
		return err
	}
	return eachRow(r.from, r.launch.Index, bundle.Pings, func(row record.Ping) {
		each(row.World, func(to *Ranked) { to.Pings = append(to.Pings, row) })
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
