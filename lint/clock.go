package lint

import (
	"fmt"
	"math"
	"slices"
	"time"

	"assay/bundle"
	"assay/finding"
	"assay/metric"
	"assay/record"
)

// Clock fires when the times of a run cannot be subtracted from each other.
var Clock = Check{
	ID: "clock", Code: "L-14", Severity: finding.Void,
	Doc: "A clock that steps, that others do not share or that is coarse spoils every latency.",
	When: "a tick clock, a launch on a clock other than CLOCK_MONOTONIC, a wall clock that moved by " +
		"more than 50 ms and 500 ppm between launches, an offset bound above a tenth of the shortest " +
		"median. Caution: a clock source other than tsc, arch_sys_counter, kvm-clock and hyperv",
	Applies: serves,
	Run:     clockCheck,
}

var (
	// fastClocks count at a fixed rate and are read without entering the kernel.
	fastClocks = []string{"tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page"}
	// coarseClocks count ticks of the kernel: milliseconds.
	coarseClocks = []string{"jiffies", "refined-jiffies"}
)

const (
	// offsetShare is how much of a measured time the offset between two clocks
	// may be.
	offsetShare = .1
	// slewLimit is the fastest that a wall clock is moved without a step.
	slewLimit = 500e-6
	// stepLimit is the least step that the ledger can show: its wall time and its
	// epoch are read one after the other, and a busy host may come between.
	stepLimit = 50 * time.Millisecond
)

func clockCheck(f *Facts) Answer {
	var answer Answer
	add := func(severity finding.Severity, why, fix, message string, args ...any) {
		answer.Findings = append(answer.Findings, finding.Finding{Severity: severity, Message: fmt.Sprintf(message, args...), Why: why, Fix: fix})
	}
	source, known := f.fact("clock.source")
	switch {
	case !known:
		answer.Missing = "the environment's clock.source"
	case slices.Contains(coarseClocks, source):
		add(finding.Void, "its ticks are milliseconds apart", "boot with clocksource=tsc", "the host's clock source is %s", source)
	case !slices.Contains(fastClocks, source):
		// A caution alone: such clocks are monotonic and fine enough, but slow to
		// read; what that does to stamps is in the client's own error.
		add(finding.Caution, "each reading goes through the kernel and takes microseconds", "boot with clocksource=tsc if the kernel did not mark that counter unstable for a reason", "the host's clock source is %s, want one of %v", source, fastClocks)
	}
	for _, l := range f.Manifest.Launches {
		if l.Clock != "" && l.Clock != record.ClockID && !slices.ContainsFunc(f.Manifest.Clocks, func(c bundle.Clock) bool { return c.ID == l.Clock }) {
			add(finding.Void, "it may be set back while a request is under way", "stamp on "+record.ClockID, "launch %d is stamped by the clock %q, which is not known to be monotonic", l.Index+1, l.Clock)
		}
	}
	if step, between := wallStep(f.Manifest.Launches); step > 0 {
		add(finding.Void, "stamps that the kernel makes are in wall time, and logs of servers as well", "let the clock be kept by slewing (chronyd, no makestep) while a run goes on",
			"the wall clock was moved by %s against %s between launches %s", step.Round(time.Millisecond), record.ClockID, between)
	}
	shortest := shortestLatency(f)
	for _, c := range f.Manifest.Clocks[min(1, len(f.Manifest.Clocks)):] {
		switch bound := float64(c.BoundNS) / 1e9; {
		case c.BoundNS == 0:
			answer.Missing = "the bound of the offset of clock " + c.ID
		case bound > offsetShare*shortest:
			add(finding.Void, "times of two hosts are subtracted from each other", "keep the hosts' clocks with PTP, or measure on one host",
				"the clock %s is within ±%s of the first one, and the shortest median latency is %s", c.ID, duration(bound), duration(shortest))
		}
	}
	return answer
}

// wallStep is the largest move of the wall clock against the monotonic one
// between two launches that follow each other, beyond what slewing explains.
func wallStep(launches []bundle.LaunchInfo) (step time.Duration, between string) {
	for i := 1; i < len(launches); i++ {
		a, b := launches[i-1], launches[i]
		if a.EpochNS == 0 || b.EpochNS == 0 || a.Clock != b.Clock {
			continue
		}
		elapsed := time.Duration(b.EpochNS - a.EpochNS)
		moved := (b.Started.Sub(a.Started) - elapsed).Abs()
		if slewed := time.Duration(slewLimit * float64(elapsed.Abs())); moved > stepLimit+slewed && moved > step {
			step, between = moved, fmt.Sprintf("%d and %d", a.Index, b.Index)
		}
	}
	return step, between
}

// shortestLatency is the smallest median of a latency; infinite where there is
// none.
func shortestLatency(f *Facts) float64 {
	least := math.Inf(1)
	for _, m := range []metric.Metric{metric.TTFT, metric.ITL, metric.TPOT, metric.E2E} {
		for _, row := range rowsOf(f, m.ID, "p50") {
			if row.Value > 0 {
				least = min(least, row.Value)
			}
		}
	}
	return least
}
