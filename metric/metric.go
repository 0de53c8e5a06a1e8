// Package metric turns the records of a bundle into named numbers. One metric,
// one definition id, one file; METHODOLOGY.md states each in words.
//
// Metrics are computed from records only, per point and per launch. The launch
// is the unit of replication: an estimate's interval comes from the spread of
// its launches, never from the requests inside one.
//
// To add a metric, write one file NAME.go with one Metric value, list it in All
// and define it in METHODOLOGY.md.
package metric

import (
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

// A Metric is one defined quantity. Exactly one of Each, Whole and Share is set.
type Metric struct {
	ID     string // name and version of the definition, such as ttft.v1
	Name   string // as tables head it
	Unit   unit.Unit
	Better Direction
	Doc    string

	// OpenOnly says that the metric has a meaning in open loops only.
	OpenOnly bool

	// Each yields the values of one successful measured request; a distribution
	// is made of them.
	Each func(t *Timeline) []float64

	// Whole yields the one value of a point in a launch, and false when the
	// records cannot tell.
	Whole func(p *Point) (float64, bool)

	// Share counts, of the requests of a point in a launch, those that hit and
	// those that were tried.
	Share func(p *Point) (hits, trials int)

	// Many takes the place of Each where values do not belong to single requests:
	// it yields those of a point in a launch, such as one for each session.
	Many func(p *Point) []float64

	// SessionOnly says that the metric has a meaning for sessions only.
	SessionOnly bool
}

// All lists every metric in the order of reports.
var All = []Metric{
	TTFT, ITL, TPOT, E2E, Lag,
	FirstTurnTTFT, LaterTurnTTFT, SessionTime, SessionGeneration, SessionTool, SessionThink,
	StepGeneration, StepTool, SessionTurns, SessionOffered, SessionRate, SessionErrorRate,
	OutputThroughput, RequestThroughput, Concurrency, ErrorRate,
	OfferedRate, SentRate, DropRate,
}

// A Timeline is one request with the events of its stream.
type Timeline struct {
	record.Request
	Events []record.Chunk

	// Step is the request's step in its session; nil outside of one.
	Step *record.SessionStep
}

// Output yields the events that carried output, in order of arrival.
func (t *Timeline) Output(yield func(record.Chunk) bool) {
	for _, c := range t.Events {
		if c.Kind.Output() && !yield(c) {
			return
		}
	}
}

// A Point is everything recorded about one point of one launch.
type Point struct {
	Index      int
	Begin, End int64 // the measured window, in stamps
	Sessions   []*Session
	Requests   []*Timeline
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
