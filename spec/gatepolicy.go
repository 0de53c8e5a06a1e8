package spec

// KindGatePolicy is the kind of document that a gate reads.
const KindGatePolicy = "GatePolicy"

// A GatePolicy is what a gate demands of a candidate: which metrics are judged,
// by how much each may be worse, and how often the gate may be wrong. It is
// written before anything is measured.
type GatePolicy struct {
	// The version of this document's format.
	APIVersion string `json:"apiVersion" required:"true" enum:"policyVersions" rule:"A1" use:"checked"`

	// The kind of document: GatePolicy.
	Kind string `json:"kind" required:"true" enum:"policyKinds" use:"checked"`

	// What the document is called.
	Metadata Metadata `json:"metadata" required:"true"`

	// The demands.
	Spec GateDemands `json:"spec" required:"true"`
}

// GateDemands are what must hold for a candidate to pass.
type GateDemands struct {
	// The least grade of both bundles; one below it is refused whatever it
	// measured.
	Grade string `json:"grade,omitzero" default:"publication" enum:"gateGrades"`

	// The ids of the keys one of which must have signed each bundle, as assay keygen
	// prints them. Without them a signature is checked but nobody in particular is
	// asked for one.
	TrustedKeys []string `json:"trustedKeys,omitzero" pattern:"^[0-9a-f]{64}$" form:"the 64 hexadecimal digits of a key's id, as assay keygen prints it"`

	// Refuse a pair that differs in more than the variable under test.
	Controlled *bool `json:"controlled,omitzero" default:"true"`

	// The variable that may differ. By default the one that the candidate's own
	// comparison.variableUnderTest declares.
	Variable string `json:"variable,omitzero" enum:"variables"`

	// The error budget: the chance that a candidate equal to the baseline is
	// called regressed in any metric. It is shared by all metrics and points.
	Alpha float64 `json:"alpha,omitzero" default:"0.05" above:"0" max:"0.2"`

	// The chance that a metric that is worse by its margin would show, which the
	// launches must be able to give.
	Power float64 `json:"power,omitzero" default:"0.8" min:"0.5" max:"0.999"`

	// By which share runs of one system differ from day to day on this testbed, as a
	// standard deviation, for runs that were not made in blocks. Where it is not given, it is
	// learnt from a warehouse, if one is named; else a regression has to be larger than a spread
	// of 0.05 makes it by chance, and a pass of runs made within an hour holds for this sitting.
	RunSpread float64 `json:"runSpread,omitzero" above:"0" max:"1" example:"0.01"`

	// What becomes of a candidate whose metrics the data cannot judge.
	Inconclusive string `json:"inconclusive,omitzero" default:"fail" enum:"gateInconclusive"`

	// The metrics that are judged.
	Metrics []GatedMetric `json:"metrics" required:"true" items:"1"`

	// The differences in accuracy that are judged. They come from a file beside
	// the bundles.
	Accuracy []GatedAccuracy `json:"accuracy,omitzero"`

	// What this policy changes about the guards that every gate has.
	Guards GateGuards `json:"guards,omitzero"`
}

// A GatedMetric is one statistic of one metric and how much worse it may be.
type GatedMetric struct {
	// The definition id of the metric; which way is better is its own.
	Metric string `json:"metric" required:"true" example:"ttft.v2"`

	// The statistic: of a distribution mean or a percentile, of anything else
	// value.
	Statistic string `json:"statistic" required:"true" enum:"gateStatistics"`

	// The points at which it is judged, by name. By default all of the
	// baseline's.
	Points []string `json:"points,omitzero" example:"concurrency=16"`

	// By which share it may be worse: 0.05 is five per cent.
	Margin float64 `json:"margin,omitzero" above:"0" max:"1" rule:"A65"`

	// By how much it may be worse, in its own unit, where a share means nothing:
	// for an error rate, 0.001 is a tenth of a per cent of the requests.
	AbsoluteMargin float64 `json:"absoluteMargin,omitzero" above:"0" max:"1e15" rule:"A65"`
}

// GateGuards change what every gate watches besides its metrics, at every point.
// A guard that is not written here stands as it is; a metric above that says the
// same takes its place.
type GateGuards struct {
	// The share of requests that fail. By default it may grow by 0.01: one request
	// of a hundred.
	ErrorRate *GateGuard `json:"errorRate,omitzero"`

	// The output tokens of an answer. By default they may be a tenth more or fewer.
	OutputTokens *GateGuard `json:"outputTokens,omitzero"`

	// The requests that are completed in a second, in an open loop as a share of those
	// offered. By default they may be a fifth fewer, which is a margin of 0.25.
	CompletedRequests *GateGuard `json:"completedRequests,omitzero"`
}

// A GateGuard loosens or tightens one guard, or switches it off. Every verdict
// prints that, with the reason.
type GateGuard struct {
	// The margin in place of the guard's own: in points of the share for
	// errorRate, relative for the others.
	Margin float64 `json:"margin,omitzero" above:"0" max:"1" rule:"A67"`

	// Do not guard at all.
	Off bool `json:"off,omitzero"`

	// Why, in words.
	Reason string `json:"reason" required:"true" example:"the new model answers at greater length by design"`
}

// A GatedAccuracy is one measure of quality and how much of it may be lost.
type GatedAccuracy struct {
	// Its name in the file of accuracy differences.
	Metric string `json:"metric" required:"true" example:"gsm8k.exact_match"`

	// The largest loss that is accepted, in the measure's own unit.
	Tolerance float64 `json:"tolerance" required:"true" min:"0" max:"1e15"`

	// Which way is better.
	Better string `json:"better,omitzero" default:"higher" enum:"gateDirections"`
}

// ResolvePolicy is Resolve for a GatePolicy.
func ResolvePolicy(p GatePolicy) (GatePolicy, []Default) { return resolve(p) }
