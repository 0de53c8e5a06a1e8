package spec

import "fmt"

// Sets is how many sets the hosts of the run are cut into; 1 where all of them are one.
func (s *RunSpec) Sets() int {
	if s.Trials.Sets > 1 {
		return s.Trials.Sets
	}
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

// WithSets writes run with so many sets of hosts, each of which carries it out as a whole.
func WithSets(run Run, sets int) ([]byte, error) {
	run.Spec.Trials.Sets = sets
	return WriteYAML(run)
}

// wholeSetsAgree wants a run that one host can carry out by itself.
func wholeSetsAgree(c *checker) {
	s, sets := c.run.Spec, c.run.Spec.Trials.Sets
	if sets < 2 {
		return
	}
	for _, part := range []struct {
		given bool
		field string
	}{
		{s.Train != nil, "spec.train.launch.sets"}, {s.Collectives != nil, "spec.collectives.launch.sets"},
		{s.Load != nil && s.Load.Launch != nil, "spec.load.launch.sets"}, {s.Probe != nil && s.Probe.Launch != nil, "no sets for spec.probe.launch, which measures every host"},
	} {
		if part.given {
			c.failGot("spec.trials.sets", fmt.Sprint(sets), "is for runs that a host carries out as a whole: want "+part.field)
		}
	}
}
