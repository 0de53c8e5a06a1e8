package spec

// BaselineSide names the side that spec.target describes, in a run that has
// candidates.
const BaselineSide = "baseline"

// A Candidate is another system, measured in turn with spec.target.
type Candidate struct {
	// The name of the side in records and reports. The side of spec.target is
	// called baseline.
	Name string `json:"name" required:"true" pattern:"^[a-z0-9][a-z0-9._-]{0,62}$" form:"at most 63 lower-case letters, digits, dots, dashes and underscores, with a letter or digit first" example:"engine-0.11"`

	// The system. It is a target of its own: nothing is taken from spec.target.
	Target Target `json:"target" required:"true"`
}

// A Side is one of the systems that a run measures.
type Side struct {
	Name   string // empty in a run of one side
	Target *Target
}

// Sides lists the systems under test, the baseline first. A run without a
// target has none.
func (s *RunSpec) Sides() []Side {
	if s.Target == nil {
		return nil
	}
	if len(s.Candidates) == 0 {
		return []Side{{Target: s.Target}}
	}
	sides := []Side{{BaselineSide, s.Target}}
	for i := range s.Candidates {
		sides = append(sides, Side{s.Candidates[i].Name, &s.Candidates[i].Target})
	}
	return sides
}

// Addresses lists where the target is reached.
func (t *Target) Addresses() []string {
	if len(t.URLs) > 0 {
		return t.URLs
	}
	return []string{t.URL}
}

func deriveCandidateModels(s *RunSpec, note func(string, any)) {
	for i := range s.Candidates {
		setValue(&s.Candidates[i].Target.Model, s.Workload.Model, itemPath("spec.candidates", i)+".target.model", note)
	}
}
