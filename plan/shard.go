package plan

import "fmt"

// A Part says which share of a plan one load generator carries out.
type Part struct {
	Index int `json:"index"`
	Count int `json:"count"`
}

// Shard is part number index of count of a whole plan. The parts together do
// exactly what the whole does: call k of a point belongs to part k mod count,
// with the number that it has in the whole, and so does user k of a closed loop.
// What is expected of the run stays that of the whole.
//
// In an open loop every part draws the whole schedule and sends its own calls of
// it, so that all agree on the window. In a closed loop limits in calls are
// split as the calls are.
func (p Plan) Shard(index, count int) (Plan, error) {
	if index < 0 || index >= count {
		return Plan{}, fmt.Errorf("part %d of %d: want 0 to one below the number of parts", index, count)
	}
	if p.Part != nil {
		return Plan{}, fmt.Errorf("the plan is part %d of %d already: split the whole", p.Part.Index, p.Part.Count)
	}
	if count == 1 {
		return p, nil
	}
	if err := p.splittable(); err != nil {
		return Plan{}, err
	}
	part := Part{index, count}
	p.Part = &part
	points := make([]Point, len(p.Points))
	for i, point := range p.Points {
		split, err := part.point(point)
		if err != nil {
			return Plan{}, fmt.Errorf("%s: %w", point.Name, err)
		}
		points[i] = split
	}
	p.Points = points
	return p, nil
}

// Share is the Part of the plan: 0 of 1 for the whole.
func (p Plan) Share() Part {
	if p.Part == nil {
		return Part{0, 1}
	}
	return *p.Part
}

// Owns reports whether call or user number k belongs to the part.
func (part Part) Owns(k int64) bool { return k%int64(part.Count) == int64(part.Index) }

// Of is how many of the numbers below total belong to the part.
func (part Part) Of(total int) int { return (total - part.Index + part.Count - 1) / part.Count }

// point is what the part does of p.
func (part Part) point(p Point) (Point, error) {
	if part.Index > 0 {
		p.Probe = nil // they are one schedule, and the first part's
	}
	limits := []limit{{"load.prefillConcurrency", &p.PrefillConcurrency}}
	if p.Open() {
		limits = append(limits, limit{"load.maxInFlight", &p.MaxInFlight})
	} else {
		limits = append(limits, limit{"load.requests", &p.Requests}, limit{"load.warmup.requests", &p.WarmupRequests})
		p.Concurrency = part.Of(p.Concurrency)
		p.Idle = p.Concurrency == 0
	}
	for _, l := range limits {
		if *l.value == 0 {
			continue // no limit
		}
		if *l.value < part.Count {
			return p, fmt.Errorf("%s is %d and cannot be split over %d load generators: want at least one each", l.name, *l.value, part.Count)
		}
		*l.value = part.Of(*l.value)
	}
	return p, nil
}

// A limit is a number of a point in which zero means that there is none.
type limit struct {
	name  string
	value *int
}
