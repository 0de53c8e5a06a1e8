package unit

// A Scale is one way in which numbers of a unit are printed.
type Scale struct {
	Unit   Unit
	Suffix string  // behind the number, or before it for money
	Factor float64 // what one of it is worth in the unit
}

// Scales lists every way in which Format prints numbers, so that a printed one can be
// found again.
func Scales() []Scale {
	var list []Scale
	for _, u := range All {
		for _, s := range scales[u] {
			list = append(list, Scale{u, s.suffix, s.from})
		}
		if len(scales[u]) == 0 {
			divisor, suffix := printed(1, u)
			list = append(list, Scale{u, suffix, divisor})
		}
	}
	return list
}
