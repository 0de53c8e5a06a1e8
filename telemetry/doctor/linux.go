package doctor

import (
	"context"

	"assay/finding"
)

// Linux says what a measurement on another system lacks.
var Linux = Check{
	ID:    "linux",
	Asks:  "is this Linux",
	Worst: finding.Caution,
	Why: "elsewhere answers are read by net/http and stamped after a goroutine was woken, not by the kernel; " +
		"calls leave by Go's timers, up to a millisecond late; processor, memory and pressure are not recorded; " +
		"and a server that assay started stays when assay is killed",
	Fix: "run the client on Linux, a virtual machine included; assay calibrate measures what this client adds",
	Run: func(_ context.Context, s Subject) Answer {
		switch s.Host.System {
		case "linux":
			return passed
		case "":
			return Answer{NotRead: "the files of a host do not say what it runs"}
		}
		return found(finding.Caution, "this is %s: the client is coarser than on Linux and records less", s.Host.System)
	},
}
