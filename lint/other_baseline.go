package lint

import (
	"fmt"

	"assay/finding"
)

// OtherBaseline fires when a run is compared with another baseline than the one that
// its document declares.
var OtherBaseline = Check{
	ID: "other-baseline", Severity: finding.Void, Pair: true,
	Doc:  "The candidate is compared with another baseline than its document declares.",
	When: "the bundle that comparison.baseline named when the run began is not the baseline of the pair (void for publication, otherwise a caution)",
	Applies: func(f *Facts) bool {
		ref := f.Plan.Comparison().Baseline
		alone := len(f.Plan.Sides()) == 1
		return ref != nil && ref.ArtifactRef != "" && !(ref.Parts().Self && alone)
	},
	Run: otherBaseline,
}

func otherBaseline(f *Facts) Answer {
	declared, given := f.Plan.Comparison().Baseline, f.Against.Manifest
	same, known := declared.Parts().Names(given.RunID, given.Digest)
	if declared.Parts().Self { // a side of the same run
		same, known = given.Digest == f.Manifest.Digest, true
	}
	if found := f.Manifest.Inputs.Baseline; found != nil && found.Digest != "" {
		same, known = found.Digest == given.Digest, true
	}
	switch {
	case !known:
		return missing(fmt.Sprintf("which bundle %s was", declared.ArtifactRef))
	case same:
		return found()
	}
	return found(finding.Finding{
		Severity: f.publishing(),
		Message:  fmt.Sprintf("the document declares %s as its baseline, and it is compared with run %s (%s)", declared.ArtifactRef, given.RunID, given.Digest),
		Why:      "a baseline that is chosen after the result was seen can be chosen for it",
		Fix:      "compare with the declared baseline, or declare this one and run again",
	})
}
