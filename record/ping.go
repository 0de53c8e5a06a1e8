package record

// Offset is how far the other side's clock is ahead of the launch's by this exchange, and
// how far off that may be: half of the way there and back, whichever half was slow. It is
// false for stamps that cannot be.
func (p Ping) Offset() (offset, bound int64, ok bool) {
	way := (p.T4 - p.T1) - (p.T3 - p.T2)
	return ((p.T2 - p.T1) + (p.T3 - p.T4)) / 2, (way + 1) / 2, way >= 0 && p.T4 >= p.T1
}
