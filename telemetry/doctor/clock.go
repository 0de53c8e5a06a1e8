package doctor

import (
	"context"
	"slices"

	"assay/finding"
	"assay/unit"
)

// goodSources count at a fixed rate and are read without entering the kernel.
// paravirtualSources do so too, through a page the hypervisor keeps up to date.
var (
	goodSources        = []string{"tsc", "arch_sys_counter"}
	paravirtualSources = []string{"kvm-clock", "hyperv_clocksource_tsc_page"}
)

// ClockSource asks what the kernel counts time with.
var ClockSource = Check{
	ID:    "clock-source",
	Asks:  "is the clock source the processor's own counter (tsc)",
	Worst: finding.Caution,
	Why:   "other sources are read through a trap, cost microseconds and may be coarse",
	Fix:   "boot with clocksource=tsc tsc=reliable if the kernel did not mark the counter unstable for a reason",
	Run: func(_ context.Context, s Subject) Answer {
		source, err := s.text("clock.source")
		switch {
		case err != nil:
			return unchecked(err)
		case slices.Contains(goodSources, source):
			return passed
		case slices.Contains(paravirtualSources, source):
			return found(finding.Note, "the clock source is %s, the hypervisor's; want tsc", source)
		}
		a := found(finding.Caution, "the clock source is %s; want tsc", source)
		a.Evidence, _ = s.list("clock.sources_available")
		return a
	},
}

// clockErrorLimit is the largest error of the wall clock, in seconds, with
// which logs of two hosts can still be laid side by side. A disciplined clock
// stays well below it.
const clockErrorLimit = 0.1

// WallClock asks whether the wall clock is disciplined.
var WallClock = Check{
	ID:    "wall-clock",
	Asks:  "is the wall clock synchronised within 100 ms",
	Worst: finding.Caution,
	Why:   "spans are measured on the monotonic clock, but ranks on several hosts meet on the wall clock",
	Fix:   "start chronyd or systemd-timesyncd and wait until it has settled",
	Run: func(_ context.Context, s Subject) Answer {
		synchronised, err := s.flag("clock.sync")
		if err != nil {
			return unchecked(err)
		}
		bound, err := s.number("clock.max_error_seconds")
		switch {
		case !synchronised:
			return found(finding.Caution, "the kernel says that its wall clock is not synchronised")
		case err != nil:
			return unchecked(err)
		case bound > clockErrorLimit:
			return found(finding.Caution, "the wall clock may be %s wrong; want at most %s", unit.Format(bound, unit.Second), unit.Format(clockErrorLimit, unit.Second))
		}
		return passed
	},
}
