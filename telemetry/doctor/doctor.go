// Package doctor asks whether a host is fit to measure on.
//
// It judges the facts that package telemetry records, and takes a short
// measurement of its own for what no file says: how late this machine wakes a
// sleeper and how long it puts a busy thread aside. It changes nothing. What it
// cannot read it reports as not checked, with the reason: a gap is not a pass.
//
// To add a check, write one Check value and list it in All, then give the
// conformance test one host that trips it and one that does not.
package doctor

import (
	"context"
	"fmt"

	"assay/finding"
	"assay/record"
	"assay/telemetry"
)

// A Check is one question about a host.
type Check struct {
	ID    string
	Asks  string           // the question, answered yes on a fit host
	Worst finding.Severity // the worst it reports
	Why   string           // why it matters
	Fix   string           // what to do
	Run   func(ctx context.Context, s Subject) Answer
}

// All lists every check in the order of the report.
var All = []Check{
	Linux, Swap, Governor, CPULimit, MemoryLimit, ForeignGPU,
	NUMAAffinity, PressureCPU, PressureMemory, PressureIO, OtherLoad, Steal,
	SleepOvershoot, Hiccups, ClockCost, ClockSource, WallClock,
	GPUThrottling, GPUTemperature, GPUMemoryErrors, GPULink, CPUTemperature,
	OpenFiles, Ports, DiskSpace, PowerMode,
	Virtual, HugePages, SMT, Turbo, CPUThrottling, GPUPersistence,
	Sandbox,
}

// A Subject is the host under examination.
type Subject struct {
	Host  telemetry.Host
	Facts record.Environment
	Pulse Pulse
	// NoPulse says why Pulse was not measured; nil when it was.
	NoPulse error
}

// An Answer is what a check found: nothing, trouble, or that it could not look.
type Answer struct {
	Severity finding.Severity // empty when nothing was found
	Message  string
	Evidence []string
	NotRead  string // why the check could not be made
}

var passed = Answer{}

func found(s finding.Severity, format string, args ...any) Answer {
	return Answer{Severity: s, Message: fmt.Sprintf(format, args...)}
}

func unchecked(err error) Answer { return Answer{NotRead: err.Error()} }

// A Status says how a check ended.
type Status string

// The ways a check ends.
const (
	Passed     Status = "passed"
	Found      Status = "finding"
	NotChecked Status = "not_checked"
)

// A Result is the outcome of one check.
type Result struct {
	Check   string           `json:"check"`
	Asks    string           `json:"asks"`
	Status  Status           `json:"status"`
	Reason  string           `json:"reason,omitempty"` // why it was not checked
	Finding *finding.Finding `json:"finding,omitempty"`
}

// A Report is the outcome of every check, in the order of All.
type Report struct {
	Fit     bool     `json:"fit"` // no void finding
	Results []Result `json:"checks"`
}

// Findings returns the findings of r in order.
func (r Report) Findings() []finding.Finding {
	var out []finding.Finding
	for _, result := range r.Results {
		if result.Finding != nil {
			out = append(out, *result.Finding)
		}
	}
	return out
}

// Examine runs every check over h. The function pulse measures the timers of
// the machine this process runs on; nil means that h is another machine, and
// the checks behind it are not made.
func Examine(ctx context.Context, h telemetry.Host, pulse func(context.Context) (Pulse, error)) Report {
	s := Subject{Host: h, Facts: telemetry.Capture(ctx, h), NoPulse: errNoPulse}
	if pulse != nil {
		s.Pulse, s.NoPulse = pulse(ctx)
	}
	var r Report
	for _, c := range All {
		r.Results = append(r.Results, c.result(c.Run(ctx, s)))
	}
	r.Fit = finding.Worst(r.Findings()) != finding.Void
	return r
}

func (c Check) result(a Answer) Result {
	out := Result{Check: c.ID, Asks: c.Asks, Status: Passed}
	switch {
	case a.NotRead != "":
		out.Status, out.Reason = NotChecked, a.NotRead
	case a.Severity != "":
		out.Status = Found
		out.Finding = &finding.Finding{
			Check: c.ID, Severity: a.Severity, Message: a.Message,
			Why: c.Why, Fix: c.Fix, Evidence: a.Evidence,
		}
	}
	return out
}
