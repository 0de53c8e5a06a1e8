package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"assay/finding"
	"assay/telemetry"
	"assay/unit"
)

// A process of others counts from foreignBytes up, if it is still there after
// foreignWait: monitors come and go, and hold less.
const (
	foreignBytes = 512 << 20
	foreignWait  = 150 * time.Millisecond
)

// hiddenBytes is how much memory may be in use on a device without a process to
// show for it. Drivers reserve some hundred MiB of a large device for
// themselves.
const hiddenBytes = 2 << 30

// ForeignGPU asks whether others use the accelerators.
var ForeignGPU = Check{
	ID:    "foreign-gpu-process",
	Asks:  "are the accelerators free of other processes (512 MiB or more)",
	Worst: finding.Void,
	Why:   "a neighbour on the device takes memory, clock and bandwidth from the system under test",
	Fix:   "stop the process, or choose other devices; examine the host before starting the server under test",
	Run:   foreignGPU,
}

func foreignGPU(ctx context.Context, s Subject) Answer {
	first, err := foreign(ctx, s)
	if err != nil {
		return unchecked(err)
	}
	if len(first) == 0 {
		return hiddenMemory(s)
	}
	select {
	case <-time.After(foreignWait):
	case <-ctx.Done():
		return unchecked(ctx.Err())
	}
	second, err := foreign(ctx, s)
	if err != nil {
		return unchecked(err)
	}
	var evidence []string
	for _, p := range second {
		if slices.ContainsFunc(first, func(q telemetry.GPUProcess) bool { return q.PID == p.PID && q.GPU == p.GPU }) {
			evidence = append(evidence, fmt.Sprintf("pid %d on %s: %s", p.PID, p.GPU, unit.Format(float64(p.Memory), unit.Byte)))
		}
	}
	if len(evidence) == 0 {
		return passed
	}
	a := found(finding.Void, "other processes that hold accelerator memory, seen twice within %v: %d", foreignWait, len(evidence))
	a.Evidence = evidence
	return a
}

func foreign(ctx context.Context, s Subject) ([]telemetry.GPUProcess, error) {
	if s.Host.GPUs == nil {
		return nil, errors.New("gpu.processes: the host gives no access to accelerators")
	}
	all, err := s.Host.GPUs.Processes(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(p telemetry.GPUProcess) bool {
		return p.PID == os.Getpid() || p.Memory < foreignBytes
	}), nil
}

// hiddenMemory looks for processes that a container cannot see by what they
// hold.
func hiddenMemory(s Subject) Answer {
	troubles, err := s.eachGPU(func(n int) (string, error) {
		used, err := s.number(gpuName(n, "memory_used_bytes"))
		if err != nil || used < hiddenBytes {
			return "", err
		}
		return unit.Format(used, unit.Byte) + " in use", nil
	})
	if err != nil {
		return unchecked(err)
	}
	if len(troubles) == 0 {
		return passed
	}
	a := found(finding.Caution, "memory is in use that no visible process holds: %s", strings.Join(troubles, ", "))
	a.Evidence = troubles
	return a
}

// harmless are the reasons for a clock that its owner chose.
var harmless = []string{"applications_clocks_setting", "sync_boost", "display_clocks_setting"}

// GPUThrottling asks whether a device is held back before the run has begun.
var GPUThrottling = Check{
	ID:    "gpu-throttling",
	Asks:  "do the accelerators run at the clocks they were given",
	Worst: finding.Caution,
	Why:   "a device that is held back while idle will be held back harder under load",
	Fix:   "check cooling, power cap and power supply: nvidia-smi -q -d PERFORMANCE,POWER,TEMPERATURE",
	Run: overGPUs("held back", func(s Subject, n int) (string, error) {
		reasons, err := s.list(gpuName(n, "throttle_reasons"))
		bad := slices.DeleteFunc(slices.Clone(reasons), func(r string) bool { return slices.Contains(harmless, r) })
		return strings.Join(bad, " "), err
	}),
}

// slowdownMargin is how far below its slowdown temperature, in °C, a device
// should start: a run warms it by about as much.
const slowdownMargin = 10

// GPUTemperature asks whether a device starts cool enough.
var GPUTemperature = Check{
	ID:    "gpu-temperature",
	Asks:  "are the accelerators more than 10 °C below their slowdown temperature",
	Worst: finding.Caution,
	Why:   "a device near its limit lowers its clock during the run",
	Fix:   "let the devices cool, check fans and airflow",
	Run: overGPUs("hot", func(s Subject, n int) (string, error) {
		now, err := s.number(gpuName(n, "temperature_celsius"))
		if err != nil {
			return "", err
		}
		limit, err := s.number(gpuName(n, "temperature_slowdown_celsius"))
		if err != nil || now < limit-slowdownMargin {
			return "", err
		}
		return fmt.Sprintf("at %.0f °C, slowdown at %.0f °C", now, limit), nil
	}),
}

// GPUMemoryErrors asks whether a device has lost data since the driver started.
var GPUMemoryErrors = Check{
	ID:    "gpu-memory-errors",
	Asks:  "are the accelerators free of uncorrected memory errors",
	Worst: finding.Caution,
	Why:   "an uncorrected error ends programs and may have changed results",
	Fix:   "reset the device (nvidia-smi -r) and have it checked if the errors return",
	Run: overGPUs("uncorrected memory errors", func(s Subject, n int) (string, error) {
		count, err := s.number(gpuName(n, "ecc_uncorrected_volatile"))
		if err != nil || count == 0 {
			return "", err
		}
		return fmt.Sprintf("%.0f errors", count), nil
	}),
}

// GPULink asks whether a device has all its lanes.
var GPULink = Check{
	ID:    "gpu-link",
	Asks:  "do the accelerators have their full PCIe width",
	Worst: finding.Caution,
	Why:   "half the lanes halve every copy between host and device",
	Fix:   "reseat the card, check the slot and the BIOS; a virtual machine may show what it likes",
	Run: overGPUs("a narrow PCIe link", func(s Subject, n int) (string, error) {
		width, err := s.number(gpuName(n, "pcie_width"))
		if err != nil {
			return "", err
		}
		most, err := s.number(gpuName(n, "pcie_width_max"))
		if err != nil || width >= most {
			return "", err
		}
		return fmt.Sprintf("x%.0f of x%.0f", width, most), nil
	}),
}

// GPUPersistence says that the driver forgets its state between programs.
var GPUPersistence = Check{
	ID:    "gpu-persistence",
	Asks:  "is persistence mode on",
	Worst: finding.Note,
	Why:   "without it the driver is set up anew for each first program, and clocks set by hand are lost",
	Fix:   "nvidia-smi -pm 1, or start nvidia-persistenced",
	Run: noteGPUs("persistence mode off", func(s Subject, n int) (string, error) {
		on, err := s.flag(gpuName(n, "persistence"))
		if err != nil || on {
			return "", err
		}
		return "off", nil
	}),
}

type gpuLook func(s Subject, n int) (trouble string, err error)

func overGPUs(what string, look gpuLook) func(context.Context, Subject) Answer {
	return gpuCheck(finding.Caution, what, look)
}

func noteGPUs(what string, look gpuLook) func(context.Context, Subject) Answer {
	return gpuCheck(finding.Note, what, look)
}

func gpuCheck(severity finding.Severity, what string, look gpuLook) func(context.Context, Subject) Answer {
	return func(_ context.Context, s Subject) Answer {
		troubles, err := s.eachGPU(func(n int) (string, error) { return look(s, n) })
		if err != nil {
			return unchecked(err)
		}
		if len(troubles) == 0 {
			return passed
		}
		a := found(severity, "%s: %s", what, strings.Join(troubles, "; "))
		a.Evidence = troubles
		return a
	}
}
