package lint

import (
	"fmt"
	"strconv"
	"strings"

	"assay/finding"
	"assay/metric"
	"assay/spec"
)

// DeviceCount fires when figures per device are divided by other devices than
// those that did the work.
var DeviceCount = Check{
	ID: "device-count", Code: "L-25", Severity: finding.Caution,
	Doc: "Cost and throughput for each device are wrong where prefill or decode devices are left out.",
	When: "cost.gpuCount differs from the product of the engine's parallel sizes, or from the host's " +
		"devices",
	Applies: func(f *Facts) bool {
		cost := f.Plan.Cost()
		return serves(f) && cost != nil && (cost.GPUHourlyUSD > 0 || cost.PowerWatts > 0)
	},
	Run: deviceCount,
}

// parallelFlags are the flags of engines that multiply the devices in use.
var parallelFlags = []string{
	"tensor-parallel-size", "pipeline-parallel-size", "data-parallel-size", "tp", "pp", "dp",
	"tp-size", "pp-size", "dp-size", "tp_size", "pp_size",
}

func deviceCount(f *Facts) Answer {
	declared := f.Plan.Cost().GPUCount
	var list []finding.Finding
	known := false
	for _, side := range f.sides() {
		t := f.target(side)
		used, source, ok := devicesInUse(f, t)
		if !ok {
			continue
		}
		known = true
		if used == declared {
			continue
		}
		list = append(list, finding.Finding{
			Severity: finding.Caution,
			Message:  fmt.Sprintf("figures per device divide by spec.cost.gpuCount, %d, and %s works on %d (%s)", declared, targetOf(side), used, source),
			Why:      fmt.Sprintf("such figures are %.2g times what they should be", float64(used)/float64(max(1, declared))),
			Fix:      "count every device that works for the target, of prefill and of decode",
		})
	}
	if !known {
		return missing("the number of devices: parallel sizes in target.server.command, or the environment's gpu.count where the target is on this host")
	}
	return found(list...)
}

// devicesInUse is how many devices the target works on: by its own flags, or all
// of the host that it is on.
func devicesInUse(f *Facts, t spec.Target) (n int, source string, ok bool) {
	if t.Server != nil {
		if n, flags := parallelSizes(t.Server.Command); len(flags) > 0 {
			return n, strings.Join(flags, " "), true
		}
	}
	count, counted := f.number("gpu.count")
	if !counted || !metric.Here(&t) {
		return 0, "", false
	}
	return int(count), "the devices of the host", true
}

func parallelSizes(command []string) (product int, flags []string) {
	product = 1
	for i, word := range command {
		name, dashed := strings.CutPrefix(word, "-")
		if !dashed {
			continue
		}
		name, value, joined := strings.Cut(strings.TrimPrefix(name, "-"), "=")
		if !joined && i+1 < len(command) {
			value = command[i+1]
		}
		n, err := strconv.Atoi(value)
		for _, flag := range parallelFlags {
			if name == flag && err == nil && n > 0 {
				product *= n
				flags = append(flags, "--"+name+" "+value)
			}
		}
	}
	return product, flags
}
