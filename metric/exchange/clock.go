package exchange

import "assay/record"

// A Clock is how a rank's stamps, which stand on the launch's clock by the exchange
// before the measurement, are put right for the drift until the one after it.
type Clock struct {
	Bound int64   // of the worse of the two
	Drift float64 // seconds per second, zero where it is not known
	Known bool    // whether there is any bound
	After bool    // whether there was an exchange after the measurement

	from  int64 // when the exchange before the measurement was
	shift int64 // by which the row's offset differs from it
}

// ClockOf is the clock of one rank, from its row and its pings.
func ClockOf(r record.Rank, pings []record.Ping) Clock {
	if r.Offset == nil || r.Bound == nil {
		return Clock{}
	}
	c := Clock{Bound: *r.Bound, Known: true}
	if c.Bound == 0 {
		return c // it is the controller's own clock
	}
	before, ok := nearest(r, pings, "before")
	after, both := nearest(r, pings, "after")
	if !ok || !both || after.at <= before.at {
		return c
	}
	// The bound of the row covers what the clock drifted; with the drift taken out, what
	// the two exchanges may be off is left.
	c.After, c.from, c.Bound = true, before.at, max(before.bound, after.bound)
	c.shift = before.offset - *r.Offset
	c.Drift = float64(after.offset-before.offset) / float64(after.at-before.at)
	return c
}

// Right is the stamp at, put right.
func (c Clock) Right(at int64) int64 {
	return at - c.shift - int64(c.Drift*float64(at-c.from))
}

// A reading is what one exchange of four stamps says.
type reading struct{ at, offset, bound int64 }

// nearest is the exchange with the shortest way: the error of any is at most half
// of its round trip.
func nearest(r record.Rank, pings []record.Ping, when string) (best reading, ok bool) {
	for _, p := range pings {
		if p.World != r.World || p.Rank != r.Rank || p.When != when {
			continue
		}
		trip := (p.T4 - p.T1) - (p.T3 - p.T2)
		if trip >= 0 && (!ok || trip/2 < best.bound) {
			best, ok = reading{p.T1 + (p.T4-p.T1)/2, ((p.T2 - p.T1) + (p.T3 - p.T4)) / 2, trip / 2}, true
		}
	}
	return best, ok
}
