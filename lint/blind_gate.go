package lint

import (
	"fmt"

	"assay/analysis/compare"
	"assay/analysis/gate"
	"assay/finding"
	"assay/spec"
)

// BlindGate fires when a gate could not have seen what it is there to see.
var BlindGate = Check{
	ID: "blind-gate", Code: "G-05", Severity: finding.Void, Pair: true,
	Doc: "The launches vary too much, or are too few, for the gate's own threshold.",
	When: "the smallest detectable change of a gated metric, as the gate computes it, is above its " +
		"margin, or the metric cannot be judged",
	Applies: func(f *Facts) bool { return f.Policy != nil },
	Run:     blindGate,
}

func blindGate(f *Facts) Answer {
	var list []finding.Finding
	judged := 0
	for _, d := range decisions(f) {
		switch {
		case d.Verdict == gate.Missing: // see missing-results
			continue
		case d.Detectable == nil && d.Verdict == gate.Inconclusive:
			list = append(list, finding.Finding{
				Severity: finding.Void,
				Message:  fmt.Sprintf("the gate cannot judge %s: %s", d.Key, d.Reason),
				Why:      "a gate that cannot fail lets everything pass",
				Fix:      "measure as many launches and requests as the metric takes, or gate another",
			})
		case d.Detectable != nil && *d.Detectable > d.Margin:
			list = append(list, finding.Finding{
				Severity: finding.Void,
				Message: fmt.Sprintf("the gate cannot see a change of %.3g %% in %s: with %d and %d launches the smallest that it can see is %.3g %%",
					100*d.Margin, d.Key, d.Launches[0], d.Launches[1], 100**d.Detectable),
				Why: "a regression as large as the margin would pass more often than the policy allows",
				Fix: "make more launches, make them vary less, or widen the margin",
			})
		}
		judged++
	}
	if judged == 0 {
		return missing("a gated metric that both sides have")
	}
	return found(list...)
}

// decisions are what the gate itself says about the pair; none without a policy
// or for one that asks for what does not exist.
func decisions(f *Facts) []gate.Decision {
	if f.Policy == nil || f.Against == nil {
		return nil
	}
	policy, _ := spec.ResolvePolicy(*f.Policy)
	result, err := gate.Judge(gate.Input{
		Policy: policy, Baseline: f.Against.compared("baseline"), Candidate: f.compared("candidate"),
		Grade: func(compare.Side) (string, []string) { return policy.Spec.Grade, nil }, // grades are not looked at here
	})
	if err != nil {
		return nil
	}
	return result.Metrics
}

func (f *Facts) compared(label string) compare.Side {
	return compare.Side{Side: f.side(), Label: label, Digest: f.Manifest.Digest, Estimates: f.Estimates}
}
