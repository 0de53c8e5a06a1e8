// Package overlap says where the time of training steps went: computing, waiting
// for input, exchanging gradients in the open or behind the computation, waiting
// for a peer; and which rank or link, if any, the others wait for.
//
// Methods and definitions are those of docs/reference/method-ranks.md: exposed communication by
// stamped buckets, attribution by replay, lateness on aligned clocks, and nobody
// is accused inside the bound of the clocks.
package overlap

import (
	"slices"

	"assay/analysis/trace"
	"assay/finding"
	"assay/stats"
)

// Version is the version of the format of training.json.
const Version = "1.1"

// A Report is what the steps of a bundle say: derived/VERSION/training.json.
type Report struct {
	Version string  `json:"version"`
	Points  []Point `json:"points"`
}

// Findings are those of every point.
func (r Report) Findings() []finding.Finding {
	var list []finding.Finding
	for _, p := range r.Points {
		list = append(list, p.Findings...)
	}
	return list
}

// outOfMemory is the outcome of a rank whose point did not fit.
const outOfMemory = "out_of_memory"

// RanOut names the points without figures because their ranks ran out of memory.
func (r Report) RanOut() []string {
	var list []string
	for _, p := range r.Points {
		if p.RanOut() {
			list = append(list, p.Name)
		}
	}
	return list
}

// RanOut says that no step was measured because the point did not fit into memory.
func (p Point) RanOut() bool {
	return p.Steps == 0 && slices.ContainsFunc(p.Memory, func(m Memory) bool { return m.Outcome == outOfMemory })
}

// A Point is one point of training over its launches.
type Point struct {
	Point int    `json:"point"`
	Name  string `json:"name"`
	Ranks int    `json:"ranks"`
	Steps int    `json:"steps"`           // measured and synced ones, in all launches
	OnCPU bool   `json:"onCPU,omitempty"` // every rank computes on its host's processors

	Launches []int             `json:"launches"` // that have such steps
	Parts    []Part            `json:"parts"`    // of the mean step, each step's on its slowest rank; they add up to it
	PerRank  []Rank            `json:"perRank"`
	Clocks   []Clock           `json:"clocks,omitempty"`
	Verdict  Verdict           `json:"verdict"`
	Profile  *Profile          `json:"profile,omitempty"` // beside one worker; nil for one rank
	Memory   []Memory          `json:"memory,omitempty"`
	Checks   []Check           `json:"checks,omitempty"`
	FLOP     *FLOP             `json:"flop,omitempty"`
	Timeline []Timeline        `json:"timeline,omitempty"` // one typical step of the first launch, for drawing
	Traces   []Trace           `json:"traces,omitempty"`   // what the profiler's traces say
	Findings []finding.Finding `json:"findings,omitempty"`
}

// A Part is one part of a step.
type Part struct {
	Name   string `json:"name"`   // data, h2d, forward, backward, exposed_communication, optimizer, other
	Metric string `json:"metric"` // whose mean it is, such as step_data.v1
	stats.Estimate
	Share     float64   `json:"share"`     // of the step
	PerLaunch []float64 `json:"perLaunch"` // in the order of the point's launches
}

// A Rank is what one rank did; medians over steps and launches, in seconds.
type Rank struct {
	Rank       int        `json:"rank"`
	Host       string     `json:"host,omitempty"`
	Step       float64    `json:"step"`
	Spread     [2]float64 `json:"spread"` // of the step: p5 and p95
	Data       *float64   `json:"data,omitempty"`
	H2D        *float64   `json:"h2d,omitempty"`
	Forward    *float64   `json:"forward,omitempty"`
	Backward   *float64   `json:"backward,omitempty"`
	Unsynced   *float64   `json:"unsynced,omitempty"` // backward pass of steps without exchange
	Optimizer  *float64   `json:"optimizer,omitempty"`
	Compute    *float64   `json:"compute,omitempty"` // from the begin of the backward pass to its last gradient
	Exposed    *float64   `json:"exposed,omitempty"`
	Comm       *float64   `json:"comm,omitempty"`
	Overlap    *float64   `json:"overlap,omitempty"` // 1 − exposed/comm
	Transfer   *float64   `json:"transfer,omitempty"`
	PeerWait   *float64   `json:"peerWait,omitempty"`     // in all
	ByWait     *float64   `json:"byWait,omitempty"`       // of the exposed, by replay
	ByTransfer *float64   `json:"byTransfer,omitempty"`   // the rest of the exposed
	Interfere  *float64   `json:"interference,omitempty"` // sync − unsynced − exposed
	Alone      *float64   `json:"alone,omitempty"`        // the same buckets without computation
	Lateness   *float64   `json:"lateness,omitempty"`     // of its buckets after the first rank's
	LateStart  *float64   `json:"lateStart,omitempty"`    // of its forward pass
	Last       *float64   `json:"last,omitempty"`         // share of buckets that it was last with, beyond the bound
	Score      *float64   `json:"score,omitempty"`        // last × lateness
}

// A Clock is how well one rank's clock is known.
type Clock struct {
	Launch int      `json:"launch"`
	Rank   int      `json:"rank"`
	Offset float64  `json:"offset"`          // seconds, before the measurement
	Bound  float64  `json:"bound"`           // seconds, of the worse of before and after
	Drift  *float64 `json:"drift,omitempty"` // parts per million between the two
}

// A Verdict says what holds the step up, and how sure that is.
type Verdict struct {
	Limit string   `json:"limit"` // none, late_start, slow_compute, slow_link, slow_direction, exposed_communication, input, unknown
	Rank  *int     `json:"rank,omitempty"`
	From  *int     `json:"from,omitempty"` // of a direction
	To    *int     `json:"to,omitempty"`
	Input bool     `json:"input,omitempty"` // a rank that starts late does so because its input comes late
	Text  string   `json:"text"`
	How   []string `json:"how,omitempty"` // the figures behind it
}

// A Memory is what one rank held, in bytes.
type Memory struct {
	Rank          int    `json:"rank"`
	Outcome       string `json:"outcome"`
	Parameters    *int64 `json:"parameters,omitempty"`
	Gradients     *int64 `json:"gradients,omitempty"`
	Optimizer     *int64 `json:"optimizer,omitempty"`
	Activations   *int64 `json:"activations,omitempty"`
	PeakAllocated *int64 `json:"peakAllocated,omitempty"`
	PeakReserved  *int64 `json:"peakReserved,omitempty"`
	Fragmented    *int64 `json:"fragmented,omitempty"` // reserved and not allocated at the peak
	Resident      *int64 `json:"resident,omitempty"`
	Total         *int64 `json:"total,omitempty"`
}

// A Check is one comparison of results.
type Check struct {
	Launch   int      `json:"launch"`
	Name     string   `json:"name"`
	Value    *float64 `json:"value,omitempty"`
	Expected *float64 `json:"expected,omitempty"`
	Error    *float64 `json:"error,omitempty"`
	Noise    *float64 `json:"noise,omitempty"`
	Passed   bool     `json:"passed"`
	Text     string   `json:"text,omitempty"`
}

// FLOP is what model FLOP utilisation rests on.
type FLOP struct {
	Convention string   `json:"convention"`
	PerToken   float64  `json:"perToken"`
	Hardware   float64  `json:"hardwarePerToken"` // recomputation included
	Parameters int64    `json:"parameters"`
	Embedding  int64    `json:"embedding"`
	Peak       float64  `json:"peak"` // FLOP/s of one device
	PeakSource string   `json:"peakSource"`
	Measured   *float64 `json:"measuredPeak,omitempty"` // of a matmul on the same device in this run
	Precision  string   `json:"precision"`
	Sequence   int      `json:"sequenceLength"`
	Devices    int      `json:"devices"`
	Counted    *float64 `json:"counted,omitempty"` // per token, by the profiler
}

// A Timeline is one step of one rank, in seconds from the first rank's begin.
type Timeline struct {
	Rank    int          `json:"rank"`
	Spans   []Span       `json:"spans"`
	Buckets [][3]float64 `json:"buckets,omitempty"` // ready, end, bytes
}

// A Span is one phase of it.
type Span struct {
	Name  string  `json:"name"`
	Begin float64 `json:"begin"`
	End   float64 `json:"end"`
}

// What the traces of a profiler say.
type (
	Trace            = trace.Trace
	Kernel           = trace.Kernel
	TracedCollective = trace.Collective
)
