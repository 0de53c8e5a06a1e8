package lint

import (
	"fmt"
	"slices"
	"strings"

	"assay/finding"
	"assay/stats"
)

// Throttling fires when accelerators did not run at their clock.
var Throttling = Check{
	ID: "throttling", Code: "P-14", Severity: finding.Void,
	Doc:     "Accelerators were slowed by heat or power, or their clocks drifted.",
	Applies: func(f *Facts) bool { return !f.noGPUs() },
	Run:     throttling,
}

const (
	clockDrift = .01 // a clock that moved by less than 1 % moved no figure
	driftP     = .05
	// A chip that warms by more than three degrees over a window is not yet on its
	// plateau; sensors step by one.
	warming = 3
	// The power cap holds the clock under every full load on many devices: that is
	// how they are built, so it has to be carried and does not forbid.
	powerCap = "sw_power_cap"
)

func throttling(f *Facts) Answer {
	if !f.here() {
		return missing("clocks and temperatures of the target's accelerators, which are on another host")
	}
	readings := 0
	for _, g := range f.GPUs {
		readings += g.Readings
	}
	if readings == 0 {
		return missing("samples of the accelerators' throttle reasons")
	}
	slowed, capped := throttled(f.GPUs)
	var list []finding.Finding
	if len(slowed) > 0 {
		list = append(list, finding.Finding{
			Severity: finding.Void,
			Message:  "accelerators were slowed in the measured window: " + summary(slowed),
			Why:      "the figures are those of the cooling, not of the system",
			Fix:      "cool the devices, lower or lock their clocks, and run again",
			Evidence: slowed,
		})
	}
	if len(capped) > 0 {
		list = append(list, finding.Finding{
			Severity: finding.Caution,
			Message:  "the power limit held the clocks down: " + summary(capped),
			Fix:      "state the power limit with the figures (gpu.N.power_limit_watts)",
			Evidence: capped,
		})
	}
	if drifts := clockDrifts(f.GPUs); len(drifts) > 0 {
		list = append(list, finding.Finding{
			Severity: finding.Void,
			Message:  "accelerators had not settled: " + summary(drifts),
			Why:      "a clock that moves while a window is measured is in every figure of it",
			Fix:      "warm up for longer, or lock the clocks",
			Evidence: drifts,
		})
	}
	if f.Against != nil {
		list = append(list, otherClock(f)...)
	}
	return found(list...)
}

// throttled lists the devices that something slowed, and those that only their
// power limit did.
func throttled(gpus []GPUTally) (slowed, capped []string) {
	for _, g := range gpus {
		var reasons []string
		for reason := range g.Reasons {
			reasons = append(reasons, reason)
		}
		slices.Sort(reasons)
		for _, reason := range reasons {
			text := fmt.Sprintf("launch %d, %s: %s in %.0f %% of %d readings", g.Launch, g.UUID, strings.ToUpper(reason),
				100*float64(g.Reasons[reason])/float64(max(1, g.Readings)), g.Readings)
			if reason == powerCap {
				capped = append(capped, text)
			} else {
				slowed = append(slowed, text)
			}
		}
	}
	return slowed, capped
}

// clockDrifts lists the devices whose clock or temperature had a trend that
// matters.
func clockDrifts(gpus []GPUTally) []string {
	var list []string
	for _, g := range gpus {
		if t := stats.MannKendall(g.Clock); t.P < driftP {
			moved := t.Slope * float64(len(g.Clock)-1)
			if middle := medianOf(g.Clock); moved > clockDrift*middle || moved < -clockDrift*middle {
				list = append(list, fmt.Sprintf("launch %d, %s: clock %.0f → %.0f MHz", g.Launch, g.UUID, g.Clock[0], g.Clock[len(g.Clock)-1]))
			}
		}
		if t := stats.MannKendall(g.Celsius); t.P < driftP && t.Slope*float64(len(g.Celsius)-1) > warming {
			list = append(list, fmt.Sprintf("launch %d, %s: temperature %.0f → %.0f °C", g.Launch, g.UUID, g.Celsius[0], g.Celsius[len(g.Celsius)-1]))
		}
	}
	return list
}

// otherClock compares the usual clocks of two runs.
func otherClock(f *Facts) []finding.Finding {
	ours, theirs := usualClock(f.GPUs), usualClock(f.Against.GPUs)
	if ours == 0 || theirs == 0 || ours >= theirs*(1-clockDrift) && ours <= theirs*(1+clockDrift) {
		return nil
	}
	return []finding.Finding{{
		Severity: finding.Void,
		Message:  fmt.Sprintf("the clocks of the two runs differ: %.0f MHz against %.0f MHz in the baseline", ours, theirs),
		Fix:      "lock the clocks of both to one value",
	}}
}

func usualClock(gpus []GPUTally) float64 {
	var all []float64
	for _, g := range gpus {
		all = append(all, g.Clock...)
	}
	return medianOf(all)
}
