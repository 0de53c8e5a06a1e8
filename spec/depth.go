package spec

import (
	"fmt"
	"time"

	"assay/unit"
)

// How deep a run is profiled.
const (
	DepthMinimal  = "minimal"
	DepthDeepDive = "deep_dive"
)

// deepScrape is the time between two readings of a server's page in a deep dive.
const deepScrape = unit.Duration(250 * time.Millisecond)

// deriveDepth fills in what a deep dive records on top, where the document does not say.
func deriveDepth(s *RunSpec, note func(string, any)) {
	if s.Observability.ProfileDepth != DepthDeepDive {
		return
	}
	if s.Train != nil && s.Train.Profile == nil {
		s.Train.Profile = &Profile{}
		note("spec.train.profile", *s.Train.Profile)
	}
	if s.Target != nil {
		setValue(&s.Target.Metrics.Interval, deepScrape, "spec.target.metrics.interval", note)
	}
	for i := range s.Candidates {
		setValue(&s.Candidates[i].Target.Metrics.Interval, deepScrape, fmt.Sprintf("spec.candidates[%d].target.metrics.interval", i), note)
	}
}
