// Package generator is what the leader of a run and its load generators say to each
// other: who they are, what the time is, which point comes next, and what happened.
//
// It knows certificates, frames, clocks and rows. It does not know how generators are
// started (package launch), what they send to a target (package load), nor what a point
// is (package run, on both sides).
//
// The leader decides everything. It hands each generator its part of the plan, tells all
// of them to begin a point at one stamp, and takes their rows as they come. Nobody talks
// to the leader without a certificate that it made for this run, and nobody is the leader
// without one either.
package generator

import (
	"encoding/json"

	"assay/record"
)

// Version is that of the protocol. Both sides are the same program; a host with another
// one is refused with the reason.
const Version = 1

// A Hello is what a generator says of itself when it joins.
type Hello struct {
	Version    int    `json:"version"`
	Program    string `json:"program"` // version of assay
	Host       string `json:"host"`
	PID        int    `json:"pid"`
	Processors int    `json:"processors"`
	BootID     string `json:"bootID"`
	TimeNS     string `json:"timeNamespace"`
}

// An Order is what the leader wants a generator to do.
type Order struct {
	Kind   OrderKind `json:"order"`
	Launch *Part     `json:"launch,omitempty"` // of OrderLaunch
	Point  int       `json:"point,omitempty"`  // of OrderPoint: its index in the plan
	Start  int64     `json:"start,omitempty"`  // of OrderBegin: the stamp, on the launch's clock
	Why    string    `json:"why,omitempty"`    // of OrderStop; when, of OrderCalibrate
}

// An OrderKind says what an order is.
type OrderKind string

// The orders, in the order in which a launch sees them. OrderPoint to OrderRest come
// again for every point; OrderCalibrate comes before the first launch's points and after
// the last one's.
const (
	OrderLaunch    OrderKind = "launch"    // read the plan and be ready to send
	OrderCalibrate OrderKind = "calibrate" // measure your own error
	OrderPoint     OrderKind = "point"     // prepare the first calls of a point
	OrderBegin     OrderKind = "begin"     // begin it at a stamp
	OrderRest      OrderKind = "rest"      // the measured calls of all generators have ended
	OrderStop      OrderKind = "stop"      // cut the point short
	OrderEnd       OrderKind = "end"       // there is nothing more to do
)

// A Part is one generator's share of a launch.
type Part struct {
	Run    string          `json:"run"`
	Plan   json.RawMessage `json:"plan"`   // its part of the plan
	Launch int             `json:"launch"` // index
	Epoch  int64           `json:"epoch"`  // of the launch's clock, in the time of the generator's own host

	Omit            []string `json:"omit,omitempty"` // fields that the target refuses, which the leader has found out
	CollectorBudget int64    `json:"collectorBudget,omitempty"`
}

// A Report is what a generator says of its work.
type Report struct {
	Stage       Stage               `json:"stage"`
	Error       string              `json:"error,omitempty"`       // of Failed
	Phase       record.Phase        `json:"phase,omitempty"`       // of Entered
	At          int64               `json:"at,omitempty"`          // of Entered: the stamp
	Idle        bool                `json:"idle,omitempty"`        // of Prepared: it has nothing to send
	Tally       Tally               `json:"tally"`                 // of Counted and Done
	Probes      *Tally              `json:"probes,omitempty"`      // of Done, where the generator sent any
	Vitals      *Vitals             `json:"vitals,omitempty"`      // of Done
	Calibration *record.Calibration `json:"calibration,omitempty"` // of Calibrated
}

// A Stage is how far a generator has got.
type Stage string

// The stages.
const (
	Ready      Stage = "ready"      // it has read the plan
	Prepared   Stage = "prepared"   // the first calls of the point can go out
	Entered    Stage = "entered"    // a phase of the point has begun
	Counted    Stage = "counted"    // so many calls have begun; comes several times a second
	Drained    Stage = "drained"    // its measured calls have ended
	Calibrated Stage = "calibrated" // it has measured its own error
	Done       Stage = "done"       // the point is over and every row was sent
	Alive      Stage = "alive"      // whatever it does; comes every second
	Failed     Stage = "failed"     // it cannot go on
)

// A Tally counts calls of a point.
type Tally struct {
	Begun   int64 `json:"begun"`
	Dropped int64 `json:"dropped"`
	Most    int64 `json:"most"` // in flight at once
}

// Vitals are what a point cost the process of a generator.
type Vitals struct {
	CPU          float64 `json:"cpuSeconds"`
	Wall         float64 `json:"wallSeconds"`
	Resident     int64   `json:"residentBytes"` // the most so far
	Collections  int64   `json:"collections"`   // in the measured window
	LongestPause float64 `json:"longestPauseSeconds"`
}
