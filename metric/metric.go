// Package metric turns the records of a bundle into named numbers. One metric,
// one definition id, one file; docs/reference/metrics.md is made
// from them.
//
// Metrics are computed from records only, per point and per launch. The launch
// is the unit of replication: an estimate's interval comes from the spread of
// its launches, never from the requests inside one.
//
// To add a metric, write one file NAME.go with one Metric value, list it in All
// and run make generate.
package metric

import (
	"slices"

	"assay/plan"
	"assay/record"
	"assay/unit"
)

// A Direction says which way a metric is better.
type Direction string

// The directions.
const (
	Lower  Direction = "lower"
	Higher Direction = "higher"
)

// A Metric is one defined quantity.
type Metric struct {
	ID     string // name and version of the definition, such as ttft.v2
	Name   string // as tables head it
	Unit   unit.Unit
	Better Direction
	Doc    string

	Scope Scope    // where it has a meaning
	Of    Quantity // how it is made of the records

	// Signed says that values below zero have a meaning.
	Signed bool

	// Spread says that the standard deviation, the least and the greatest of the values
	// in a launch are estimated beside the mean and the percentiles. It is for Many.
	Spread bool

	// Detail says that reports for people leave the metric out unless they are
	// asked for all: a variant of another, or a part of it.
	Detail bool
}

// LaunchPoint is the point of rows that belong to a launch as a whole.
const LaunchPoint = -1

// All lists every metric in the order of reports.
var All = slices.Concat([]Metric{
	TTFT, ITL, TPOT, E2E, Lag, Turnaround, TurnaroundShare,
	OutputThroughput, RequestThroughput, RequestsEnded, Concurrency, ErrorRate,
	OfferedRate, SentRate, DropRate,
	InputThroughput, ItemThroughput, SoundThroughput, FirstByte,
	TPOTCounted, OutputThroughputCounted,
	FirstTurnTTFT, LaterTurnTTFT, SessionTime, SessionGeneration, SessionTool, SessionThink,
	StepGeneration, StepTool, SessionTurns, SessionOffered, SessionRate, SessionErrorRate,
	ServerRunning, ServerIterationTokens, ServerQueueDepth, ServerQueueDepthMax, ServerQueueTime,
	KVCacheUsage, KVCacheUsageMax, KVCacheHitRate, CachedShare, ServerPreemptions, DraftAcceptance,
	ServerPromptThroughput, ServerOutputThroughput, ServerTTFT, ServerTTFTGap,
	GPUUtilisation, GPUMemory, GPUMemoryShare, GPUPower, GPUEnergy, EnergyPerOutputToken, EnergyPerRequest, HostEnergy,
	ColdListening, ColdReady, ColdFirstRequest, ColdFirstToken, ColdEnd, ColdGPUEnergy,
	ColdTTFT, WarmTTFT, ColdOverheadTTFT, ColdOverheadE2E,
	CacheColdTTFT, CacheWarmTTFT, CacheSavingTTFT, CacheColdShare, CacheWarmShare,
	ProbeTTFT, ProbeE2E, ProbeErrorRate,
	Goodput, Attainment,
	TTFTDue, E2EDue, ITLAll, TTFTContent, TTFTReasoning, AnswerTTFT, TTFTVisible, AnswerTTFTVisible, TTFTEvent, TTFB, TTFTService, TTST,
	ITLToken, ITLTokenCounted, LongestGap, JitterSD, JitterStep,
	TPOTDone, TPOTDoneCounted, TPOTRequest, TPOTAfterFirst, NTPOT, NTPOTCounted,
	ServiceTime, LastOutput, OutputLatency,
	UserSpeed, UserSpeedCounted, UserSpeedE2E, UserSpeedE2ECounted, PrefillSpeed,
	ReasoningTokens, ReasoningShare, ReasoningTime,
	TotalThroughput, PrefillThroughput, DecodeThroughput, OutputThroughputPerGPU, TotalThroughputPerGPU,
	LittleProduct, LittleError,
	OverloadRate, HTTPErrorRate, TimeoutRate, ConnectionErrorRate, StreamErrorRate, ProtocolErrorRate,
	CostPerMillionOutput, CostPerMillionTokens, CostPerOutputToken, CostPerRequest, CostPerGoodRequest,
	FacilityPower, FacilityEnergyPerToken, FacilityEnergyPerOutput, FacilityEnergyPerRequest,
	CarbonPerMillionTokens, CarbonPerMillionOutput, CarbonPerRequest,
	MFU, MBU,
	TokenGoodput,
}, training, collectiveMetrics, probeMetrics, attainments())

// A Timeline is one request with the events of its stream.
type Timeline struct {
	record.Request
	Events []record.Chunk // for Each alone: see output

	// Step is the request's step in its session; nil outside of one.
	Step *record.SessionStep

	// judged says that missed holds, a bit for each of Declared.Limits, those
	// that the request missed.
	judged bool
	missed uint64

	in    *Point     // that it is part of; nil outside of one, and in one that never ended
	place int32      // among the requests, or the probes, of that point
	order int32      // among the requests of the launch
	kept  output     // what stays of Events
	space *workspace // of the worker that sees it; nil before and after
}

// A Point is everything recorded about one point of one launch.
type Point struct {
	Index      int
	Begin, End int64 // the measured window, in stamps
	Sessions   []*Session
	Requests   []*Timeline
	Samples    *SampleSet  // what was read in the launch; nil means nothing
	Probes     []*Timeline // sent beside the load, and no part of it

	Declared *Declared // what the spec says beside the records; nil means nothing

	Kind   plan.Kind
	Ranked *Ranked // what ranks and probes recorded; nil for requests to a target
}

// Seconds is the length of the measured window.
func (p *Point) Seconds() float64 { return seconds(p.End - p.Begin) }

// Measured yields the requests that were due in the measured window, whatever
// became of them.
func (p *Point) Measured(yield func(*Timeline) bool) {
	for _, t := range p.Requests {
		if t.Phase == record.Measure && !yield(t) {
			return
		}
	}
}

func seconds(ns int64) float64 { return float64(ns) / 1e9 }
