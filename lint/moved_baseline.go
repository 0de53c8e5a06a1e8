package lint

import (
	"fmt"

	"assay/finding"
)

// MovedBaseline fires when a gate that failed was given another baseline.
var MovedBaseline = Check{
	ID: "moved-baseline", Code: "G-07", Severity: finding.Void,
	Doc:     "A baseline that moves after a failure makes regressions vanish.",
	When:    "another baseline after a failed verdict of the same policy, without a reason",
	Applies: gated,
	Run:     movedBaseline,
}

func movedBaseline(f *Facts) Answer {
	if len(f.History) == 0 {
		return missing("the history of the gate's verdicts")
	}
	var list []finding.Finding
	last := map[string]int{} // by policy: others have baselines of their own
	for i, e := range f.History {
		if e.Same {
			continue // it is about no baseline
		}
		before, known := last[e.Policy]
		last[e.Policy] = i
		if !known {
			continue
		}
		was := f.History[before]
		if was.Passed || was.Baseline == e.Baseline || e.Reason != "" {
			continue
		}
		list = append(list, finding.Finding{
			Severity: finding.Void,
			Message:  fmt.Sprintf("the baseline moved from %s to %s after the gate had failed against it on %s, and nobody says why", short(was.Baseline), short(e.Baseline), was.Time.Format("2006-01-02 15:04")),
			Why:      "a candidate can be made to pass by choosing what it is held against",
			Fix:      "hold it against the old baseline, or give the reason with assay gate --reason",
		})
	}
	return found(list...)
}

// short cuts a digest to what people can compare by eye.
func short(digest string) string {
	const most = 19 // sha256: and twelve digits
	return digest[:min(most, len(digest))]
}
