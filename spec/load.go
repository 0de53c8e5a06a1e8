package spec

import "assay/unit"

// A Load says how requests are offered. workload.concurrencyModel chooses
// between a closed loop (concurrency or stages) and an open loop (rate, stages
// or a trace).
type Load struct {
	// Closed loop: the numbers of requests kept in flight, one point each.
	// By default 1, 4 and 16 in a closed loop.
	Concurrency []int `json:"concurrency,omitzero" min:"1" max:"1000000" items:"1"`

	// Open loop: the rates in requests per second, one point each. By default
	// 1, 2 and 4 in an open loop without stages or trace.
	Rate []float64 `json:"rate,omitzero" above:"0" max:"1000000" items:"1"`

	// The documents of each request, for text-to-embeddings and text-to-rerank: a
	// sweep, in which each number is measured at every level of the load, one
	// point each. It stands in place of prompt.details.documents.
	BatchSizes []int `json:"batchSizes,omitzero" min:"1" max:"10000" items:"1"`

	// Open loop: when requests leave. By default poisson, or trace where
	// traceRef is given.
	Arrival string `json:"arrival,omitzero" enum:"arrivals"`

	// The shape of gamma arrivals: 1 is Poisson, smaller is burstier, larger is
	// steadier.
	Burstiness float64 `json:"burstiness,omitzero" default:"1" above:"0" max:"1000"`

	// A load that changes over time: rates of an open loop or numbers of users of
	// a closed one; the stages together are one point.
	Stages []Stage `json:"stages,omitzero" items:"1"`

	// The trace to replay, as NAME@sha256:HEX, sha256:HEX or a file path.
	TraceRef string `json:"traceRef,omitzero"`

	// The trace's file, format and the part of it that is used.
	Trace *Trace `json:"trace,omitzero"`

	// The factor applied to the gaps of a trace: 0.5 replays twice as fast. Of
	// sessions it moves the beginnings, not the pauses inside.
	TraceScale float64 `json:"traceScale,omitzero" default:"1" above:"0" max:"1000"`

	// Closed loop: the pause of a user between an answer and the next request.
	ThinkTime unit.Duration `json:"thinkTime" min:"0s" max:"30d"`

	// Closed loop: how the first users begin. spread, as by default, is each at a
	// random moment of the first half of the warm-up; together is all at once, a
	// burst that answers of one length never leave.
	Start string `json:"start,omitzero" enum:"starts"`

	// How many threads read the answers; 0 means as many as the streams and the
	// processors ask for.
	Readers int `json:"readers,omitzero" min:"0" max:"64"`

	// How those threads wait: asleep, or awake with a processor each, which saves the
	// time to wake. auto, as by default, is awake where enough processors are idle and
	// none of them is the target's.
	ReaderWait string `json:"readerWait,omitzero" enum:"readerWaits"`

	// How long each point is measured.
	Duration unit.Duration `json:"duration,omitzero" default:"30s" above:"0s" max:"30d"`

	// The most requests of a point; 0 means no limit. Whichever of duration and
	// requests comes first ends the point.
	Requests int `json:"requests" min:"0" max:"1000000000"`

	// What is sent before measuring, kept in the records and marked. By default
	// five seconds; warmup: {} means none.
	Warmup *Warmup `json:"warmup,omitzero"`

	// The end of each point that is kept, marked and left out of the figures.
	Cooldown unit.Duration `json:"cooldown" min:"0s" max:"30d"`

	// Open loop: the most requests in flight; one that finds no room is
	// recorded as dropped.
	MaxInFlight int `json:"maxInFlight,omitzero" default:"10000" min:"1" max:"1000000"`

	// The most requests that wait for their first token at once; 0 means no
	// limit.
	PrefillConcurrency int `json:"prefillConcurrency" min:"0" max:"1000000"`

	// Requests that are given up on purpose.
	Cancel *Cancel `json:"cancel,omitzero"`

	// Prompts sent twice before the load, to see what the prefix cache saves.
	CacheProbe *CacheProbe `json:"cacheProbe,omitzero"`

	// Small requests sent beside the load on a schedule of their own.
	Probe *LoadProbe `json:"probe,omitzero"`
	// Look for the highest load that keeps the objectives of spec.slo, in place
	// of concurrency or rate.
	Search *Search `json:"search,omitzero"`

	// Offer load as a scenario of MLPerf LoadGen does.
	MLPerf *MLPerf `json:"mlperf,omitzero"`

	// Open loop: end a point as soon as its queue is seen to grow without bound.
	// What is then in flight is cut. A search always does so.
	StopWhenSaturated bool `json:"stopWhenSaturated,omitzero"`

	// Keep the text of the answers in the bundle.
	KeepAnswers bool `json:"keepAnswers"`

	// The sampling temperature.
	Temperature float64 `json:"temperature" min:"0" max:"2"`

	// Ask the server to go on to the declared output length.
	IgnoreEOS *bool `json:"ignoreEOS,omitzero" default:"true"`

	// Ask for a stream of tokens; without it there is no time to first token.
	Stream *bool `json:"stream,omitzero" default:"true"`

	// Measure the client's own error against a known stream before and after the
	// run, at its most demanding point; about two seconds each.
	Calibrate *bool `json:"calibrate,omitzero" default:"true"`

	// How many processes send the load, each its part of one schedule; 0 and 1 mean that
	// assay sends all of it itself.
	Generators int `json:"generators,omitzero" min:"0" max:"10000"`

	// How those processes come to be. By default they are started on this host.
	Launch *Launcher `json:"launch,omitzero"`

	// The order of the points inside a launch.
	Order string `json:"order,omitzero" default:"ascending" enum:"pointOrders"`
}

// A Stage is a stretch of a changing load.
type Stage struct {
	// How long the stage lasts.
	Duration unit.Duration `json:"duration" required:"true" above:"0s" max:"30d"`

	// Open loop: the rate at the end of the stage, in requests per second.
	Rate float64 `json:"rate,omitzero" min:"0" max:"1000000"`

	// Closed loop: the number of users at the end of the stage.
	Concurrency int `json:"concurrency,omitzero" min:"0" max:"1000000"`

	// How the load gets there: at once (step), along a line (linear) or by equal
	// factors in equal times (exponential). The first stage begins at nothing, so
	// it cannot be exponential.
	Ramp string `json:"ramp,omitzero" default:"step" enum:"ramps"`
}

// Warmup is what is sent before measuring.
type Warmup struct {
	// How long the warm-up lasts.
	Duration unit.Duration `json:"duration,omitzero" min:"0s" max:"30d"`

	// How many requests it sends. Whichever of duration and requests comes
	// first ends it; both 0 means no warm-up.
	Requests int `json:"requests,omitzero" min:"0" max:"1000000000"`
}

// Cancel gives up some requests on purpose, as impatient users do.
type Cancel struct {
	// The share of requests given up.
	Share float64 `json:"share" required:"true" above:"0" max:"1"`

	// How long after sending they are given up.
	After unit.Duration `json:"after" required:"true" above:"0s" max:"30d"`
}
