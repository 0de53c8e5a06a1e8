package lint

import (
	"fmt"

	"assay/finding"
)

// PerfectSpeedup fires when the speed-up is the number of workers although the
// workers spend time on each other.
var PerfectSpeedup = Check{
	ID: "perfect-speedup", Code: "P-11", Severity: finding.Caution,
	Doc: "The speed-up equals the number of workers although communication costs time.",
	When: "a speed-up of at least 98 % of the workers although collectives take more than 2 % of a " +
		"step, or with changed settings",
	Applies: statedWith(statesScaling),
	Run:     perfectSpeedup,
}

const (
	// A speed-up within 2 % of the workers is as good as theirs.
	perfectWithin = .02
	// Below 2 % of a step, communication explains nothing.
	communicationMatters = .02
)

func statesScaling(_ *Facts, s Statement) bool { return s.Scaling != nil }

func perfectSpeedup(f *Facts) Answer {
	share, measured := communication(f)
	knobs := changedKnobs(f)
	var list []finding.Finding
	suspicious := false
	for _, s := range f.Statements {
		for _, p := range scalingPoints(s) {
			n := float64(p.Workers)
			if p.Workers < 2 || p.Projected || p.Speedup < n*(1-perfectWithin) || superlinear(p) {
				continue
			}
			suspicious = true
			if !(measured && share > communicationMatters) && len(knobs) == 0 {
				continue
			}
			cause := fmt.Sprintf("%.0f %% of a step is communication", 100*share)
			if len(knobs) > 0 {
				cause = fmt.Sprintf("%d knobs differ from the baseline's", len(knobs))
			}
			list = append(list, finding.Finding{
				Severity: finding.Caution,
				Message:  fmt.Sprintf("%s: %.3g× on %d workers, while %s", said(s), p.Speedup, p.Workers, cause),
				Why:      "what workers spend on each other has to be missing from the speed-up",
				Fix:      "look for a weak baseline, a cache that now holds everything, or a batch that grew",
			})
		}
	}
	if suspicious && !measured && len(list) == 0 {
		return missing("the time in collectives (comm_ns of the table steps)")
	}
	return found(list...)
}

// communication is the share of step time that the slowest launch spent in
// collectives.
func communication(f *Facts) (share float64, measured bool) {
	for _, r := range f.Ranks {
		if r.Comm != nil && r.Comm.Whole > 0 {
			share, measured = max(share, r.Comm.Share()), true
		}
	}
	return share, measured
}

func scalingPoints(s Statement) []ScalingPoint {
	if s.Scaling == nil {
		return nil
	}
	return s.Scaling.Points
}
