// Package picture gathers what charts show: distributions as curves with their
// bands, and what happened over time. Everything is thinned to what an eye can
// tell apart, so that a picture of a million requests is as small as one of a
// thousand. It draws nothing; package report does.
package picture

import "assay/unit"

// Version is the version of the format of pictures.json.
const Version = "1.0"

// A Set is the pictures of one bundle: derived/VERSION/pictures.json.
type Set struct {
	Version       string         `json:"version"`
	Distributions []Distribution `json:"distributions"`
	Launches      []Launch       `json:"launches"`
	Components    []Components   `json:"components,omitempty"`
}

// A Distribution is how one metric of the measured requests of one point spreads:
// the share of requests at or below each value.
type Distribution struct {
	Metric string    `json:"metric"` // definition id, such as ttft.v2
	Name   string    `json:"name"`
	Unit   unit.Unit `json:"unit"`
	Point  int       `json:"point"`
	Side   string    `json:"side,omitempty"`
	N      int       `json:"n"`    // values of all launches
	Band   string    `json:"band"` // what Lo and Hi mean, for people

	Value []float64 `json:"value"` // rising, at most some two hundred
	Share []float64 `json:"share"`
	Lo    []float64 `json:"lo"`
	Hi    []float64 `json:"hi"`
}

// A Launch is one launch over time. Times are seconds since its records begin.
type Launch struct {
	Launch  int      `json:"launch"`
	Side    string   `json:"side,omitempty"`
	End     float64  `json:"end"`
	Windows []Window `json:"windows"`
	Series  []Series `json:"series"`
}

// A Window is one point of a launch as it went on.
type Window struct {
	Point       int      `json:"point"`
	Begin       float64  `json:"begin"`                 // of the point: the warm-up begins
	Measure     float64  `json:"measure"`               // of the measured window
	MeasureEnd  float64  `json:"measureEnd"`            //
	End         float64  `json:"end"`                   // of the point
	SteadyBegin *float64 `json:"steadyBegin,omitempty"` // nil where no steady state was found
	SteadyEnd   *float64 `json:"steadyEnd,omitempty"`
	Verdict     string   `json:"verdict,omitempty"` // of package steady
}

// A Series is one thing over the time of a launch, in bins of equal length.
type Series struct {
	Name   string    `json:"name"`            // as a legend says it: see the names below, and GPU power
	Source string    `json:"source"`          // requests, client, host, server or gpu
	Scope  string    `json:"scope,omitempty"` // which device; empty for the whole
	Unit   unit.Unit `json:"unit"`
	Step   float64   `json:"step"`  // seconds between two values
	Start  float64   `json:"start"` // the middle of the first bin

	// Values has null where nothing was seen in the bin.
	Values []*float64 `json:"values"`
}

// The names of the series that come from the requests. Latencies are those of the
// requests that were due in a bin; a p99 needs a hundred of them.
const (
	FirstTokenMedian = "TTFT p50"
	FirstTokenHigh   = "TTFT p99"
	FirstTokenMax    = "TTFT max"
	WholeMedian      = "E2E p50"
	Offered          = "offered requests"
	Completed        = "completed requests"
	Failed           = "failed requests"
	OutputTokens     = "output tokens" // as if those of a stream came evenly
	OutputItems      = "output items"
	InFlight         = "requests in flight"
)

// The sources of series.
const (
	Requests = "requests"
	Client   = "client"
	Host     = "host"
	Server   = "server"
	GPU      = "gpu"
)

// Components says where the variance of a metric at a point comes from.
type Components struct {
	Metric string `json:"metric"`
	Name   string `json:"name"`
	Point  int    `json:"point"`
	Side   string `json:"side,omitempty"`

	// Between is the standard deviation from launch to launch and Within that of
	// requests inside a launch, both relative to the mean; Share is that of the
	// launches in the variance of one request, 0 to 1.
	Between float64 `json:"between"`
	Within  float64 `json:"within"`
	Share   float64 `json:"share"`
}
