package spec

// Sets is how many sets the hosts of the run are cut into; 1 where all of them are one.
func (s *RunSpec) Sets() int {
	var list []*Launcher
	if s.Train != nil {
		list = append(list, s.Train.Launch)
	}
	if s.Collectives != nil {
		list = append(list, s.Collectives.Launch)
	}
	if s.Load != nil {
		list = append(list, s.Load.Launch)
	}
	for _, l := range list {
		if l != nil && l.Sets > 1 {
			return l.Sets
		}
	}
	return 1
}

// SetOf is the part of a list that belongs to one set, from 1, of so many that the list is
// cut into in its order. Set 0 has all of it.
func SetOf[T any](list []T, set, sets int) []T {
	if set < 1 || sets < 2 {
		return list
	}
	size := len(list) / sets
	return list[(set-1)*size : set*size]
}
