package doctor

import (
	"context"

	"assay/finding"
	"assay/telemetry"
	"assay/unit"
)

// Swap asks whether pages can be moved to disk.
var Swap = Check{
	ID:    "swap",
	Asks:  "is swap off",
	Worst: finding.Void,
	Why:   "a page that comes back from disk costs milliseconds at a moment nobody chose",
	Fix:   "swapoff -a for the time of the run",
	Run: func(_ context.Context, s Subject) Answer {
		total, err := s.number("memory.swap_total_bytes")
		if err != nil {
			return unchecked(err)
		}
		if total == 0 {
			return passed
		}
		used, _ := s.number("memory.swap_used_bytes") // the total alone decides
		a := found(finding.Void, "%s of swap is on, %s in use; want none", unit.Format(total, unit.Byte), unit.Format(used, unit.Byte))
		a.Evidence, _ = s.list("memory.swap_devices")
		return a
	},
}

// MemoryLimit asks whether a control group caps memory. A limit at or above the
// machine's memory can never bind.
var MemoryLimit = Check{
	ID:    "memory-limit",
	Asks:  "is memory free of a control group limit",
	Worst: finding.Void,
	Why:   "near its limit a group reclaims its page cache and then kills: the run slows before it dies",
	Fix:   "raise the container's memory limit to the machine's, or run outside the group",
	Run: func(_ context.Context, s Subject) Answer {
		if text, err := s.text("cgroup.memory_limit_bytes"); err == nil && text == telemetry.Unlimited {
			return passed
		}
		limit, err := s.number("cgroup.memory_limit_bytes")
		if err != nil {
			return unchecked(err)
		}
		total, err := s.number("memory.total_bytes")
		if err == nil && limit >= total {
			return passed
		}
		path, _ := s.text("cgroup.path") // evidence only
		a := found(finding.Void, "the control group may use %s of %s", unit.Format(limit, unit.Byte), unit.Format(total, unit.Byte))
		a.Evidence = []string{"control group " + path}
		return a
	},
}

// HugePages asks whether the kernel makes huge pages unasked.
var HugePages = Check{
	ID:    "huge-pages",
	Asks:  "are transparent huge pages made only where asked for",
	Worst: finding.Note,
	Why:   "with \"always\" the kernel compacts memory in the background and inside page faults, which shows in tails",
	Fix:   "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled, or state the mode beside the result",
	Run: func(_ context.Context, s Subject) Answer {
		mode, err := s.text("memory.thp")
		if err != nil {
			return unchecked(err)
		}
		if mode != "always" {
			return passed
		}
		return found(finding.Note, "transparent huge pages are %q", mode)
	},
}
