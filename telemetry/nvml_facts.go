//go:build cgo && linux

package telemetry

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// An nvmlFact reads one fact of a device. Only functions that every driver of
// the last years has are used: calling one that the installed library lacks
// ends the process.
type nvmlFact struct {
	name string
	read func(nvml.Device) (any, nvml.Return)
}

var nvmlFacts = []nvmlFact{
	{"model", of(nvml.Device.GetName)},
	{"uuid", of(nvml.Device.GetUUID)},
	{"pci_address", pciAddress},
	{"vbios", of(nvml.Device.GetVbiosVersion)},
	{"compute_capability", computeCapability},
	{"memory_total_bytes", memoryTotal},
	{"memory_used_bytes", memoryUsed},
	{"clock_sm_mhz", clock(nvml.Device.GetClockInfo, nvml.CLOCK_SM)},
	{"clock_memory_mhz", clock(nvml.Device.GetClockInfo, nvml.CLOCK_MEM)},
	{"clock_sm_max_mhz", clock(nvml.Device.GetMaxClockInfo, nvml.CLOCK_SM)},
	{"clock_memory_max_mhz", clock(nvml.Device.GetMaxClockInfo, nvml.CLOCK_MEM)},
	{"clock_sm_application_mhz", clock(nvml.Device.GetApplicationsClock, nvml.CLOCK_SM)},
	{"clock_memory_application_mhz", clock(nvml.Device.GetApplicationsClock, nvml.CLOCK_MEM)},
	{"power_watts", milli(nvml.Device.GetPowerUsage)},
	{"power_limit_watts", milli(nvml.Device.GetPowerManagementLimit)},
	{"power_limit_default_watts", milli(nvml.Device.GetPowerManagementDefaultLimit)},
	{"power_limit_max_watts", powerMax},
	{"temperature_celsius", temperature},
	{"temperature_memory_celsius", memoryTemperature},
	{"temperature_slowdown_celsius", slowdownTemperature},
	{"fan_percent", of(nvml.Device.GetFanSpeed)},
	{"utilisation_percent", utilisation(func(u nvml.Utilization) uint32 { return u.Gpu })},
	{"memory_utilisation_percent", utilisation(func(u nvml.Utilization) uint32 { return u.Memory })},
	{"throttle_reasons", throttled},
	{"ecc", eccMode},
	{"ecc_corrected_volatile", eccErrors(nvml.MEMORY_ERROR_TYPE_CORRECTED, nvml.VOLATILE_ECC)},
	{"ecc_uncorrected_volatile", eccErrors(nvml.MEMORY_ERROR_TYPE_UNCORRECTED, nvml.VOLATILE_ECC)},
	{"ecc_uncorrected_aggregate", eccErrors(nvml.MEMORY_ERROR_TYPE_UNCORRECTED, nvml.AGGREGATE_ECC)},
	{"mig", migMode},
	{"persistence", persistence},
	{"compute_mode", computeMode},
	{"pcie_generation", of(nvml.Device.GetCurrPcieLinkGeneration)},
	{"pcie_generation_max", of(nvml.Device.GetMaxPcieLinkGeneration)},
	{"pcie_width", of(nvml.Device.GetCurrPcieLinkWidth)},
	{"pcie_width_max", of(nvml.Device.GetMaxPcieLinkWidth)},
	{"nvlinks", nvLinks},
	{"nvlink_errors", nvLinkErrors},
	{"cpu_affinity", cpuAffinity},
}

// of adapts a plain getter.
func of[T any](read func(nvml.Device) (T, nvml.Return)) func(nvml.Device) (any, nvml.Return) {
	return func(d nvml.Device) (any, nvml.Return) { return read(d) }
}

func clock(read func(nvml.Device, nvml.ClockType) (uint32, nvml.Return), kind nvml.ClockType) func(nvml.Device) (any, nvml.Return) {
	return func(d nvml.Device) (any, nvml.Return) { return read(d, kind) }
}

// milli adapts a getter of thousandths.
func milli(read func(nvml.Device) (uint32, nvml.Return)) func(nvml.Device) (any, nvml.Return) {
	return func(d nvml.Device) (any, nvml.Return) {
		v, r := read(d)
		return float64(v) / 1000, r
	}
}

func pciAddress(d nvml.Device) (any, nvml.Return) {
	info, r := d.GetPciInfo()
	return cString(info.BusId[:]), r
}

func cString(chars []uint8) string {
	text, _, _ := bytes.Cut(chars, []byte{0})
	return string(text)
}

func computeCapability(d nvml.Device) (any, nvml.Return) {
	major, minor, r := d.GetCudaComputeCapability()
	return fmt.Sprintf("%d.%d", major, minor), r
}

func memoryTotal(d nvml.Device) (any, nvml.Return) {
	m, r := d.GetMemoryInfo()
	return m.Total, r
}

func memoryUsed(d nvml.Device) (any, nvml.Return) {
	m, r := d.GetMemoryInfo()
	return m.Used, r
}

func powerMax(d nvml.Device) (any, nvml.Return) {
	_, most, r := d.GetPowerManagementLimitConstraints()
	return float64(most) / 1000, r
}

func temperature(d nvml.Device) (any, nvml.Return) {
	return d.GetTemperature(nvml.TEMPERATURE_GPU)
}

func slowdownTemperature(d nvml.Device) (any, nvml.Return) {
	return d.GetTemperatureThreshold(nvml.TEMPERATURE_THRESHOLD_SLOWDOWN)
}

// memoryTemperature has no getter of its own; it is one of the numbered fields,
// whose value fills the low bytes of a union.
func memoryTemperature(d nvml.Device) (any, nvml.Return) {
	fields := []nvml.FieldValue{{FieldId: nvml.FI_DEV_MEMORY_TEMP}}
	if r := d.GetFieldValues(fields); r != nvml.SUCCESS {
		return nil, r
	}
	return binary.LittleEndian.Uint32(fields[0].Value[:]), nvml.Return(fields[0].NvmlReturn)
}

func utilisation(part func(nvml.Utilization) uint32) func(nvml.Device) (any, nvml.Return) {
	return func(d nvml.Device) (any, nvml.Return) {
		u, r := d.GetUtilizationRates()
		return part(u), r
	}
}

func throttled(d nvml.Device) (any, nvml.Return) {
	mask, r := d.GetCurrentClocksThrottleReasons()
	return throttleNames(mask), r
}

func eccMode(d nvml.Device) (any, nvml.Return) {
	current, _, r := d.GetEccMode()
	return current == nvml.FEATURE_ENABLED, r
}

func eccErrors(kind nvml.MemoryErrorType, counter nvml.EccCounterType) func(nvml.Device) (any, nvml.Return) {
	return func(d nvml.Device) (any, nvml.Return) { return d.GetTotalEccErrors(kind, counter) }
}

func migMode(d nvml.Device) (any, nvml.Return) {
	current, _, r := d.GetMigMode()
	return current == nvml.DEVICE_MIG_ENABLE, r
}

func persistence(d nvml.Device) (any, nvml.Return) {
	mode, r := d.GetPersistenceMode()
	return mode == nvml.FEATURE_ENABLED, r
}

func computeMode(d nvml.Device) (any, nvml.Return) {
	mode, r := d.GetComputeMode()
	names := map[nvml.ComputeMode]string{
		nvml.COMPUTEMODE_DEFAULT:           "default",
		nvml.COMPUTEMODE_EXCLUSIVE_THREAD:  "exclusive_thread",
		nvml.COMPUTEMODE_PROHIBITED:        "prohibited",
		nvml.COMPUTEMODE_EXCLUSIVE_PROCESS: "exclusive_process",
	}
	if name, ok := names[mode]; ok {
		return name, r
	}
	return fmt.Sprintf("mode %d", mode), r
}
