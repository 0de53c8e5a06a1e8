package lint

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/finding"
	"assay/stats"
)

// Throttling fires when accelerators did not run at their clock.
var Throttling = Check{
	ID: "throttling", Code: "P-14", Severity: finding.Void, About: finding.Speed,
	Doc: "Accelerators were slowed by heat or power, or their clocks drifted.",
	When: "of devices in use for at least 5 % of the time: a thermal or hardware reason for a lower " +
		"clock in a window; a clock that trends by more than 1 %, or a chip that warms by more than 3 " +
		"°C (Mann–Kendall, 0.05 shared among all series); clocks of a pair more than 1 % apart. The " +
		"software power cap is a caution, because many devices reach it under any full load",
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
	used, readings := usedGPUs(f.GPUs)
	if readings == 0 {
		return missing("samples of the accelerators' throttle reasons")
	}
	slowed, capped := throttled(used)
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
	if drifts := clockDrifts(used); len(drifts) > 0 {
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

// usedGPUs leaves out the devices that had nothing to do; readings counts those of
// the throttle reasons, of all devices.
func usedGPUs(gpus []GPUTally) (used []GPUTally, readings int) {
	for _, g := range gpus {
		readings += g.Readings
		if !g.idle() {
			used = append(used, g)
		}
	}
	return used, readings
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
			text := fmt.Sprintf("launch %d, %s: %s in %.0f %% of %d readings", g.Launch+1, g.UUID, strings.ToUpper(reason),
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
// matters. The probability is shared among all series: of a hundred that only
// swing, five would have a trend by chance.
func clockDrifts(gpus []GPUTally) []string {
	least := driftP / float64(2*max(1, len(gpus)))
	var list []string
	for _, g := range gpus {
		if moved, sure := drift(g.Clock, least); sure && math.Abs(moved) > clockDrift*stats.Middle(g.Clock) {
			list = append(list, fmt.Sprintf("launch %d, %s: clock %.0f → %.0f MHz", g.Launch+1, g.UUID, g.Clock[0], g.Clock[len(g.Clock)-1]))
		}
		if moved, sure := drift(g.Celsius, least); sure && moved > warming {
			list = append(list, fmt.Sprintf("launch %d, %s: temperature %.0f → %.0f °C", g.Launch+1, g.UUID, g.Celsius[0], g.Celsius[len(g.Celsius)-1]))
		}
	}
	return list
}

// drift is how far a series moved along its trend, and whether it had one.
func drift(xs []float64, least float64) (moved float64, sure bool) {
	xs = thinned(xs)
	t := stats.MannKendall(xs)
	return t.Slope * float64(len(xs)-1), t.P < least
}

// thinned averages neighbours until mostReadings are left: the slopes of all pairs
// of an hour's readings are millions.
func thinned(xs []float64) []float64 {
	const mostReadings = 200
	per := (len(xs) + mostReadings - 1) / mostReadings
	if per <= 1 {
		return xs
	}
	var out []float64
	for part := range slices.Chunk(xs, per) {
		sum := 0.0
		for _, x := range part {
			sum += x
		}
		out = append(out, sum/float64(len(part)))
	}
	return out
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
	used, _ := usedGPUs(gpus)
	for _, g := range used {
		all = append(all, g.Clock...)
	}
	return stats.Middle(all)
}
