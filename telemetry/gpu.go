package telemetry

import (
	"context"
	"fmt"
	"maps"

	"assay/record"
)

// GPUs is an accelerator library: NVML, or nvidia-smi where NVML cannot be
// loaded. Each call asks the devices anew.
type GPUs interface {
	// Facts returns what is known of the devices, by names such as
	// gpu.0.uuid, each as a value or unavailable with the reason.
	Facts(ctx context.Context) (record.Environment, error)

	// Gauges returns the readings of the source "gpu", scoped by UUID.
	Gauges(ctx context.Context) ([]Reading, error)

	// Processes lists the programs that hold memory on a device. Inside a
	// container the programs of others may be hidden.
	Processes(ctx context.Context) ([]GPUProcess, error)

	Close() error
}

// A GPUProcess is one program on one device.
type GPUProcess struct {
	PID    int
	GPU    string // UUID
	Memory uint64 // bytes; 0 when the driver does not say
}

var gpuSection = section{
	names: []string{
		"gpu.count", "gpu.library", "gpu.driver", "gpu.cuda_driver", "gpu.nvml",
		"gpu.processes", "topology.gpu_gpu",
	},
	read: readGPUs,
}

func readGPUs(ctx context.Context, h Host, env record.Environment) error {
	if h.GPUs == nil {
		return errNotAsked
	}
	facts, err := h.GPUs.Facts(ctx)
	maps.Copy(env, facts)
	if err != nil {
		return err
	}
	processes, err := h.GPUs.Processes(ctx)
	if err != nil {
		env.Miss("gpu.processes", err.Error())
		return nil
	}
	list := []string{}
	for _, p := range processes {
		list = append(list, fmt.Sprintf("pid %d on %s: %d bytes", p.PID, p.GPU, p.Memory))
	}
	env.Set("gpu.processes", list)
	return nil
}

// deviceFacts lists the facts of one device, below gpu.N. Both libraries record
// every one of them.
var deviceFacts = []string{
	"model", "uuid", "pci_address", "vbios", "compute_capability",
	"memory_total_bytes", "memory_used_bytes",
	"clock_sm_mhz", "clock_memory_mhz", "clock_sm_max_mhz", "clock_memory_max_mhz",
	"clock_sm_application_mhz", "clock_memory_application_mhz",
	"power_watts", "power_limit_watts", "power_limit_default_watts", "power_limit_max_watts",
	"temperature_celsius", "temperature_memory_celsius", "temperature_slowdown_celsius", "fan_percent",
	"utilisation_percent", "memory_utilisation_percent", "throttle_reasons",
	"ecc", "ecc_corrected_volatile", "ecc_uncorrected_volatile", "ecc_uncorrected_aggregate",
	"mig", "persistence", "compute_mode",
	"pcie_generation", "pcie_generation_max", "pcie_width", "pcie_width_max",
	"nvlinks", "nvlink_errors", "cpu_affinity",
}

// fillDevice marks the facts of device n that were not recorded.
func fillDevice(env record.Environment, n int, reason string) {
	for _, f := range deviceFacts {
		name := fmt.Sprintf("gpu.%d.%s", n, f)
		if _, ok := env[name]; !ok {
			env.Miss(name, reason)
		}
	}
}

// openGPUs prefers NVML: one call costs microseconds where nvidia-smi starts a
// process and a driver session. A machine may have nvidia-smi and no driver, so
// it is asked once before it is trusted.
func openGPUs(ctx context.Context, h Host) GPUs {
	library, err := openNVML()
	if err == nil {
		return library
	}
	if _, lookErr := h.LookPath("nvidia-smi"); lookErr != nil {
		return noGPUs{fmt.Errorf("nvidia-smi is not on PATH; %w", err)}
	}
	if _, askErr := (smi{h}).ask(ctx); askErr != nil {
		return noGPUs{fmt.Errorf("%w; %w", askErr, err)}
	}
	return smi{h}
}

// noGPUs is a machine whose devices cannot be asked, and why.
type noGPUs struct{ reason error }

var _ GPUs = noGPUs{}

func (n noGPUs) Facts(context.Context) (record.Environment, error) { return nil, n.reason }
func (n noGPUs) Gauges(context.Context) ([]Reading, error)         { return nil, n.reason }
func (n noGPUs) Processes(context.Context) ([]GPUProcess, error)   { return nil, n.reason }
func (n noGPUs) Close() error                                      { return nil }

// throttleReasons names the bits of the driver's clock event reasons. The bit
// for an idle GPU is left out: it says nothing about a busy one.
var throttleReasons = []struct {
	bit  uint64
	name string
	hurt bool // slows the device against its owner's will
}{
	{1 << 1, "applications_clocks_setting", false},
	{1 << 2, "sw_power_cap", true},
	{1 << 3, "hw_slowdown", true},
	{1 << 4, "sync_boost", false},
	{1 << 5, "sw_thermal_slowdown", true},
	{1 << 6, "hw_thermal_slowdown", true},
	{1 << 7, "hw_power_brake_slowdown", true},
	{1 << 8, "display_clocks_setting", false},
}

// throttleNames lists the reasons in mask.
func throttleNames(mask uint64) []string {
	out := []string{}
	for _, r := range throttleReasons {
		if mask&r.bit != 0 {
			out = append(out, r.name)
		}
	}
	return out
}
