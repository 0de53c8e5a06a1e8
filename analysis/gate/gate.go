// Package gate decides whether a candidate may pass: it holds two measurements
// against a declared policy and says regressed, not worse or inconclusive for
// every metric of it, with error rates that are known beforehand.
//
// It fails closed: a metric that is missing, that the data cannot judge, or
// whose threshold the gate could not have seen is no pass. METHODOLOGY.md states
// the rule by its id, and make bench-calibration measures its error rates with
// the very function that gates use.
package gate

// Rule is the id of the decision rule in METHODOLOGY.md.
const Rule = "gate.v1"

// A Verdict is what a gate says about one metric.
type Verdict string

// The verdicts.
const (
	Regressed    Verdict = "regressed"    // worse, beyond doubt and beyond the margin
	NotWorse     Verdict = "not worse"    // not worse by more than the margin, beyond doubt
	Inconclusive Verdict = "inconclusive" // the data cannot say
	Missing      Verdict = "missing"      // one side does not have it
)
