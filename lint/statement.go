package lint

import "assay/stats"

// A Statement is what somebody says about a run: in a paper, on a slide, in a
// ticket. A reviewer writes it down to have it held against the evidence.
type Statement struct {
	Metric    string          `json:"metric"`              // definition id, such as ttft.v2; another name for what assay does not measure
	Statistic string          `json:"statistic,omitempty"` // mean, p50 … p99.9, value; min or max where somebody picked
	Point     string          `json:"point,omitempty"`     // name of the point; empty means the only one
	Side      string          `json:"side,omitempty"`      // in a run with candidates
	Value     float64         `json:"value"`
	Unit      string          `json:"unit,omitempty"` // of value and interval, as it was said; empty means the metric's own
	Interval  *stats.Interval `json:"interval,omitempty"`
	N         int             `json:"n,omitempty"`        // replicates that the interval rests on, as it was said
	Method    string          `json:"method,omitempty"`   // how the interval was made, as it was said
	Launches  []int           `json:"launches,omitempty"` // those it cites; empty means all
	Text      string          `json:"text,omitempty"`     // as it was said

	// Deterministic says that the value is the same every time, and needs no
	// interval for that.
	Deterministic bool `json:"deterministic,omitempty"`

	Aggregation Aggregation `json:"aggregation,omitempty"`
	Cites       []Cited     `json:"cites,omitempty"` // runs that it rests on; empty means this one
	Delta       *Delta      `json:"delta,omitempty"`
	Base        *Base       `json:"base,omitempty"`
	Scaling     *Scaling    `json:"scaling,omitempty"`
	Chart       *Chart      `json:"chart,omitempty"`
	Bound       *Bound      `json:"bound,omitempty"`
	Quality     *Quality    `json:"quality,omitempty"`
}

// An Aggregation says how several values became the one that is stated.
type Aggregation string

// The aggregations that somebody may state; empty means that nothing was said.
const (
	MeanOfLaunches       Aggregation = "mean_of_launches"
	MedianOfLaunches     Aggregation = "median_of_launches"
	TotalOverTime        Aggregation = "total_over_time"
	ArithmeticOfRates    Aggregation = "arithmetic_mean_of_rates"
	HarmonicOfRates      Aggregation = "harmonic_mean_of_rates"
	MeanOfRatios         Aggregation = "mean_of_ratios"
	GeometricOfRatios    Aggregation = "geometric_mean_of_ratios"
	MeanOverRanks        Aggregation = "mean_over_ranks"
	SlowestRank          Aggregation = "slowest_rank"
	MeanOfPercentiles    Aggregation = "mean_of_percentiles"
	PercentileOfRequests Aggregation = "percentile_of_requests"
)

// Aggregations lists the words of Statement.Aggregation.
var Aggregations = []Aggregation{
	MeanOfLaunches, MedianOfLaunches, TotalOverTime, ArithmeticOfRates, HarmonicOfRates, MeanOfRatios,
	GeometricOfRatios, MeanOverRanks, SlowestRank, MeanOfPercentiles, PercentileOfRequests,
}

// A Cited is a run that a statement rests on. What is left out is not compared.
type Cited struct {
	Run     string `json:"run"`               // run id
	Digest  string `json:"digest,omitempty"`  // of its manifest
	Seed    string `json:"seed,omitempty"`    // decimal
	Dataset string `json:"dataset,omitempty"` // digest
	Split   string `json:"split,omitempty"`
}

// A Delta is a stated difference between two systems.
type Delta struct {
	Ratio    float64         `json:"ratio"` // candidate ÷ baseline
	Interval *stats.Interval `json:"interval,omitempty"`
	Test     string          `json:"test,omitempty"` // the test of the difference, in words
}

// A Base is what a speed-up is relative to.
type Base struct {
	Kind  string  `json:"kind,omitempty"` // BaseOneProcess, BaseBestSerial or BaseOther
	Value float64 `json:"value,omitempty"`
	Unit  string  `json:"unit,omitempty"`
}

// The kinds of base.
const (
	BaseOneProcess = "one_process" // the same program on one worker
	BaseBestSerial = "best_serial" // the best program for one worker
	BaseOther      = "other"       // another system
)

// A Scaling is a stated speed-up over numbers of workers.
type Scaling struct {
	Kind   string         `json:"kind"` // strong or weak
	Points []ScalingPoint `json:"points"`
}

// A ScalingPoint is one number of workers.
type ScalingPoint struct {
	Workers     int             `json:"workers"`
	Speedup     float64         `json:"speedup"`
	Interval    *stats.Interval `json:"interval,omitempty"` // of the speed-up
	GlobalBatch int             `json:"globalBatch,omitempty"`
	Projected   bool            `json:"projected,omitempty"` // read off a fit, not measured
}

// A Chart is how a statement is drawn.
type Chart struct {
	X         string `json:"x"` // ordered or categories
	Lines     bool   `json:"lines,omitempty"`
	Points    bool   `json:"points,omitempty"`    // the measured points are marked
	Intervals bool   `json:"intervals,omitempty"` // error bars or bands
}

// The kinds of horizontal axis.
const (
	AxisOrdered    = "ordered"
	AxisCategories = "categories"
)

// A Bound is the most that the hardware could do, in the statement's unit.
type Bound struct {
	Value float64 `json:"value"`
	What  string  `json:"what"` // such as memory bandwidth of 8 devices
}

// A Quality is what an evaluation of the same system says.
type Quality struct {
	Task     string          `json:"task"`
	Run      string          `json:"run,omitempty"`      // run id of the evaluation
	Delta    float64         `json:"delta"`              // candidate − baseline, in percentage points
	Interval *stats.Interval `json:"interval,omitempty"` // of the delta
	Score    *float64        `json:"score,omitempty"`    // from 0 to 1
	Target   *float64        `json:"target,omitempty"`   // least accepted score
}

// A Tuning is what a knob of the baseline was tried at.
type Tuning struct {
	Knob     string    `json:"knob"` // as the check of weak baselines names it
	Better   string    `json:"better"`
	Settings []Setting `json:"settings"`
}

// A Setting is one value of a knob and what the baseline gave with it.
type Setting struct {
	Value  string  `json:"value"`
	Result float64 `json:"result"`
	Run    string  `json:"run,omitempty" use:"recorded"` // run id
}

// An Omission is something planned that no statement is about, and why.
type Omission struct {
	What   string `json:"what"` // name of a point
	Reason string `json:"reason"`
}
