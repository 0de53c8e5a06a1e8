package doctor

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"assay/finding"
	"assay/telemetry"
	"assay/unit"
)

// mostInFlight is how many calls an open loop keeps in flight at most, unless
// its plan says otherwise. Each holds a socket: a descriptor and a port.
const mostInFlight = 10_000

// wantedFiles is a socket for every call, and half as many again for raw files,
// logs, scrapes and sockets that are being closed.
const wantedFiles = 16_384

// OpenFiles asks whether every call can have a socket.
var OpenFiles = Check{
	ID:    "open-files",
	Asks:  "may this process open 16384 files",
	Worst: finding.Caution,
	Why:   "without a descriptor a call cannot leave, and the open loop becomes a closed one",
	Fix:   "ulimit -n 65536 before starting assay, or LimitNOFILE= in its unit",
	Run: func(_ context.Context, s Subject) Answer {
		if text, err := s.text("limit.nofile_soft"); err == nil && text == telemetry.Unlimited {
			return passed
		}
		soft, err := s.number("limit.nofile_soft")
		if err != nil {
			return unchecked(err)
		}
		if soft >= wantedFiles {
			return passed
		}
		return found(finding.Caution, "at most %.0f files may be open; want %d", soft, wantedFiles)
	},
}

// Ports asks whether enough connections to one server can exist. Closed ones
// hold their port for a minute, so twice the calls in flight are wanted.
var Ports = Check{
	ID:    "ports",
	Asks:  "are there 20000 ephemeral ports",
	Worst: finding.Caution,
	Why:   "a client without a free port cannot connect, and counts it against the server",
	Fix:   "sysctl -w net.ipv4.ip_local_port_range=\"1024 65535\"",
	Run: func(_ context.Context, s Subject) Answer {
		ends, err := s.list("sysctl.net.ipv4.ip_local_port_range")
		if err != nil {
			return unchecked(err)
		}
		if len(ends) != 2 {
			return Answer{NotRead: "ip_local_port_range: got " + strings.Join(ends, " ") + ", want two numbers"}
		}
		lo, err := strconv.Atoi(ends[0])
		if err != nil {
			return unchecked(err)
		}
		hi, err := strconv.Atoi(ends[1])
		if err != nil {
			return unchecked(err)
		}
		const want = 2 * mostInFlight
		if hi-lo+1 >= want {
			return passed
		}
		return found(finding.Caution, "%d ephemeral ports (%d to %d); want %d", hi-lo+1, lo, hi, want)
	},
}

// wantedDisk holds the raw records of some million requests.
const wantedDisk = 2 << 30

// DiskSpace asks whether a bundle has room.
var DiskSpace = Check{
	ID:    "disk-space",
	Asks:  "are 2 GiB free where bundles are written",
	Worst: finding.Caution,
	Why:   "a full disk ends a run, and what was measured until then is partial",
	Fix:   "free space, or write bundles to another disk",
	Run: func(_ context.Context, s Subject) Answer {
		free, err := s.number("disk.free_bytes")
		if err != nil {
			return unchecked(err)
		}
		if free >= wantedDisk {
			return passed
		}
		return found(finding.Caution, "%s free; want %s", unit.Format(free, unit.Byte), unit.Format(wantedDisk, unit.Byte))
	},
}

// PowerMode asks whether the machine saves power.
var PowerMode = Check{
	ID:    "power-mode",
	Asks:  "does the machine run on mains power at full speed",
	Worst: finding.Caution,
	Why:   "machines on battery or in a saving profile lower their clocks",
	Fix:   "plug the machine in and choose the performance profile",
	Run: func(_ context.Context, s Subject) Answer {
		profile, profileErr := s.text("power.profile")
		batteries, err := s.list("power.batteries")
		if i := slices.IndexFunc(batteries, func(b string) bool { return strings.HasSuffix(b, " Discharging") }); i >= 0 {
			return found(finding.Caution, "the machine runs on battery (%s)", batteries[i])
		}
		if profileErr == nil && (profile == "low-power" || profile == "quiet" || profile == "cool") {
			return found(finding.Caution, "the power profile is %s; want performance", profile)
		}
		if err != nil {
			return unchecked(err)
		}
		return passed
	},
}

// hotCelsius is where server processors begin to be held back within a few
// degrees; an idle one is forty degrees cooler.
const hotCelsius = 85

// CPUTemperature asks whether the machine starts cool.
var CPUTemperature = Check{
	ID:    "cpu-temperature",
	Asks:  "is every thermal zone below 85 °C",
	Worst: finding.Caution,
	Why:   "a hot processor lowers its clock during the run",
	Fix:   "let the machine cool, check fans and airflow",
	Run: func(_ context.Context, s Subject) Answer {
		hottest, err := s.number("thermal.max_celsius")
		if err != nil {
			return unchecked(err)
		}
		if hottest < hotCelsius {
			return passed
		}
		return found(finding.Caution, "the hottest zone is at %.0f °C; want below %d °C", hottest, hotCelsius)
	},
}

// CPUThrottling says that the processor was held back before.
var CPUThrottling = Check{
	ID:    "cpu-throttling",
	Asks:  "has the processor never been held back for heat since boot",
	Worst: finding.Note,
	Why:   "what happened under load before is likely to happen under load again",
	Fix:   "check cooling; compare the count before and after the run",
	Run: func(_ context.Context, s Subject) Answer {
		count, err := s.number("cpu.throttle_events_since_boot")
		if err != nil {
			return unchecked(err)
		}
		if count == 0 {
			return passed
		}
		return found(finding.Note, "the processor was held back for heat %.0f times since boot", count)
	},
}
