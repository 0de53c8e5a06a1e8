package spec

import "slices"

// eachTarget runs body for spec.target and for the target of every candidate.
func eachTarget(run *Run, body func(path string, t *Target)) {
	if run.Spec.Target != nil {
		body("spec.target", run.Spec.Target)
	}
	for i := range run.Spec.Candidates {
		body(itemPath("spec.candidates", i)+".target", &run.Spec.Candidates[i].Target)
	}
}

// candidatesAgree wants sides that can be told apart and servers that do not
// stand in each other's way.
func candidatesAgree(c *checker) {
	s := &c.run.Spec
	if len(s.Candidates) == 0 {
		return
	}
	if s.Target == nil {
		c.failGot("spec.candidates", "no spec.target", "candidates are measured in turn with spec.target: give it")
		return
	}
	names := map[string]bool{BaselineSide: true}
	sides := s.Sides()
	for i, candidate := range s.Candidates {
		path := itemPath("spec.candidates", i)
		if names[candidate.Name] {
			c.fail(path+".name", "each side needs a name of its own, and baseline is that of spec.target")
		}
		names[candidate.Name] = true
		for _, other := range sides[:i+1] {
			if shareAddress(&candidate.Target, other.Target) && !takesTurns(&candidate.Target, other.Target) {
				c.fail(path+".target.url", "is that of "+other.Name+" too: then both sides restart their server for each launch, or neither has one")
			}
		}
	}
}

func shareAddress(a, b *Target) bool {
	return slices.ContainsFunc(a.Addresses(), func(u string) bool { return u != "" && slices.Contains(b.Addresses(), u) })
}

// takesTurns reports whether two sides can live at one address.
func takesTurns(a, b *Target) bool {
	if a.Server == nil || b.Server == nil {
		return a.Server == b.Server
	}
	return a.Server.Restart == RestartLaunch && b.Server.Restart == RestartLaunch
}

// SharesServer reports whether some sides ask one and the same server, which
// then remembers on one side what the other asked.
func (s *RunSpec) SharesServer() bool {
	sides := s.Sides()
	for i, a := range sides {
		for _, b := range sides[:i] {
			if a.Target.Server == nil && shareAddress(a.Target, b.Target) {
				return true
			}
		}
	}
	return false
}

// KeepsServer reports whether some side's server lives longer than a launch: its launches
// share one start of it, and do not show what another would change.
func (s *RunSpec) KeepsServer() bool {
	return slices.ContainsFunc(s.Sides(), func(side Side) bool {
		return side.Target.Server == nil || side.Target.Server.Restart != RestartLaunch
	})
}
