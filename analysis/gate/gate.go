// Package gate decides whether a candidate may pass: it holds two measurements
// against a declared policy and says regressed, not worse or inconclusive for
// every metric of it, with error rates that are known beforehand.
//
// It fails closed: a metric that is missing, that the data cannot judge, or
// whose threshold the gate could not have seen is no pass. Besides the metrics of
// the policy every gate has guards (guards.go), and what the checks found in the
// bundles, in the pair and in the history is handed in (audit.go): a void finding
// stops it. A verdict about bundles below publication grade is advisory. METHODOLOGY.md states
// the rule by its id, and make bench-calibration measures its error rates with
// the very function that gates use.
package gate

// Rule is the id of the decision rule in METHODOLOGY.md.
const Rule = "gate.v2"

// A Verdict is what a gate says about one metric.
type Verdict string

// The verdicts.
const (
	Regressed    Verdict = "regressed"    // significantly worse, and by more than the margin
	NotWorse     Verdict = "not worse"    // shown not to be worse by the margin or more
	Inconclusive Verdict = "inconclusive" // the data cannot say
	Missing      Verdict = "missing"      // one side does not have it
	Off          Verdict = "off"          // a guard that the policy has switched off
)
