//go:build cgo && linux

package telemetry

import "github.com/NVIDIA/go-nvml/pkg/nvml"

// nvmlGauges reads what changes while a run goes on, by the names of the source
// GPU. Throttle reasons share one call and are read beside this table.
var nvmlGauges = []struct {
	name string
	read func(nvml.Device) (float64, nvml.Return)
}{
	{"utilisation", percent(func(u nvml.Utilization) uint32 { return u.Gpu })},
	{"memory.utilisation", percent(func(u nvml.Utilization) uint32 { return u.Memory })},
	{"memory.used", func(d nvml.Device) (float64, nvml.Return) {
		m, r := d.GetMemoryInfo()
		return float64(m.Used), r
	}},
	{"clock.sm", func(d nvml.Device) (float64, nvml.Return) {
		v, r := d.GetClockInfo(nvml.CLOCK_SM)
		return float64(v), r
	}},
	{"clock.memory", func(d nvml.Device) (float64, nvml.Return) {
		v, r := d.GetClockInfo(nvml.CLOCK_MEM)
		return float64(v), r
	}},
	{"power", func(d nvml.Device) (float64, nvml.Return) {
		v, r := d.GetPowerUsage()
		return float64(v) / 1000, r
	}},
	{"energy.total", func(d nvml.Device) (float64, nvml.Return) {
		v, r := d.GetTotalEnergyConsumption()
		return float64(v) / 1000, r
	}},
	{"temperature", func(d nvml.Device) (float64, nvml.Return) {
		v, r := d.GetTemperature(nvml.TEMPERATURE_GPU)
		return float64(v), r
	}},
	{"temperature.memory", func(d nvml.Device) (float64, nvml.Return) {
		v, r := memoryTemperature(d)
		n, _ := v.(uint32)
		return float64(n), r
	}},
	{"ecc.uncorrected.total", func(d nvml.Device) (float64, nvml.Return) {
		v, r := d.GetTotalEccErrors(nvml.MEMORY_ERROR_TYPE_UNCORRECTED, nvml.VOLATILE_ECC)
		return float64(v), r
	}},
}

// percent reads a utilisation as a fraction.
func percent(part func(nvml.Utilization) uint32) func(nvml.Device) (float64, nvml.Return) {
	return func(d nvml.Device) (float64, nvml.Return) {
		u, r := d.GetUtilizationRates()
		return float64(part(u)) / 100, r
	}
}
