package doctor

import (
	"context"

	"assay/finding"
)

// pressureLimit is the share of time, in percent, in which some task may wait.
// Above it a host counts as contended.
const pressureLimit = 5

// PressureCPU asks whether tasks wait for a processor.
var PressureCPU = Check{
	ID:    "pressure-cpu",
	Asks:  "do tasks get a processor at once, 95 % of the time",
	Worst: finding.Caution,
	Why:   "a client that waits for its processor measures the wait",
	Fix:   "stop other work on this host, or measure from another one",
	Run:   pressed("cpu", "a processor"),
}

// PressureMemory asks whether tasks wait for memory.
var PressureMemory = Check{
	ID:    "pressure-memory",
	Asks:  "do tasks get memory at once, 95 % of the time",
	Worst: finding.Caution,
	Why:   "reclaiming memory stops whoever asks for it",
	Fix:   "free memory: stop other work, or use a larger machine",
	Run:   pressed("memory", "memory"),
}

// PressureIO asks whether tasks wait for disks.
var PressureIO = Check{
	ID:    "pressure-io",
	Asks:  "do tasks get their disk at once, 95 % of the time",
	Worst: finding.Caution,
	Why:   "model loading, logs and raw records share the disk with whoever keeps it busy",
	Fix:   "stop other disk work, or write bundles to another disk",
	Run:   pressed("io", "a disk"),
}

func pressed(resource, what string) func(context.Context, Subject) Answer {
	return func(_ context.Context, s Subject) Answer {
		some, err := s.number("pressure." + resource + ".some_avg10_percent")
		if err != nil {
			return unchecked(err)
		}
		if some <= pressureLimit {
			return passed
		}
		return found(finding.Caution, "in the last 10 s some task waited for %s %.3g %% of the time; want at most %d %%", what, some, pressureLimit)
	}
}

// OtherLoad asks whether others use the processors. assay has only just begun,
// so the average of the last minute is not its own. A quarter of the CPUs is
// more than any idle system's daemons take.
var OtherLoad = Check{
	ID:    "load",
	Asks:  "were at most a quarter of the CPUs wanted during the last minute",
	Worst: finding.Caution,
	Why:   "work of others takes processor, cache and memory bandwidth from the measurement",
	Fix:   "stop other work on this host and wait a minute",
	Run: func(_ context.Context, s Subject) Answer {
		load, err := s.number("load.avg1")
		if err != nil {
			return unchecked(err)
		}
		threads, err := s.number("cpu.threads")
		if err != nil {
			return unchecked(err)
		}
		if load <= threads/4 {
			return passed
		}
		return found(finding.Caution, "the load average is %.3g on %.0f CPUs; want at most %.3g", load, threads, threads/4)
	},
}

// Steal asks whether the hypervisor gives our time away. One percent is the
// limit above which a neighbour shows in tails.
var Steal = Check{
	ID:    "steal",
	Asks:  "did the hypervisor take less than 1 % of processor time since boot",
	Worst: finding.Caution,
	Why:   "stolen time stops the machine while its clocks run on; nothing inside can tell it from a slow server",
	Fix:   "ask for dedicated processors, or measure on bare metal",
	Run: func(_ context.Context, s Subject) Answer {
		steal, err := s.number("cpu.steal_percent_since_boot")
		if err != nil {
			return unchecked(err)
		}
		if steal < 1 {
			return passed
		}
		return found(finding.Caution, "the hypervisor took %.3g %% of processor time since boot; want less than 1 %%", steal)
	},
}
