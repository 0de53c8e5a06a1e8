package telemetry

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"assay/record"
)

var errNoMemTotal = errors.New("no MemTotal")

var memorySection = section{
	names: []string{
		"memory.total_bytes", "memory.available_bytes", "memory.huge_pages", "memory.huge_page_bytes",
		"memory.swap_total_bytes", "memory.swap_used_bytes", "memory.swap_devices",
	},
	read: readMemory,
}

func readMemory(_ context.Context, h Host, env record.Environment) error {
	h.record(env, fileFact{"memory.swap_devices", "proc/swaps", swapDevices})
	m, err := readMeminfo(h)
	if err != nil {
		return err
	}
	for name, key := range map[string]string{
		"memory.total_bytes": "MemTotal", "memory.available_bytes": "MemAvailable",
		"memory.huge_pages": "HugePages_Total", "memory.huge_page_bytes": "Hugepagesize",
		"memory.swap_total_bytes": "SwapTotal",
	} {
		if v, ok := m[key]; ok {
			env.Set(name, v)
		} else {
			env.Miss(name, "/proc/meminfo: no "+key)
		}
	}
	total, ok1 := m["SwapTotal"]
	free, ok2 := m["SwapFree"]
	if ok1 && ok2 {
		env.Set("memory.swap_used_bytes", total-free)
	}
	return nil
}

// readMeminfo returns /proc/meminfo in bytes, and counts where the kernel
// counts.
func readMeminfo(h Host) (map[string]int64, error) {
	text, err := h.text("proc/meminfo")
	if err != nil {
		return nil, err
	}
	out := map[string]int64{}
	for key, value := range keyValues(text, ":") {
		number, unit, _ := strings.Cut(value, " ")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("/proc/meminfo: %s: got %q, want a number", key, value)
		}
		if unit == "kB" {
			n *= 1024
		}
		out[key] = n
	}
	return out, nil
}

// swapDevices lists the first column of /proc/swaps below its heading.
func swapDevices(text string) (any, error) {
	out := []string{}
	for i, line := range strings.Split(text, "\n") {
		if parts := strings.Fields(line); i > 0 && len(parts) > 0 {
			out = append(out, parts[0])
		}
	}
	return out, nil
}

// AvailableMemory is how many bytes a program here could still take: what the kernel
// says is available, or a quarter of the limit of its control group where that is
// less. It is 0 where neither can be read.
func AvailableMemory(h Host) int64 {
	m, err := readMeminfo(h)
	if err != nil {
		return 0
	}
	available := m["MemAvailable"]
	env := record.Environment{}
	if err := readCgroup(context.Background(), h, env); err == nil {
		if limit, ok := env["cgroup.memory_limit_bytes"].Value.(float64); ok {
			available = min(available, int64(limit)/4)
		}
	}
	return available
}
