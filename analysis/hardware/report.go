// Package hardware says what the parts of a machine can do, from the trials of
// probes: bandwidths, latencies, rates, with intervals over replicates and
// launches; and the roofline that the measured roofs make.
package hardware

import (
	"assay/finding"
	"assay/stats"
	"assay/unit"
)

// Version is the version of the format of hardware.json.
const Version = "1.2"

// A Report is what the probes of a bundle say: derived/VERSION/hardware.json.
type Report struct {
	Version  string            `json:"version"`
	Rows     []Row             `json:"rows"`
	Levels   []Level           `json:"levels,omitempty"`
	Roofline *Roofline         `json:"roofline,omitempty"`
	Network  []Interface       `json:"network,omitempty"`
	Devices  []Devices         `json:"devices,omitempty"` // where several accelerators were measured
	Findings []finding.Finding `json:"findings,omitempty"`
}

// A Row is one variant of one probe.
type Row struct {
	Point   int       `json:"point"`
	Host    string    `json:"host,omitempty"` // that was measured, where there are several
	Probe   string    `json:"probe"`
	Variant string    `json:"variant"`
	Scope   string    `json:"scope,omitempty"`
	Threads int       `json:"threads,omitempty"`
	Size    int64     `json:"size,omitempty"`
	What    string    `json:"what"` // bandwidth, latency, rate, flops
	Unit    unit.Unit `json:"unit"`
	stats.Estimate
	P99     *float64 `json:"p99,omitempty"` // of single operations, where those are what is timed
	Samples int      `json:"samples"`
	Wrong   int64    `json:"wrong,omitempty"`

	// Launches are what each launch got through, where hosts are compared by it: work over
	// time, pauses and all.
	Launches []float64 `json:"launches,omitempty"`

	best float64 // of the replicates
}

// A Level is one step of the ladder of memory latency.
type Level struct {
	Name    string  `json:"name"`             // L1, L2, L3, memory
	Size    int64   `json:"size"`             // found from the ladder
	Stated  *int64  `json:"stated,omitempty"` // as the kernel says
	Latency float64 `json:"latency"`          // seconds
}

// A Roofline is what a computation of so many operations a byte can reach.
type Roofline struct {
	Device string      `json:"device"`
	Peak   float64     `json:"peak"`      // FLOP/s, measured
	Memory float64     `json:"bandwidth"` // bytes per second, measured
	Ridge  float64     `json:"ridge"`     // FLOP a byte
	Points []RoofPoint `json:"points,omitempty"`
}

// A RoofPoint is a measured kernel on the roofline.
type RoofPoint struct {
	Name      string  `json:"name"`
	Intensity float64 `json:"intensity"`
	Reached   float64 `json:"reached"` // FLOP/s
	Roof      float64 `json:"roof"`    // of that intensity
}

// An Interface is what one network interface carried over the run.
type Interface struct {
	Name        string   `json:"name"`
	Speed       *float64 `json:"speed,omitempty"` // bytes per second
	MTU         int      `json:"mtu,omitempty"`
	Received    float64  `json:"received"` // bytes
	Sent        float64  `json:"sent"`
	PeakIn      float64  `json:"peakIn"` // bytes per second
	PeakOut     float64  `json:"peakOut"`
	PacketsIn   float64  `json:"packetsIn"`
	PacketsOut  float64  `json:"packetsOut"`
	Dropped     float64  `json:"dropped"`
	Errors      float64  `json:"errors"`
	Retransmits *float64 `json:"retransmits,omitempty"` // of the host, TCP segments
}
