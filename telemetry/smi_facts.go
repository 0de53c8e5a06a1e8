package telemetry

import (
	"errors"
	"strings"
)

// An smiFact reads one fact of a device. Several paths are one value under the
// names of several driver generations, newest first.
type smiFact struct {
	name string
	read func(smiGPU) (any, error)
}

var smiFacts = []smiFact{
	{"model", said("product_name")},
	{"uuid", said("uuid")},
	{"pci_address", said("pci/pci_bus_id")},
	{"vbios", said("vbios_version")},
	{"memory_total_bytes", quantity(mebibyte, "fb_memory_usage/total")},
	{"memory_used_bytes", quantity(mebibyte, "fb_memory_usage/used")},
	{"clock_sm_mhz", quantity(1, "clocks/sm_clock")},
	{"clock_memory_mhz", quantity(1, "clocks/mem_clock")},
	{"clock_sm_max_mhz", quantity(1, "max_clocks/sm_clock")},
	{"clock_memory_max_mhz", quantity(1, "max_clocks/mem_clock")},
	{"clock_sm_application_mhz", quantity(1, "applications_clocks/graphics_clock")},
	{"clock_memory_application_mhz", quantity(1, "applications_clocks/mem_clock")},
	{"power_watts", quantity(1, powerDraw...)},
	{"power_limit_watts", quantity(1, "gpu_power_readings/current_power_limit", "power_readings/power_limit")},
	{"power_limit_default_watts", quantity(1, "gpu_power_readings/default_power_limit", "power_readings/default_power_limit")},
	{"power_limit_max_watts", quantity(1, "gpu_power_readings/max_power_limit", "power_readings/max_power_limit")},
	{"temperature_celsius", quantity(1, "temperature/gpu_temp")},
	{"temperature_memory_celsius", quantity(1, "temperature/memory_temp")},
	{"temperature_slowdown_celsius", slowdownAt},
	{"fan_percent", quantity(1, "fan_speed")},
	{"utilisation_percent", quantity(1, "utilization/gpu_util")},
	{"memory_utilisation_percent", quantity(1, "utilization/memory_util")},
	{"throttle_reasons", smiThrottle},
	{"ecc", enabled("ecc_mode/current_ecc")},
	{"ecc_corrected_volatile", quantity(1, "ecc_errors/volatile/dram_correctable")},
	{"ecc_uncorrected_volatile", quantity(1, "ecc_errors/volatile/dram_uncorrectable")},
	{"ecc_uncorrected_aggregate", quantity(1, "ecc_errors/aggregate/dram_uncorrectable")},
	{"mig", enabled("mig_mode/current_mig")},
	{"persistence", enabled("persistence_mode")},
	{"compute_mode", lower("compute_mode")},
	{"pcie_generation", quantity(1, "pci/pci_gpu_link_info/pcie_gen/current_link_gen")},
	{"pcie_generation_max", quantity(1, "pci/pci_gpu_link_info/pcie_gen/max_link_gen")},
	{"pcie_width", quantity(1, "pci/pci_gpu_link_info/link_widths/current_link_width")},
	{"pcie_width_max", quantity(1, "pci/pci_gpu_link_info/link_widths/max_link_width")},
}

var powerDraw = []string{"gpu_power_readings/instant_power_draw", "gpu_power_readings/power_draw", "power_readings/power_draw"}

// smiGauges are the readings of the source GPU that nvidia-smi has, times a
// factor.
var smiGauges = []struct {
	name   string
	factor float64
	paths  []string
}{
	{"utilisation", 0.01, []string{"utilization/gpu_util"}},
	{"memory.utilisation", 0.01, []string{"utilization/memory_util"}},
	{"memory.used", mebibyte, []string{"fb_memory_usage/used"}},
	{"clock.sm", 1, []string{"clocks/sm_clock"}},
	{"clock.memory", 1, []string{"clocks/mem_clock"}},
	{"power", 1, powerDraw},
	{"temperature", 1, []string{"temperature/gpu_temp"}},
	{"temperature.memory", 1, []string{"temperature/memory_temp"}},
	{"ecc.uncorrected.total", 1, []string{"ecc_errors/volatile/dram_uncorrectable"}},
}

// find returns the first path that has an answer.
func (g smiGPU) find(paths ...string) (string, error) {
	for _, p := range paths {
		if v, ok := g.values[p]; ok && v != "N/A" && v != "[N/A]" && v != "Unknown Error" {
			return v, nil
		}
	}
	return "", errors.New("no answer at " + paths[0])
}

func said(paths ...string) func(smiGPU) (any, error) {
	return func(g smiGPU) (any, error) { return g.find(paths...) }
}

func lower(paths ...string) func(smiGPU) (any, error) {
	return func(g smiGPU) (any, error) {
		v, err := g.find(paths...)
		return strings.ToLower(v), err
	}
}

func enabled(paths ...string) func(smiGPU) (any, error) {
	return func(g smiGPU) (any, error) {
		v, err := g.find(paths...)
		return v == "Enabled", err
	}
}

func quantity(factor float64, paths ...string) func(smiGPU) (any, error) {
	return func(g smiGPU) (any, error) {
		text, err := g.find(paths...)
		if err != nil {
			return nil, err
		}
		v, err := splitQuantity(text)
		return v * factor, err
	}
}

// slowdownAt reads the slowdown temperature. Since Hopper nvidia-smi gives it as
// a distance below the present temperature's own distance to the limit.
func slowdownAt(g smiGPU) (any, error) {
	if v, err := quantity(1, "temperature/gpu_temp_slow_threshold")(g); err == nil {
		return v, nil
	}
	sum := 0.0
	for _, part := range []struct {
		path string
		sign float64
	}{{"gpu_temp", 1}, {"gpu_temp_tlimit", 1}, {"gpu_temp_slow_tlimit_threshold", -1}} {
		v, err := quantity(part.sign, "temperature/"+part.path)(g)
		if err != nil {
			return nil, err
		}
		sum += v.(float64)
	}
	return sum, nil
}

func smiThrottle(g smiGPU) (any, error) {
	mask, err := g.throttleMask()
	return throttleNames(mask), err
}

// throttleMask gathers the leaves of the reasons into the driver's bit set. The
// folder was renamed from throttle to event with driver 535.
func (g smiGPU) throttleMask() (uint64, error) {
	var mask uint64
	found := false
	for _, r := range throttleReasons {
		v, err := g.find("clocks_event_reasons/clocks_event_reason_"+r.name, "clocks_throttle_reasons/clocks_throttle_reason_"+r.name)
		if err != nil {
			continue
		}
		found = true
		if v == "Active" {
			mask |= r.bit
		}
	}
	if !found {
		return 0, errors.New("no clocks_event_reasons")
	}
	return mask, nil
}
