package report

import (
	"assay/metric"
	"assay/plan"
	"assay/unit"
)

// A SummaryRow is one point, of one side where there are several, with its headline
// results by name: what programs and people ask first, without joining estimates and
// plan. Collectives and probes have a row for each variant that was measured.
//
// Which results it has depends on kind; the other groups are left out.
type SummaryRow struct {
	Point string    `json:"point"` // its name, such as concurrency=16
	Index int       `json:"index"` // of the point in the plan
	Kind  plan.Kind `json:"kind"`
	Side  string    `json:"side"`  // empty in a run of one side
	Ranks int       `json:"ranks"` // size of the world that measured it; 0 where none did

	*ServingSummary
	*TrainingSummary
	*CollectiveSummary
	*PairsSummary
	*ProbeSummary
}

// A ServingSummary is a point of requests. Results that the run does not have are null:
// a target that does not stream has no TTFT, and a run without objectives no goodput.
type ServingSummary struct {
	Scenario    string   `json:"scenario"`    // shape of the requests; empty where none is named
	Concurrency *int     `json:"concurrency"` // users of a closed loop
	Rate        *float64 `json:"rate"`        // requests per second of an open loop
	BatchSize   *int     `json:"batchSize"`   // documents of each request, in a sweep over them

	Requests  int           `json:"requests"` // measured, in all launches, without those that were cut or given up on purpose
	Errors    int           `json:"errors"`   // of them, those that failed
	ErrorRate *SummaryValue `json:"errorRate"`

	TTFT *Distribution `json:"ttft"`
	ITL  *Distribution `json:"itl"`
	TPOT *Distribution `json:"tpot"`
	E2E  *Distribution `json:"e2e"`

	Jitter *Distribution `json:"jitter"` // deviation of the gaps of each stream

	RequestThroughput *SummaryValue `json:"requestThroughput"`
	OutputThroughput  *SummaryValue `json:"outputThroughput"`
	InputThroughput   *SummaryValue `json:"inputThroughput"`
	Goodput           *SummaryValue `json:"goodput"`

	CostPerMillionOutput *SummaryValue `json:"costPerMillionOutput"` // null where nobody declared a price
	CostPerRequest       *SummaryValue `json:"costPerRequest"`
}

// A TrainingSummary is a point of training steps.
type TrainingSummary struct {
	Parallelism      string        `json:"parallelism"`
	Precision        string        `json:"precision"`
	GlobalBatch      int           `json:"globalBatch"` // samples of one optimizer step over all ranks
	StepTime         *Distribution `json:"stepTime"`
	SampleThroughput *SummaryValue `json:"sampleThroughput"`
	TokenThroughput  *SummaryValue `json:"tokenThroughput"`
	MFU              *SummaryValue `json:"mfu"` // null where nobody declared what the devices can do
}

// A CollectiveSummary is one operation at one size.
type CollectiveSummary struct {
	Op        string        `json:"op"`
	Bytes     int64         `json:"bytes"`
	Algorithm string        `json:"algorithm"` // as carried out
	InPlace   bool          `json:"inPlace"`
	Time      *SummaryValue `json:"time"`
	AlgBW     *SummaryValue `json:"algBW"` // null for a barrier
	BusBW     *SummaryValue `json:"busBW"` // null for one rank and for a barrier
}

// A PairsSummary is what every two ranks of a world reached.
type PairsSummary struct {
	PairLatency   *Distribution `json:"pairLatency"`
	PairBandwidth *Distribution `json:"pairBandwidth"`
}

// A ProbeSummary is one variant of one probe of the hardware.
type ProbeSummary struct {
	Probe   string        `json:"probe"`
	Variant string        `json:"variant"`
	Scope   string        `json:"scope"`   // the part that was probed, where there are several
	Threads int           `json:"threads"` // 0 where they make no difference
	Size    int64         `json:"size"`    // bytes; 0 where there is none
	What    string        `json:"what"`    // bandwidth, latency, rate, flops
	Result  *SummaryValue `json:"result"`
}

// A Distribution is how one metric is spread over requests or steps.
type Distribution struct {
	Metric string        `json:"metric"` // definition id
	Mean   *SummaryValue `json:"mean"`
	P50    *SummaryValue `json:"p50"`
	P90    *SummaryValue `json:"p90"`
	P95    *SummaryValue `json:"p95"`
	P99    *SummaryValue `json:"p99"`
	P999   *SummaryValue `json:"p99.9"`
}

// A SummaryValue is one number with its interval, in the base unit that it names:
// seconds, never milliseconds.
type SummaryValue struct {
	Metric string    `json:"metric,omitempty"` // definition id; the distribution has it otherwise
	Value  *float64  `json:"value"`            // null where the sample is too small for the percentile
	Low    *float64  `json:"low"`              // null for an end that cannot be bounded
	High   *float64  `json:"high"`
	Unit   unit.Unit `json:"unit"`
	Reason string    `json:"reason,omitempty"` // why the value is null
	Void   string    `json:"void,omitempty"`   // the check that forbids the value

	// Launches is their median and how far apart they lie; null for fewer than two, and
	// for what does not come from launches.
	Launches *metric.LaunchSpread `json:"launches"`
}
